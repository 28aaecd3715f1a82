// Returns how many lines of text there are, and a line for each that is beyond the page, cut by a box that does not
// scroll, or over another one. What ends with an ellipsis and has a title may be cut: the title has the whole.
() => {
  const problems = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) problems.push(`the page is ${root.scrollWidth} wide in ${root.clientWidth}`);
  const scrolls = (element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    return element !== root && element !== document.body && !(overflowX === "visible" && overflowY === "visible") && !(element instanceof SVGElement && element.tagName !== "svg");
  };
  const floats = (element) => ["sticky", "fixed"].includes(getComputedStyle(element).position) || element.matches(".menu, .graph-map, .graph-key");
  const around = (element) => {
    const found = [];
    for (let each = element; each; each = each.parentElement) found.push(each);
    return found;
  };
  const hides = (value) => value === "hidden" || value === "clip";
  const lines = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    const text = node.data.trim().slice(0, 60);
    if (!text || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest("script, style, template, title, desc, option, .skip, .toast, [aria-hidden=true]")) continue;
    const boxes = around(element).filter(scrolls);
    const floating = around(element).some(floats);
    range.selectNodeContents(node);
    for (const drawn of range.getClientRects()) {
      if (drawn.width < 1 || drawn.height < 1) continue;
      let { left, top, right, bottom } = drawn;
      for (const box of boxes) {
        const edge = box.getBoundingClientRect();
        const { overflowX, overflowY, textOverflow } = getComputedStyle(box);
        const shortened = textOverflow === "ellipsis";
        const whole = shortened && (box.closest("[title]") || box.querySelector("[title]"));
        if (hides(overflowX) && !whole && (right > edge.right + 1.5 || left < edge.left - 1.5)) problems.push(`cut sideways: ${text}`);
        if (hides(overflowY) && !(whole && box.closest("th")) && (bottom > edge.bottom + (shortened ? 6 : 2) || top < edge.top - 6)) problems.push(`cut in height: ${text}`);
        [left, top, right, bottom] = [Math.max(left, edge.left), Math.max(top, edge.top), Math.min(right, edge.right), Math.min(bottom, edge.bottom)];
      }
      if (right - left < 2 || bottom - top < 2) continue;
      if (!boxes.length && (right > root.clientWidth + 1 || left < -1)) problems.push(`beyond the page: ${text}`);
      // Letters fill the middle of their line.
      const inset = 0.2 * (bottom - top);
      if (!floating) lines.push({ left, right, top: top + inset, bottom: bottom - inset, node, text });
    }
  }
  lines.sort((one, other) => one.top - other.top);
  lines.forEach((one, at) => {
    for (let next = at + 1; next < lines.length && lines[next].top < one.bottom; next += 1) {
      const other = lines[next];
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (one.node !== other.node && across > 2 && down > 1) problems.push(`over each other: ${one.text} / ${other.text}`);
    }
  });
  return [lines.length, [...new Set(problems)]];
}
