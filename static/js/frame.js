// The frame of every page: its theme, the rail, links, printing, and following the state.

const THEMES = ["system", "light", "dark"];
let currentTheme = "system";

function setTheme(theme, charts) {
  currentTheme = theme;
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme;
  byId("toggle-theme").textContent = `Theme: ${theme}`;
  keep("trexreport-theme", theme);
  charts?.repaint();
}

/** Keep a reader's choice. */
function keep(name, choice) {
  try {
    localStorage.setItem(name, choice);
  } catch {
    // A page from a file may have no storage; the choice then lasts as long as the page.
  }
}

/** What was chosen, the first of the choices if nothing was. */
function kept(name, choices) {
  try {
    const stored = localStorage.getItem(name);
    return choices.includes(stored) ? stored : choices[0];
  } catch {
    return choices[0];
  }
}

function nextTheme(charts) {
  setTheme(THEMES[(THEMES.indexOf(currentTheme) + 1) % THEMES.length], charts);
}

/** Mark in the rail the section that is being read. */
function watchSections() {
  const links = new Map([...document.querySelectorAll(".rail a[href^='#']")].map((link) => [link.hash.slice(1), link]));
  const all = [...links.keys()].map(byId).filter(Boolean);
  const mark = () => {
    // What is hidden has no place on the page: its top would be that of the window.
    const sections = all.filter((section) => !section.hidden);
    const atStart = scrollY < 4;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
    const line = innerHeight * 0.3;
    const current = atStart ? sections[0] : atEnd ? sections.at(-1) : sections.filter((section) => section.getBoundingClientRect().top <= line).at(-1) ?? sections[0];
    for (const [id, link] of links) {
      if (current && id === current.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", mark, { passive: true });
  addEventListener("resize", mark);
  mark();
}

/** The address by position of the selected layer or row, as links have it; null if there is none. */
function selectedLink() {
  return state.layer ? `#L${state.layer.index}` : state.row != null ? `#R${state.row}` : null;
}

/** Mark every link to the selected layer or row, in charts, tables and the graph. */
function markLinks() {
  document.querySelectorAll("a[aria-current='location']").forEach((link) => link.removeAttribute("aria-current"));
  const link = selectedLink();
  if (link) document.querySelectorAll(`main a[href="${link}"]`).forEach((link) => link.setAttribute("aria-current", "location"));
}

let pointedAt = null;

/** Change the page's widths without moving what the reader looks at: texts above it may wrap otherwise. */
function inPlace(change) {
  const column = byId("main").getBoundingClientRect();
  const x = Math.max(0, column.left) + 80;
  const height = pointedAt ?? innerHeight * 0.4;
  const anchor = document.elementsFromPoint(x, height).find((element) => element.matches("main .grid-scroll, main .graph-scroll, figure, main tr, main li, main p, main h2, main h3, main dl, main section"));
  const before = anchor?.getBoundingClientRect().top;
  change();
  const moved = anchor ? anchor.getBoundingClientRect().top - before : 0;
  if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: "instant" });
}

/** Let the keyboard reach charts that are wider than the window, as long as they are. */
function watchWidths() {
  const charts = [...document.querySelectorAll(".static-chart")];
  const watch = new ResizeObserver(() => {
    for (const chart of charts) {
      if (chart.scrollWidth > chart.clientWidth) chart.setAttribute("tabindex", "0");
      else chart.removeAttribute("tabindex");
    }
  });
  watch.observe(document.body);
}

/** Open for printing what is folded, and fold it again afterward. */
function watchPrinting() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")];
    opened.forEach((each) => each.setAttribute("open", ""));
  });
  addEventListener("afterprint", () => opened.forEach((each) => each.removeAttribute("open")));
}

/** Write in every part what the state is, as far as it changed. */
function follow(table, detail, graph, charts) {
  addEventListener("pointerdown", (event) => (pointedAt = event.clientY), { capture: true, passive: true });
  addEventListener("keydown", () => (pointedAt = null), { capture: true, passive: true });
  return (now, changed) => {
    if (table && changed.filter) {
      for (const id of ["filter", "graph-find"]) if (byId(id) && byId(id).value !== now.filter) byId(id).value = now.filter;
      table.filter(now.filter);
      graph.filter(now.filter, table);
    }
    if (changed.graph) graph.restore?.(now.graph);
    if (changed.selection) {
      inPlace(() => detail.show());
      graph.show();
      charts.show();
      markLinks();
    }
    if (table && changed.selection) table.reveal();
    if (changed.followed) table?.scroller.closest("section").scrollIntoView();
  };
}

/** Show what works only with this script; without it, it stays hidden, even where no style sheet is let in. */
function showTools(works) {
  document.documentElement.classList.toggle("js", works);
  document.querySelectorAll(".needs-script").forEach((each) => (each.hidden = !works));
}

// What a page without interactive charts has in their place.
const NO_CHARTS = { show() {}, repaint() {} };

/** Bring a page to life: what every page has, and what `fill` makes of its data; that returns the charts, if there are any. */
async function openPage(fill) {
  try {
    setTheme(kept("trexreport-theme", THEMES));
    watchPrinting();
    watchWidths();
    const [text, plan] = await Promise.all(["trexreport-data", "trexreport-plan"].map((id) => (byId(id) ? unpack(id) : null)));
    const data = JSON.parse(text);
    showTools(true);
    const charts = fill(data, plan) ?? NO_CHARTS;
    watchSections();
    byId("toggle-theme").addEventListener("click", () => nextTheme(charts));
    byId("open-help").addEventListener("click", () => byId("help").showModal());
    byId("close-help").addEventListener("click", () => byId("help").close());
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    // All that the page came with can be read without a script; say what does not work.
    showTools(false);
    byId("overview").prepend(h("p", { class: "notice" }, `This browser can’t run the interactive parts of the page (${error.message}).`));
  }
}
