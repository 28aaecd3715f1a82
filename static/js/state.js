// What is selected and filtered. The address holds it all, so that a link or the Back button restores it.

const state = { layer: null, tensor: null, filter: "" };
const listeners = [];

function onState(listener) {
  listeners.push(listener);
}

function readHash(data) {
  const found = { layer: null, tensor: null, filter: "" };
  const hash = location.hash.slice(1);
  const row = hash.match(/^L(\d+)$/);
  if (row && data.layers[row[1]]) return { ...found, layer: data.layers[row[1]] };
  if (!/^(layer|tensor|filter)=/.test(hash)) return null;
  for (const part of hash.split("&")) {
    const [name, value = ""] = part.split(/=(.*)/s);
    let text;
    try {
      text = decodeURIComponent(value);
    } catch {
      continue;
    }
    if (name === "layer") found.layer = data.byKey.get(text) ?? null;
    if (name === "tensor") found.tensor = data.tensors[Number(text)] ? Number(text) : null;
    if (name === "filter") found.filter = text;
  }
  return found;
}

function hashOf(next) {
  const parts = [];
  if (next.layer) parts.push(layerLink(next.layer).slice(1));
  else if (next.tensor != null) parts.push(`tensor=${next.tensor}`);
  if (next.filter) parts.push(`filter=${encodeURIComponent(next.filter)}`);
  return parts.length ? `#${parts.join("&")}` : " ";
}

/** Change the state; `replace` keeps what is typed letter by letter out of the history. */
function setState(change, replace = false) {
  const next = { ...state, ...change };
  const target = hashOf(next) === " " ? location.pathname + location.search : hashOf(next);
  if (replace) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  apply(next, change);
}

function apply(next, change) {
  Object.assign(state, next);
  for (const listener of listeners) listener(state, change);
}

function select(layer) {
  setState({ layer, tensor: null });
}

/** Follow the address whenever it changes: a link was clicked, or Back was. */
function watchAddress(data) {
  const follow = () => {
    const found = readHash(data);
    if (found) {
      // Links made without script go by position; the address shows the one that lasts.
      if (/^#L\d+$/.test(location.hash)) history.replaceState(null, "", layerLink(found.layer));
      const fromLink = found.filter === "" && found.layer;
      const next = fromLink ? { ...found, filter: state.filter } : found;
      apply(next, { ...next, filter: next.filter === state.filter ? undefined : next.filter, followed: true });
    } else if (!location.hash && (state.layer || state.tensor != null || state.filter)) {
      apply({ layer: null, tensor: null, filter: "" }, { layer: null, filter: "" });
    }
  };
  addEventListener("hashchange", follow);
  addEventListener("popstate", follow);
  follow();
}
