"""Pages that one test uses after the other: a new context takes as long as to open a report."""

from __future__ import annotations

import json

from page_helpers import note_console

#: Idle pages that are kept, each with a process of the browser.
KEPT = 4
#: What a page emulates if its options do not say. Smooth scrolling takes a tenth of the time of the tests.
EMULATED = {
    "color_scheme": "light",
    "reduced_motion": "reduce",
    "forced_colors": "none",
    "contrast": "no-preference",
}
#: Says on the console what the page's own policy stops.
WATCH_POLICY = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} stops ${event.blockedURI} ${event.sample}`));
"""
FORGET = """() => {
  localStorage.clear();
  sessionStorage.clear();
  return localStorage.length + sessionStorage.length;
}"""


class PooledPage:
    """A page in a context of its own.

    Attributes:
        page: What a test works with.
        problems: What was noticed since it was taken; nothing of it may have happened.
    """

    def __init__(self, browser, options):
        self._context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        self._context.set_default_timeout(60_000)
        self._context.add_init_script(WATCH_POLICY)
        self._has_own = None
        self.problems = []
        self.page = page = self._context.new_page()
        self._client = self._context.new_cdp_session(page)
        page.on("console", lambda message: note_console(message, self.problems))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", self._dismiss)
        page.on("request", self._note_request)

    def _dismiss(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note_request(self, request):
        """Note a request for anything but the page itself and what it carries."""
        url = request.url.split("#")[0]
        if not (url.startswith(("data:", "blob:")) or url == "about:blank" or self._has_own(url)):
            self.problems.append(f"request: {request.url}")

    def take(self, emulated, width, height, has_own):
        """Prepare the page for a test; `has_own` says of an address whether it may be asked for."""
        self._has_own = has_own
        self.problems = []
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(media="null", **EMULATED | emulated)

    def release(self):
        """Bring the page back to what a new one is: empty, without storage and history, the mouse outside."""
        for other in self._context.pages:
            if other != self.page:
                other.close()
        self.page.mouse.move(-10, -10)
        assert self.page.evaluate(FORGET) == 0
        self.page.goto("about:blank")
        self._client.send("Page.resetNavigationHistory")

    def close(self):
        self._context.close()


class PagePool:
    """The pages of a browser, by the options of their contexts."""

    def __init__(self, browser):
        self._browser = browser
        self._idle = []

    def take(self, options, width, height, has_own):
        """Return a page like a new one."""
        emulated = {name: value for name, value in options.items() if name in EMULATED}
        kept = {name: value for name, value in options.items() if name not in EMULATED}
        key = json.dumps(kept, sort_keys=True)
        at = next((at for at, (held, _) in enumerate(self._idle) if held == key), None)
        pooled = PooledPage(self._browser, kept) if at is None else self._idle.pop(at)[1]
        pooled.take(emulated, width, height, has_own)
        return key, pooled

    def give_back(self, key, pooled):
        """Keep a page for the next test that wants its options."""
        try:
            pooled.release()
        except BaseException:
            pooled.close()
            raise
        self._idle.append((key, pooled))
        if len(self._idle) > KEPT:
            self._idle.pop(0)[1].close()

    def close(self):
        for _, pooled in self._idle:
            pooled.close()
