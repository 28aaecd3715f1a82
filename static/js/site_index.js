// Put the parts of a site's index together.

/** Offer in the drop-down lists the values that engines differ in, and keep them and the filter in step. */
function watchChoices(data) {
  const lists = [...document.querySelectorAll("select[data-term]")];
  for (const list of lists) {
    const values = [...new Set(data.rows.map((row) => row[list.dataset.term] ?? ""))].sort();
    list.append(...values.filter(Boolean).map((value) => h("option", { value }, shorten(visible(value), 60))));
    list.parentElement.hidden = values.length < 2;
  }
  const isOf = (list, term) => term.startsWith(`${list.dataset.term}:`);
  for (const list of lists) {
    list.addEventListener("change", () => {
      const terms = cutQuery(state.filter).filter((term) => !isOf(list, term));
      if (list.value) terms.push(`${list.dataset.term}:${quoted(list.value)}`);
      setState({ filter: terms.join(" ") });
    });
  }
  return () => {
    const terms = cutQuery(state.filter);
    for (const list of lists) {
      const own = terms.filter((term) => isOf(list, term));
      const value = own.length === 1 ? unquoted(own[0].slice(list.dataset.term.length + 1)) : "";
      list.value = [...list.options].some((option) => option.value === value) ? value : "";
    }
  };
}

function watchTicks(table) {
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("textarea, select, button, a, input:not([type='checkbox'])");
    if (typing || (event.key !== "Enter" && !letters) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const engine = table.selected();
    if (event.key === "x" && engine) table.tick(engine);
    else if (event.key === "Enter" && engine) location.assign(pageOf(engine));
    else if (event.key === "c") byId("compare-link")?.click();
  });
}

openPage((data) => {
  data.rows = fromColumns(data.rows);
  data.rows.forEach((row, index) => Object.assign(row, { index, name: row.name ?? "" }));
  const addresses = new Set(data.rows.map((row) => row.address));
  // The table that needs no script numbers its rows: a link to one of those still works.
  const rowNamed = (text) => (addresses.has(text) ? text : data.rows[text]?.address);
  Object.assign(data, { layers: [], tensors: [], byKey: new Map(), rowNamed });
  let table = null;
  if (byId("engine-grid")) {
    table = new EngineTable(data);
    byId("static-engines").hidden = true;
    watchTable(table);
    table.order();
    const choose = watchChoices(data);
    onState((now, changed) => {
      if (changed.filter) {
        if (byId("filter").value !== now.filter) byId("filter").value = now.filter;
        table.filter(now.filter);
        choose();
      }
      if (changed.sort) table.restoreOrder(now.sort);
      if (changed.ticked) table.restoreTicks(now.ticked);
      if (changed.selection) table.reveal();
      if (changed.followed) byId("engines").scrollIntoView();
    });
    watchTicks(table);
  }
  watchKeys(table, { open: () => byId("filter")?.focus() }, NO_CHARTS);
  watchAddress(data);
});
