// Put the parts of a report together.

async function start() {
  setTheme(storedTheme());
  watchSections();
  watchPrinting();
  watchWidths();
  const [text, plan] = await Promise.all([unpack("trexreport-data"), byId("trexreport-plan") ? unpack("trexreport-plan") : null]);
  const data = completed(JSON.parse(text));
  document.documentElement.classList.add("js");
  const table = byId("layer-grid") ? new LayerTable(data) : null;
  if (table) {
    byId("static-layers").hidden = true;
    watchTable(table);
    table.order();
  }
  const search = new Search(data);
  const charts = new Charts(data);
  const graph = plan ? new Plan(data, JSON.parse(plan)) : new Graph(data);
  onState(follow(table, new Detail(data), graph, charts));
  watchKeys(table, search, charts);
  addEventListener("pointerdown", (event) => (pointedAt = event.clientY), { capture: true, passive: true });
  addEventListener("keydown", () => (pointedAt = null), { capture: true, passive: true });
  watchAddress(data);
  watchFindings(graph);
  byId("toggle-theme").addEventListener("click", () => nextTheme(charts));
  byId("open-help").addEventListener("click", () => byId("help").showModal());
  byId("close-help").addEventListener("click", () => byId("help").close());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.repaint());
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  // All that the page came with can be read without a script; say what does not work.
  document.documentElement.classList.remove("js");
  byId("overview").prepend(h("p", { class: "notice" }, `This browser can’t run the interactive parts of the report (${error.message}).`));
});
