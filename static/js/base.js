// Small helpers: elements, numbers, texts. Nothing here ever parses a text as HTML.

const MINUS = "\u2212";
const LARGEST = 1e15;
const DASH = "\u2013";

/** Create an element; text children become text nodes, so no name from a file can become markup. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

/** Write a number with so many significant digits, as numbers.py does: the same vectors hold both. */
function formatNumber(value, digits = 3) {
  if (value == null || !Number.isFinite(value)) return DASH;
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  if (Math.abs(rounded) >= LARGEST) return beyond(value);
  if (Math.abs(rounded) < 0.001) return value < 0 ? `>${MINUS}0.001` : "<0.001";
  return formatFixed(rounded, Math.max(0, digits - 1 - magnitude(rounded)));
}

/** Write a number with so many decimals and commas between thousands. */
function formatFixed(value, decimals) {
  if (value == null || !Number.isFinite(value)) return DASH;
  if (Math.abs(value) >= LARGEST) return beyond(value);
  const text = group(Math.abs(value).toFixed(decimals));
  return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

function formatCount(value) {
  return formatFixed(value, 0);
}

function beyond(value) {
  return value < 0 ? `≤${MINUS}${group(String(LARGEST))}` : `≥${group(String(LARGEST))}`;
}

function magnitude(value) {
  return Number(value.toExponential().split("e")[1]);
}

function group(text) {
  const [whole, fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction ? `${grouped}.${fraction}` : grouped;
}

function formatBytes(value) {
  if (value == null || !Number.isFinite(value)) return DASH;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? formatCount(value) : formatNumber(value)}\u00a0${units[unit]}`;
}

/** Write a percentage with three digits, but at most two decimals. */
function formatPercent(value) {
  if (value == null || !Number.isFinite(value)) return DASH;
  if (value === 0) return "0%";
  if (Math.abs(value) < 0.005) return value < 0 ? `>${MINUS}0.01%` : "<0.01%";
  const decimals = Math.min(2, Math.max(0, 2 - magnitude(Number(value.toPrecision(3)))));
  return `${formatFixed(value, decimals)}%`;
}

function formatShape(dimensions) {
  return dimensions && dimensions.length ? dimensions.map((extent) => (extent < 0 ? "?" : extent)).join("×") : "scalar";
}

/** Show control characters as their pictures, halves of characters and what turns the direction of writing as unknown, as the rest of the page does. */
function visible(text) {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (found) => String.fromCharCode(0x2400 + found.charCodeAt(0)))
    .replace(/\u007f/g, "\u2421")
    .replace(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069\p{Surrogate}\ufffe\uffff]/gu, "\ufffd");
}

function shorten(text, width) {
  if (text.length <= width) return text;
  const head = Math.floor(width / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - 1 - head))}`;
}

// Always there: what comes into the page together with its text is often not read out.
const saying = h("div", { class: "toast", role: "status" });
document.body.append(saying);

/** Say something for a moment. */
function toast(message) {
  saying.textContent = message;
  clearTimeout(toast.fading);
  toast.fading = setTimeout(() => saying.replaceChildren(), 5000);
}

/** Put a text on the clipboard; without the right to, offer it in a selected field. */
async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const held = document.activeElement;
    const area = h("textarea", { class: "skip" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    held?.focus({ preventScroll: true });
  }
  toast(`${what} copied`);
}

function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
