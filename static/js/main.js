// Put the parts of a report together.

openPage((read, plan) => {
  const data = completed(read);
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
  watchAddress(data);
  watchFindings(graph);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.repaint());
  return charts;
});
