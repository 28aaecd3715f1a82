// Put the parts of a comparison together.

async function start() {
  setTheme(storedTheme());
  watchSections();
  watchPrinting();
  watchWidths();
  const [text, plan] = await Promise.all([unpack("trexreport-data"), byId("trexreport-plan") ? unpack("trexreport-plan") : null]);
  const data = completedComparison(JSON.parse(text));
  document.documentElement.classList.add("js");
  // Engines of which no layer is known have no rows.
  const table = byId("row-grid") ? new RowTable(data) : null;
  if (table) {
    byId("static-rows").hidden = true;
    watchTable(table);
    table.order();
  }
  const charts = { show() {}, repaint() {} };
  const graph = plan ? new Plan(data, JSON.parse(plan)) : new Graph(data);
  graph.tools?.colourBy("change");
  onState(follow(table, new RowDetail(data), graph, charts));
  watchKeys(table, { open: () => byId("filter")?.focus() }, charts);
  byId("candidate")?.addEventListener("change", (event) => {
    table.hold(Number(event.target.value));
    for (const listener of listeners) listener(state, { selection: true });
  });
  addEventListener("pointerdown", (event) => (pointedAt = event.clientY), { capture: true, passive: true });
  addEventListener("keydown", () => (pointedAt = null), { capture: true, passive: true });
  watchAddress(data);
  byId("toggle-theme").addEventListener("click", () => nextTheme(charts));
  byId("open-help").addEventListener("click", () => byId("help").showModal());
  byId("close-help").addEventListener("click", () => byId("help").close());
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  // All that the page came with can be read without a script; say what does not work.
  document.documentElement.classList.remove("js");
  byId("overview").prepend(h("p", { class: "notice" }, `This browser can’t run the interactive parts of the page (${error.message}).`));
});
