// Returns how many texts there are within a part of the page, and a line for each whose contrast with its background is too low for its size
// (WCAG 2.2, 1.4.3). The background of a text in a drawing is the last shapes before it that are under its middle.
(within) => {
  const parse = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
    return [red, green, blue, alpha];
  };
  const over = (top, under) => [0, 1, 2].map((at) => top[at] * top[3] + under[at] * (1 - top[3])).concat(1);
  const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((left, right) => left - right);
    return (light + 0.05) / (dark + 0.05);
  };
  const around = (element) => {
    const found = [];
    for (let each = element; each; each = each.parentElement) found.push(each);
    return found;
  };
  const backgroundOf = (element) => {
    const layers = [];
    for (const each of around(element)) {
      layers.push(parse(getComputedStyle(each).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const inDrawing = (text) => {
    const drawing = text.closest("svg");
    const box = text.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    let found = backgroundOf(drawing.parentElement);
    for (const shape of drawing.querySelectorAll("rect, circle")) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      const { fill, fillOpacity, opacity } = getComputedStyle(shape);
      const edge = shape.getBoundingClientRect();
      const isUnder = edge.left <= x && edge.right >= x && edge.top <= y && edge.bottom >= y;
      if (!isUnder || shape.closest("defs") || !fill.startsWith("rgb")) continue;
      const [red, green, blue, alpha] = parse(fill);
      found = over([red, green, blue, alpha * fillOpacity * opacity], found);
    }
    return found;
  };
  const problems = new Map();
  let count = 0;
  const walker = document.createTreeWalker(document.querySelector(within), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!node.data.trim() || !isSeen || element.closest("script, style, title, desc, template, option, [disabled]")) continue;
    const style = getComputedStyle(element);
    const isDrawn = element instanceof SVGElement;
    // Of a group that is not displayed, no text has a box, whatever is stated of its visibility.
    if (isDrawn && !element.getBoundingClientRect().width) continue;
    const ground = isDrawn ? inDrawing(element) : backgroundOf(element);
    const ink = parse(isDrawn ? style.fill : style.color);
    ink[3] *= isDrawn ? 1 : around(element).reduce((product, each) => product * getComputedStyle(each).opacity, 1);
    const size = parseFloat(style.fontSize);
    // A sign is a shape, which needs as little as large letters (1.4.11).
    const isLarge = /^[\u25a0-\u25ff\s]+$/.test(node.data) || size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    count += 1;
    const found = contrast(over(ink, ground), ground);
    const kind = `${element.tagName} ${element.className.baseVal ?? element.className}`;
    if (found < (isLarge ? 3 : 4.5)) problems.set(kind, `${kind}: ${found.toFixed(2)} for ${node.data.trim().slice(0, 40)}`);
  }
  return [count, [...problems.values()]];
}
