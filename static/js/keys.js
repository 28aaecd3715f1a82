// The keys, and the controls of the table.

function watchKeys(table, search, charts) {
  // A browser may leave the focus in a dialog that it closes, where keys would be taken for typing.
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", () => dialog.contains(document.activeElement) && document.activeElement.blur());
  }
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("textarea, select, input:not([type='checkbox'])");
    const alone = !event.ctrlKey && !event.metaKey && !event.altKey;
    const inDialog = document.querySelector("dialog[open]");
    if ((event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && alone && !typing)) {
      event.preventDefault();
      byId("help").close();
      search.open();
    } else if (inDialog || event.defaultPrevented) {
      return;
    } else if (event.key === "Escape") {
      letGo(event, typing);
    } else if (!typing && alone) {
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

/** Let go of one thing: an open menu, what is being typed, the selection, then the filter. */
function letGo(event, typing) {
  const columns = byId("columns");
  if (columns && !columns.hidden) {
    toggleColumns(false);
    byId("columns-button").focus();
  } else if (typing) {
    event.preventDefault();
    if (typing.value) {
      typing.value = "";
      typing.dispatchEvent(new Event("input"));
    } else {
      typing.blur();
    }
  } else if (state.layer || state.tensor != null || state.row != null) {
    setState(NOTHING);
  } else if (state.filter) {
    setState({ filter: "" });
  }
}

function toggleColumns(open) {
  byId("columns").hidden = !open;
  byId("columns-button").setAttribute("aria-expanded", String(open));
}

function watchTable(table) {
  let waiting;
  for (const input of [byId("filter"), byId("graph-find")].filter(Boolean)) {
    input.addEventListener("input", () => {
      // Letters that come faster than pictures are taken together.
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => setState({ filter: input.value }, "typing"));
    });
  }
  const copied = () => `${formatCount(table.rows.length)} ${table.rows.length === 1 ? "row" : "rows"}`;
  byId("copy-csv").addEventListener("click", () => copyText(asCsv(table.rows, table.columns), copied()));
  byId("copy-markdown").addEventListener("click", () => copyText(asMarkdown(table.rows, table.columns), copied()));
  byId("columns-button").addEventListener("click", () => toggleColumns(byId("columns").hidden));
  addEventListener("click", (event) => event.target.closest?.(".menu") || toggleColumns(false));
}
