// The tabs of a page of several phases: the overview, and the report of each phase in place of it.

import { unpack } from "../data/unpack.js";
import { byId, findAll } from "../dom/elements.js";
import { openPage } from "./page.js";

/**
 * The address of a tab: the name of the phase is in the query, so that the report has the part behind "#" for itself.
 * @param {string} href
 * @param {string | null} name Null for the overview.
 * @returns {string}
 */
export function tabAddress(href, name) {
  const address = new URL(href);
  const wanted = new URLSearchParams(address.search);
  wanted.delete("phase");
  if (name !== null) wanted.set("phase", name);
  const query = wanted.toString();
  return `${href.split("#")[0].split("?")[0]}${query ? `?${query}` : ""}`;
}

/**
 * The index of the phase that an address names; -1 for the overview.
 * @param {string} href
 * @param {{ name: string }[]} phases
 * @returns {number}
 */
export function phaseOf(href, phases) {
  const wanted = new URL(href).searchParams.get("phase");
  return wanted === null ? -1 : phases.findIndex(({ name }) => asInAddress(name) === wanted);
}

/**
 * A name as an address gives it back: without halves of characters, which JSON can hold.
 * @param {string} name
 * @returns {string | null}
 */
function asInAddress(name) {
  return new URLSearchParams({ name }).get("name");
}

/** Open the tab that the address names. */
export async function openPhases() {
  const phases = /** @type {{ name: string, script: string }[]} */ (JSON.parse(await unpack("trexreport-data")));
  const index = phaseOf(location.href, phases);
  linkTabs(phases, index);
  if (index < 0) await openPage(() => {});
  else await show(phases[index], index);
}

/**
 * @param {{ name: string, script: string }[]} phases
 * @param {number} current
 */
function linkTabs(phases, current) {
  // A page in a notebook's frame has no address of its own: there a tab opens in place, once.
  const hasAddress = /^(https?|file):$/.test(location.protocol);
  const link = (/** @type {HTMLAnchorElement} */ anchor, /** @type {number} */ index) => {
    const part = anchor.dataset.anchor ? `#${anchor.dataset.anchor}` : "";
    if (hasAddress) anchor.href = tabAddress(location.href, index < 0 ? null : phases[index].name) + part;
    else if (index >= 0)
      anchor.addEventListener("click", (event) => {
        event.preventDefault();
        byId("phase-tabs").hidden = true;
        show(phases[index], index);
      });
  };
  const tabs = /** @type {HTMLAnchorElement[]} */ (findAll("#phase-tabs a"));
  tabs.forEach((tab, at) => {
    link(tab, at - 1);
    if (at - 1 === current) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  });
  for (const anchor of /** @type {HTMLAnchorElement[]} */ (findAll("a[data-phase]"))) link(anchor, Number(anchor.dataset.phase));
}

/** Scroll the tabs to the current one: of many it may be below the others. */
function revealCurrent() {
  const list = byId("phase-tabs");
  const [tab] = findAll("#phase-tabs a[aria-current]");
  if (tab) list.scrollTop = tab.offsetTop - list.offsetTop;
}

/**
 * Put the report of a phase in place of the overview, and run its script.
 * @param {{ name: string, script: string }} phase
 * @param {number} index
 */
async function show(phase, index) {
  const [body, text] = await Promise.all([unpack(`trexreport-phase-${index}`), unpack(`trexreport-script-${phase.script}`)]);
  const report = new DOMParser().parseFromString(body, "text/html");
  const kept = findAll("#phase-tabs, body > template, #trexreport-plotly");
  document.body.replaceChildren(...kept, ...report.body.childNodes);
  revealCurrent();
  document.title = `${phase.name} – ${document.title}`;
  const script = document.createElement("script");
  script.textContent = text;
  document.body.append(script);
  // The browser looked for the target of the address in the overview.
  if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
