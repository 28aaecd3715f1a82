// The list of sections beside the page.

import { byId, findAll } from "../dom/elements.js";
import { oncePerFrame } from "../dom/frames.js";

/** Return the links of the list of sections. */
export function rail() {
  return /** @type {HTMLAnchorElement[]} */ (findAll(".rail a[href^='#']"));
}

/** Mark the section that is being read in the list of sections. */
export function watchSections() {
  const links = new Map(rail().map((link) => [link.hash.slice(1), link]));
  const targets = [...links.keys()].map(byId).filter(Boolean);
  const mark = oncePerFrame(() => {
    // The top of a hidden section would be that of the window.
    const sections = targets.filter((section) => !section.hidden);
    const atStart = scrollY < 4;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
    const line = innerHeight * 0.3;
    const current = atStart ? sections[0] : atEnd ? sections.at(-1) : sections.filter((section) => section.getBoundingClientRect().top <= line).at(-1) ?? sections[0];
    for (const [id, link] of links) {
      if (current && id === current.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  });
  addEventListener("scroll", mark, { passive: true });
  addEventListener("resize", mark);
  mark();
}

/**
 * Go to a section by its number in the list, with the focus, so that the Tab key goes on from there.
 * @param {number} number From 1.
 */
export function goToSection(number) {
  const link = rail()[number - 1];
  if (!link) return;
  link.click();
  const title = byId(link.hash.slice(1))?.querySelector("h1, h2");
  title?.setAttribute("tabindex", "-1");
  /** @type {HTMLElement | null} */ (title)?.focus({ preventScroll: true });
}
