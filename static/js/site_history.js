// What a history needs of the frame of every page: it is drawn already.

function start() {
  const charts = { show() {}, repaint() {} };
  setTheme(storedTheme());
  watchSections();
  watchPrinting();
  document.documentElement.classList.add("js");
  watchKeys(null, { open() {} }, charts);
  byId("toggle-theme").addEventListener("click", () => nextTheme(charts));
  byId("open-help").addEventListener("click", () => byId("help").showModal());
  byId("close-help").addEventListener("click", () => byId("help").close());
  document.documentElement.dataset.ready = "true";
}

start();
