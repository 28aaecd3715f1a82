// The rules' findings: unfolded when a link leads to them, and shown in the graph.

/** A finding's code with the sign of its severity, as a link to it. */
function findingMark(finding, attributes) {
  return h("a", { class: `mark mark-${finding.severity}`, href: findingLink(finding), ...attributes }, shorten(visible(finding.code), 40));
}

/** Unfold the finding that an address names. */
function openFinding(hash) {
  const finding = hash.startsWith("#finding-") ? byId(hash.slice(1)) : null;
  if (finding) finding.open = true;
  return finding;
}

function watchFindings(graph) {
  const open = () => openFinding(location.hash)?.scrollIntoView({ behavior: "instant" });
  addEventListener("hashchange", open);
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#finding-'], .in-graph");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // A second click on the link to where the page is already changes no address.
    if (!link.matches(".in-graph")) openFinding(link.getAttribute("href"));
    else {
      event.preventDefault();
      graph.tools?.colorBy("findings");
      setState({ filter: `finding:${quoted(link.closest("details").id.slice("finding-".length))}` });
      byId("graph").scrollIntoView();
    }
  }, { capture: true });
  open();
}
