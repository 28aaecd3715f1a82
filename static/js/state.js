// What is selected and filtered. The address holds it all, so that a link restores it;
// each entry of the history holds it too, so that Back does, from the address of a section as well.

// A row is one of a comparison, where it is selected that has no layer in the graph.
const NOTHING = { layer: null, tensor: null, row: null };
// What is filtered, which blocks are open, and in a site's index the order and the ticks: each as a text.
const NO_TEXTS = { filter: "", graph: "", sort: "", ticked: "" };
const TEXTS = Object.keys(NO_TEXTS);
const state = { ...NOTHING, ...NO_TEXTS };
const listeners = [];
const STATE_LINK = /^#([LR]\d+$|(layer|tensor|row|filter|graph|sort|ticked)=)/;

function onState(listener) {
  listeners.push(listener);
}

/** Read what an address names, and nothing else: null for the address of a section. */
function readHash(data, hash) {
  if (!STATE_LINK.test(hash)) return null;
  // Links made without script go by position; the address shows the one that lasts.
  if (hash.startsWith("#L")) return { layer: data.layers[hash.slice(2)] ?? unknown(`no layer at ${hash.slice(2)}`) };
  if (hash.startsWith("#R")) return { row: rowAt(data, hash.slice(2)) };
  const found = {};
  for (const part of hash.slice(1).split("&")) {
    const [name, value = ""] = part.split(/=(.*)/s);
    let text;
    try {
      text = decodeURIComponent(value);
    } catch {
      text = value;
    }
    if (TEXTS.includes(name)) found[name] = text;
    if (name === "layer") found.layer = data.byKey.get(linkKey(text)) ?? unknown(`no layer ${text}`);
    if (name === "row") found.row = rowAt(data, text);
    if (name === "tensor") found.tensor = /^\d+$/.test(text) && data.tensors[text] ? Number(text) : unknown(`no tensor ${text}`);
  }
  return found;
}

function rowAt(data, text) {
  // Rows that come and go from one time to the next, as those of a site do, are known by a name.
  if (data.rowNamed) return data.rowNamed(text) ?? unknown(`no row ${text}`);
  return data.rows?.[text] ? Number(text) : unknown(`no row ${text}`);
}

function unknown(what) {
  toast(`This report has ${shorten(visible(what), 80)}`);
  return undefined;
}

function hashOf({ layer, tensor, row, ...texts }) {
  const parts = [];
  if (layer) parts.push(layerLink(layer).slice(1));
  else if (tensor != null) parts.push(`tensor=${tensor}`);
  else if (row != null) parts.push(`row=${encodeURIComponent(row)}`);
  for (const name of TEXTS) if (texts[name]) parts.push(`${name}=${encodeURIComponent(texts[name])}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

/** Take over what is named; of a layer, a tensor and a row one at most is selected. */
function merged({ layer, tensor, row, ...texts }) {
  const next = { ...state };
  if (layer !== undefined || tensor !== undefined || row !== undefined) Object.assign(next, NOTHING, layer ? { layer } : tensor != null ? { tensor } : { row: row ?? null });
  for (const name of TEXTS) if (texts[name] !== undefined) next[name] = texts[name];
  return next;
}

/** Change the state. Changes of one kind that follow one another, such as letters, share one entry of the history. */
function setState(change, kind = "") {
  const next = merged(change);
  if (hashOf(next) === hashOf(state)) return;
  const again = kind && history.state?.kind === kind;
  remember(next, kind, hashOf(next), again ? "replaceState" : "pushState");
  apply(next);
}

function remember(next, kind, hash, how) {
  try {
    // A whole address: inside a notebook's frame a part of one would belong to the notebook.
    history[how]({ kind, of: hashOf(next) }, "", location.href.split("#")[0] + hash);
  } catch {
    // Browsers limit how often the address may change; the page works without.
  }
}

function apply(next, followed = false) {
  const changed = {
    selection: next.layer !== state.layer || next.tensor !== state.tensor || next.row !== state.row,
    ...Object.fromEntries(TEXTS.map((name) => [name, next[name] !== state[name]])),
    followed,
  };
  Object.assign(state, next);
  for (const listener of listeners) listener(state, changed);
}

function select(layer, kind) {
  setState({ ...NOTHING, layer }, kind);
}

let goTo = () => {};

/** Follow the address and the links whenever they change: a link was clicked, an address edited, or Back pressed. */
function watchAddress(data) {
  const follow = (hash, how) => {
    const found = readHash(data, hash);
    const next = found ? merged(found) : { ...state };
    // A link names a part of the state; its address tells the whole from here on, unless it leads nowhere.
    const known = found && Object.values(found).every((value) => value !== undefined);
    const again = how === "pushState" && hashOf(next) === hashOf(state);
    if (!again) remember(next, "", known ? hashOf(next) : hash, how);
    apply(next, found?.filter !== undefined);
  };
  // Without leaving it to the browser, which would take the focus away and, in a notebook's frame, lead out of it.
  goTo = (hash) => {
    if (STATE_LINK.test(hash)) follow(hash, "pushState");
    else {
      openFinding(hash);
      location.hash = hash;
    }
  };
  addEventListener("click", (event) => {
    const hash = event.target.closest?.("a[href^='#']")?.getAttribute("href");
    if (!hash || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!STATE_LINK.test(hash) && location.protocol !== "about:") return;
    event.preventDefault();
    goTo(hash);
  });
  addEventListener("hashchange", () => {
    if (history.state?.of === undefined) follow(location.hash, "replaceState");
  });
  addEventListener("popstate", (event) => {
    if (event.state?.of !== undefined) apply({ ...NOTHING, ...NO_TEXTS, ...readHash(data, event.state.of) });
  });
  follow(location.hash, "replaceState");
}
