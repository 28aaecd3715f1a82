"""How visible the focus ring is, measured from screenshots with and without it."""

from __future__ import annotations

import io

#: The stops of the Tab key in the page, and for each where it is once it is in view and has the focus.
_FIND = """() => {
  const isSeen = (each) => each.checkVisibility({ visibilityProperty: true });
  const isStop = (each) => each.tabIndex >= 0 && !each.disabled && isSeen(each);
  const kind = (each) => [each.tagName, each.className.baseVal ?? each.className, each.parentElement.tagName];
  const part = (each) => each.closest("section, aside, nav")?.id ?? "";
  const all = document.querySelectorAll("a[href], button, input, select, summary, [tabindex]");
  window.stops = [...all].filter(isStop);
  return stops.map((each) => [part(each), ...kind(each)].join(" "));
}"""
_FOCUS = """async (at) => {
  const stop = stops[at];
  // Menus close when the focus leaves them.
  stop.closest(".tool-menu")?.setAttribute("open", "");
  const seen = stop.getBoundingClientRect();
  const isIn = seen.top >= 8 && seen.bottom <= innerHeight - 8;
  stop.scrollIntoView({ block: isIn ? "nearest" : "center", inline: "nearest", behavior: "instant" });
  stop.focus({ focusVisible: true });
  // Charts that come into view are drawn then, and move what is below them.
  const frames = stop.closest("figure") ? 10 : 0;
  for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame);
  const lines = [...stop.getClientRects()].sort((one, other) => other.width - one.width);
  const { left, top, right, bottom } = stop.getBoundingClientRect();
  return { left, top, right, bottom, across: lines[0].width, down: lines[0].height };
}"""
_AROUND = 6
#: WCAG 2.2, 1.4.11.
CONTRAST = 3.0


def stops(page):
    """Return what each stop of the Tab key is: tag, classes, section, tag around it."""
    return page.evaluate(_FIND)


def is_ring_seen(page, at, size):
    """Return whether the focus changes as many pixels, by a contrast of 3, as a line around the stop has."""
    place = page.evaluate(_FOCUS, at)
    left, top = (max(0, place[side] - _AROUND) for side in ("left", "top"))
    right, bottom = (
        min(edge, place[side] + _AROUND) for side, edge in zip(("right", "bottom"), size, strict=True)
    )
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    focused = _luminances(page.screenshot(clip=clip, caret="hide"))
    page.evaluate("document.activeElement.blur()")
    plain = _luminances(page.screenshot(clip=clip, caret="hide"))
    if focused.shape != plain.shape:
        return False
    import numpy as np

    ratios = (np.maximum(focused, plain) + 0.05) / (np.minimum(focused, plain) + 0.05)
    # Of what is larger than the window, only a part of the ring can be seen.
    across, down = min(place["across"], right - left), min(place["down"], bottom - top)
    sides = 2 * (place["left"] >= 2 or place["right"] <= size[0] - 2)
    ends = (place["top"] >= 2) + (place["bottom"] <= size[1] - 2)
    return int((ratios >= CONTRAST).sum()) >= sides * down + ends * across


def _luminances(png):
    """Return the relative luminance of each pixel (WCAG 2.2)."""
    import numpy as np
    from PIL import Image

    channels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=float) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])
