// The findings of the rules: expanded when a link leads to one, and shown in the graph.

import { byId, targetOf } from "../dom/elements.js";
import { quoted } from "../query/query.js";
import { setState } from "../state/state.js";
import { openFinding } from "./finding_links.js";

/** @param {GraphView} graph */
export function watchFindings(graph) {
  const open = () => openFinding(location.hash)?.scrollIntoView({ behavior: "instant" });
  addEventListener("hashchange", open);
  addEventListener("click", (event) => {
    const link = targetOf(event).closest?.("a[href^='#finding-'], .in-graph");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // A second click on a link does not change the address.
    if (!link.matches(".in-graph")) openFinding(link.getAttribute("href") ?? "");
    else {
      event.preventDefault();
      graph.controls?.colorBy("findings");
      setState({ filter: `finding:${quoted((link.closest("details")?.id ?? "").slice("finding-".length))}` });
      byId("graph").scrollIntoView();
    }
  }, { capture: true });
  open();
}
