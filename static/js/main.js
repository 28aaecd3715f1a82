// Put the parts together.

const THEMES = ["system", "light", "dark"];
let currentTheme = "system";

function setTheme(theme, charts) {
  currentTheme = theme;
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme;
  byId("toggle-theme").textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem("trexreport-theme", theme);
  } catch {
    // A page from a file may have no storage; the choice then lasts as long as the page.
  }
  charts?.repaint();
}

function storedTheme() {
  try {
    const stored = localStorage.getItem("trexreport-theme");
    return THEMES.includes(stored) ? stored : "system";
  } catch {
    return "system";
  }
}

function nextTheme(charts) {
  setTheme(THEMES[(THEMES.indexOf(currentTheme) + 1) % THEMES.length], charts);
}

/** Mark in the rail the section that is being read. */
function watchSections() {
  const links = new Map([...document.querySelectorAll(".rail a[href^='#']")].map((link) => [link.hash.slice(1), link]));
  const sections = [...links.keys()].map(byId).filter(Boolean);
  const mark = () => {
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
    const line = innerHeight * 0.3;
    const current = atEnd ? sections.at(-1) : sections.filter((section) => section.getBoundingClientRect().top <= line).at(-1) ?? sections[0];
    for (const [id, link] of links) {
      if (current && id === current.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", mark, { passive: true });
  addEventListener("resize", mark);
  mark();
}

function watchKeys(table, search, charts) {
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select");
    if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing)) {
      event.preventDefault();
      search.open();
    } else if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
      letGo(typing);
    } else if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector("dialog[open]")) {
      if (event.key === "?") byId("help").showModal();
      else if (event.key === "j") table?.step(1);
      else if (event.key === "k") table?.step(-1);
      else if (event.key === "t") nextTheme(charts);
      else if (event.key === "f" && table) {
        event.preventDefault();
        byId("filter").focus();
      }
    }
  });
}

/** Let go of one thing: an open menu, the selection, then the filter. */
function letGo(typing) {
  const columns = byId("columns");
  if (columns && !columns.hidden) toggleColumns(false);
  else if (state.layer || state.tensor != null) setState({ layer: null, tensor: null });
  else if (state.filter) setState({ filter: "" });
  typing?.blur();
}

function toggleColumns(open) {
  byId("columns").hidden = !open;
  byId("columns-button").setAttribute("aria-expanded", String(open));
}

function watchTable(table) {
  const input = byId("filter");
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => setState({ filter: input.value }, true), 60);
  });
  byId("copy-csv").addEventListener("click", () => copyText(table.asCsv(), `${formatCount(table.rows.length)} rows`));
  byId("copy-markdown").addEventListener("click", () => copyText(table.asMarkdown(), `${formatCount(table.rows.length)} rows`));
  byId("columns-button").addEventListener("click", () => toggleColumns(byId("columns").hidden));
  addEventListener("click", (event) => event.target.closest(".menu") || toggleColumns(false));
}

/** Mark every link to the selected layer, in charts, tables and the graph. */
function markLinks() {
  document.querySelectorAll("a[aria-current='location']").forEach((link) => link.removeAttribute("aria-current"));
  if (!state.layer) return;
  const target = `#L${state.layer.index}`;
  document.querySelectorAll(`main a[href="${target}"]`).forEach((link) => link.setAttribute("aria-current", "location"));
}

async function start() {
  document.documentElement.classList.add("js");
  setTheme(storedTheme());
  watchSections();
  const data = completed(JSON.parse(await unpack("trexreport-data")));
  const table = byId("layer-grid") ? new LayerTable(data) : null;
  if (table) {
    byId("static-layers").hidden = true;
    watchTable(table);
    table.order();
  }
  const detail = new Detail(data);
  const graph = new Graph(data);
  const search = new Search(data);
  const charts = new Charts(data);
  onState((now, change) => {
    if (change.filter !== undefined && table) {
      if (byId("filter").value !== now.filter) byId("filter").value = now.filter;
      table.filter(now.filter);
      graph.filter(now.filter, table);
      if (change.followed && now.filter) byId("layers").scrollIntoView();
    }
    detail.show();
    graph.show();
    markLinks();
    if (table && now.layer) table.reveal(now.layer);
    else table?.draw();
  });
  watchKeys(table, search, charts);
  watchAddress(data);
  byId("toggle-theme").addEventListener("click", () => nextTheme(charts));
  byId("open-help").addEventListener("click", () => byId("help").showModal());
  byId("close-help").addEventListener("click", () => byId("help").close());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.repaint());
  document.documentElement.dataset.ready = "true";
}

start();
