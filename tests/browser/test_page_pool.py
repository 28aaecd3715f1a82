"""A page that an earlier test used is like a new one, and what is wrong with it is noticed."""

from __future__ import annotations

from page_helpers import wait_until_ready
from page_pool import PagePool

OPTIONS = {"permissions": ["clipboard-read"]}
STATE = """() => [
  history.length, localStorage.length, sessionStorage.length, scrollY, innerWidth, innerHeight,
  document.querySelectorAll(":hover").length, document.activeElement === document.body,
  ...["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)", "(forced-colors: active)", "print"]
    .map((query) => matchMedia(query).matches),
]"""


def taken(pool, path, width=1280):
    key, pooled = pool.take(OPTIONS, width, 900, lambda url: url == path.as_uri())
    pooled.page.goto(path.as_uri())
    return key, pooled


def test_a_used_page_is_like_a_new_one(chromium, resnet):
    pool = PagePool(chromium)
    key, first = taken(pool, resnet)
    page = first.page
    wait_until_ready(page)
    new = page.evaluate(STATE)
    page.emulate_media(
        media="print", color_scheme="dark", reduced_motion="no-preference", forced_colors="active"
    )
    page.set_viewport_size({"width": 500, "height": 600})
    page.evaluate(
        "localStorage.theme = 'dark'; sessionStorage.x = 1; location.hash = '#memory'; scrollTo(0, 500)"
    )
    page.mouse.move(200, 200)
    page.evaluate("() => void open('about:blank')")
    assert page.evaluate(STATE) != new
    pool.give_back(key, first)
    key, second = taken(pool, resnet)
    assert second is first
    wait_until_ready(second.page)
    assert second.page.evaluate(STATE) == new
    assert len(second.page.context.pages) == 1
    assert second.problems == []
    pool.give_back(key, second)
    pool.close()


def test_pages_that_only_emulate_something_else_are_one(chromium, resnet):
    pool = PagePool(chromium)
    for scheme in ("dark", "light"):
        key, pooled = pool.take({"color_scheme": scheme}, 1280, 900, lambda _: True)
        pooled.page.goto(resnet.as_uri())
        assert pooled.page.evaluate(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
        pool.give_back(key, pooled)
    assert pool.take({}, 1280, 900, lambda _: True)[1] is pooled
    pooled.close()
    pool.close()


def test_what_is_wrong_is_noticed_each_time(chromium, resnet):
    pool = PagePool(chromium)
    for word in ("one", "two"):
        key, pooled = taken(pool, resnet)
        pooled.page.evaluate(
            """(word) => {
              console.log(word);
              alert(word);
              setTimeout(() => { throw new Error(word); });
              const image = new Image();
              return new Promise((done) => {
                image.onerror = () => setTimeout(done, 50);
                image.src = `https://${word}.invalid/`;
              });
            }""",
            word,
        )
        pool.give_back(key, pooled)
        kinds = sorted(problem.partition(":")[0] for problem in pooled.problems)
        assert {"dialog", "error", "log"} <= set(kinds)
        assert [problem for problem in pooled.problems if word in problem] == pooled.problems
    pool.close()
