// Returns what a reader of a narrow window would have to scroll sideways for, could not read, or sees twice in one place.
() => {
  const shown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const place = (element) => element.closest("[id]")?.id ?? "";
  // Of these only the graph is moved by a finger; on a tablet the table that holds the rows in view is, too.
  const PANES = innerWidth > 640 ? ".graph-scroll, .grid-scroll" : ".graph-scroll";
  const scrolled = [...document.querySelectorAll("body *")]
    .filter((each) => !(each instanceof SVGElement) && !each.matches(PANES) && shown(each))
    .filter((each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth + 1)
    .map((each) => `${each.className} in ${place(each)}: ${each.scrollWidth} in ${each.clientWidth}`);
  const letters = [...document.querySelectorAll("svg.chart text")].filter(shown);
  const size = (text) => {
    const { b, d } = text.getScreenCTM();
    return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(b, d);
  };
  const inGraph = innerWidth > 640 ? [] : [...document.querySelectorAll(".graph-svg text")].filter(shown);
  // On a phone charts have drawings for its width; those of layers that are moved by a finger shrink a little.
  const least = (each) => (innerWidth <= 640 && each.closest(".chart") ? 10.4 : 9.9);
  const small = [...letters, ...inGraph].filter((each) => size(each) < least(each)).map((each) => `${place(each)}: ${each.textContent}`);
  const drawings = new Map();
  for (const each of letters) {
    const drawing = each.closest("svg");
    drawings.set(drawing, [...(drawings.get(drawing) ?? []), [each, each.getBoundingClientRect()]]);
  }
  const over = [];
  for (const found of drawings.values()) {
    found.forEach(([one, box], at) => {
      if (box.right > innerWidth || box.left < 0) over.push(`${place(one)}: ${one.textContent} is beyond the page`);
      for (const [other, next] of found.slice(at + 1)) {
        const across = Math.min(box.right, next.right) - Math.max(box.left, next.left);
        const down = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
        if (across > 2 && down > 4) over.push(`${place(one)}: ${one.textContent} / ${other.textContent}`);
      }
    });
  }
  // Words of tables that go on in the next line, beside names of layers and files.
  const broken = [];
  const range = document.createRange();
  for (const cell of document.querySelectorAll("main :is(th, td)")) {
    if (!shown(cell)) continue;
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text; (text = walker.nextNode());) {
      for (const { 0: word, index } of text.data.matchAll(/(?<![^\s(])[A-Za-z]{2,14}(?=[\s,;:)]|\.?$|\.\s)/g)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(`${place(cell)}: ${word}`);
      }
      // Parts of a path, each of which has room in a line of its own.
      if (!/\/.*\//.test(cell.textContent)) continue;
      for (const { 0: part, index } of text.data.matchAll(/(?<=^|\/)\w{2,20}(?=[/\s]|$)/g)) {
        range.setStart(text, index);
        range.setEnd(text, index + part.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(`${place(cell)}: part ${part}`);
      }
    }
  }
  // Texts in columns so narrow that few letters are in a line.
  const squeezed = [];
  for (const cell of document.querySelectorAll("main :is(th, td)")) {
    const text = cell.textContent.trim();
    if (innerWidth <= 640 || text.length < 40 || !shown(cell)) continue;
    range.selectNodeContents(cell);
    const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 1).map(({ bottom }) => Math.round(bottom))).size;
    if (lines > 4 && text.length / lines < 9) squeezed.push(`${place(cell)}: ${text.length} letters in ${lines} lines: ${text.slice(0, 40)}`);
  }
  return { broken, squeezed, count: letters.length, wide: document.scrollingElement.scrollWidth > innerWidth, scrolled, small, over };
}
