// Put the parts of a comparison together.

openPage((read, plan) => {
  const data = completedComparison(read);
  // Engines of which no layer is known have no rows.
  const table = byId("row-grid") ? new RowTable(data) : null;
  if (table) {
    byId("static-rows").hidden = true;
    watchTable(table);
    table.order();
  }
  const graph = plan ? new Plan(data, JSON.parse(plan)) : new Graph(data);
  graph.tools?.colorBy("change");
  onState(follow(table, new RowDetail(data), graph, NO_CHARTS));
  watchKeys(table, { open: () => byId("filter")?.focus() }, NO_CHARTS);
  byId("candidate")?.addEventListener("change", (event) => {
    table.hold(Number(event.target.value));
    for (const listener of listeners) listener(state, { selection: true });
  });
  watchAddress(data);
});
