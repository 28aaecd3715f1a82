// The keys, and the controls of the table.

// Who speaks to the machine, or whose hands shake, presses some by accident: the help turns those of one character off.
let letters = true;

function useLetters(on) {
  letters = on;
  byId("letter-keys").checked = on;
  keep("trexreport-letter-keys", on ? "on" : "off");
}

let left = null;

/** Go into the panel of what is selected, or back to where the reader was. */
function visitPanel() {
  const panel = byId("detail");
  if (!panel || panel.hidden) return;
  if (panel.contains(document.activeElement)) {
    (left?.isConnected ? left : byId("grid-scroll"))?.focus({ preventScroll: true });
  } else {
    left = document.activeElement;
    panel.querySelector("h2").focus();
  }
}

/** Tell whether a key is pressed on what is selected already: its row, its box, its mark in a chart. */
function onSelected({ target }) {
  if (target.id === "grid-scroll") return true;
  const link = target.closest?.("main a[href]")?.getAttribute("href");
  return link != null && link === selectedLink();
}

function watchKeys(table, search, charts) {
  // A browser may leave the focus in a dialog that it closes, where keys would be taken for typing.
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", () => dialog.contains(document.activeElement) && document.activeElement.blur());
  }
  useLetters(kept("trexreport-letter-keys", ["on", "off"]) !== "off");
  byId("letter-keys").addEventListener("change", (event) => useLetters(event.target.checked));
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("textarea, select, input:not([type='checkbox'])");
    const alone = !event.ctrlKey && !event.metaKey && !event.altKey;
    const inDialog = document.querySelector("dialog[open]");
    if ((event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && alone && letters && !typing)) {
      event.preventDefault();
      byId("help").close();
      search.open();
    } else if (inDialog || event.defaultPrevented) {
      return;
    } else if (event.key === "Escape") {
      letGo(event, typing);
    } else if (event.key === "Enter" && alone && !byId("detail").hidden && onSelected(event)) {
      event.preventDefault();
      visitPanel();
    } else if (!typing && alone && letters) {
      if (event.key === "?") byId("help").showModal();
      else if (event.key === "j") table?.step(1);
      else if (event.key === "k") table?.step(-1);
      else if (event.key === "p") visitPanel();
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
