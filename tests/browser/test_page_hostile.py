"""Names that try to be markup, scripts, formulas or properties are names; everything still works."""

from __future__ import annotations

import json

import pytest
from page_helpers import click_row, column, scroll_to, type_filter
from playwright.sync_api import expect

from trexreport.visible import visible

NAMES = [
    "</script><img src=x onerror=alert(1)>",
    "</style><script>alert(1)</script>",
    "</title><iframe src='javascript:alert(1)'></iframe>",
    "{{7*7}}${7*7}{%raw%}",
    '"onmouseover=alert(1) x="',
    "' onfocus='alert(1)' autofocus='",
    "<!-- <script>",
    "]]><svg onload=alert(1)>",
    "javascript:alert(1)",
    "\u202etxt.reversed\u202c and back",
    "nul\x00inside\x1e\x7f\x85\x9b",
    "line\u2028separator\u2029here",
    "lone \ud800 half",
    "long " + "x" * 100_000,
    "__proto__",
    "constructor",
    "emoji \U0001f9d1\u200d\U0001f4bb e\u0301",
    "%3Cimg%20src=x%3E&amp;&#60;b&#62;",
    "=HYPERLINK(1)",
    "name # 1",
]


def clean(index, _kind):
    return f"clean {index}"


def hostile(index, kind):
    name = NAMES[index % len(NAMES)]
    return name if kind == "layer" else f"{name} {kind}"


def capture(named):
    """Return the files of a capture in which every text comes from `named`."""
    layers = []
    for index in range(len(NAMES)):

        def text(kind, at=index):
            return named(at, kind)

        def tensor(at):
            return {
                "Name": named(at, "tensor"),
                "Dimensions": [1, 8, 4, 4],
                "Format/Datatype": named(at, "format") if at % 2 else "Row major linear FP32",
            }

        layers.append(
            {
                "Name": text("layer"),
                "LayerType": text("type"),
                "Inputs": [tensor(index)],
                "Outputs": [tensor(index + 1)],
                "ParameterType": text("type"),
                "TacticName": text("tactic"),
                "StreamId": 0,
                "Metadata": f"[ONNX Layer: {text('onnx')}]",
                text("key"): text("value"),
            }
        )
    bindings = [named(0, "tensor"), named(len(NAMES), "tensor")]
    times = [
        {
            "name": layer["Name"],
            "timeMs": 10 * (at + 1),
            "averageMs": at + 1.0,
            "medianMs": at + 1.0,
            "percentage": 4,
        }
        for at, layer in enumerate(layers)
    ]
    settings = {named(index, "setting"): named(index, "value") for index in range(len(NAMES))}
    device = {"Selected Device": named(0, "device"), **settings}
    return {
        "graph": {"Layers": layers, "Bindings": bindings},
        "profile": [{"count": 10}, *times],
        "build_metadata": {
            "model_options": {"Model": named(1, "model"), **settings},
            "build_options": settings,
            "device_information": device,
        },
        "profile_metadata": {"inference_options": settings, "device_information": device},
    }


@pytest.fixture(scope="module")
def write_named(tmp_path_factory):
    def write(named, file_name):
        folder = tmp_path_factory.mktemp("named")
        for role, content in capture(named).items():
            (folder / f"{file_name}.{role.replace('_', '.')}.json").write_text(json.dumps(content), "ascii")
        return folder

    return write


@pytest.fixture(scope="module")
def folders(write_named):
    """The capture of harmless names, and that of the hostile ones."""
    return write_named(clean, "clean"), write_named(hostile, "<img src=x onerror=alert(1)>{{7*7}}")


@pytest.fixture(scope="module")
def static_path(folders, report_of):
    """The report of the hostile names, without Plotly."""
    return report_of(folders[1])


COUNTED = """() => {
  const tags = ["img", "iframe", "script", "style", "object", "embed", "form", "base", "meta", "link"];
  return Object.fromEntries(tags.map((tag) => [tag, document.querySelectorAll(tag).length]));
}"""
RUNNING = """() => {
  const attributes = [...document.querySelectorAll("*")].flatMap((each) => [...each.attributes]);
  const leads = ({ name, value }) => /(href|src|action)$/.test(name) && /script:/i.test(value);
  const runs = (attribute) => attribute.name.startsWith("on") || leads(attribute);
  return attributes.filter(runs).map(({ name, value }) => `${name}=${value}`);
}"""
POLLUTED = "({}).polluted !== undefined || Object.keys(Object.prototype).length > 0"


def test_no_name_becomes_an_element(open_report, folders, report_of):
    counts = []
    for folder in folders:
        page = open_report(report_of(folder, interactive=True))
        for figure in page.locator("figure[data-chart]").all():
            figure.evaluate("element => element.scrollIntoView({ behavior: 'instant' })")
            expect(figure.locator(".main-svg").first).to_be_visible()
        click_row(page, 0)
        page.keyboard.press("/")
        counts.append(page.evaluate(COUNTED))
        assert page.evaluate(RUNNING) == []
        assert not page.evaluate(POLLUTED)
    assert counts[0] == counts[1]


def shown(name):
    return visible(name) if len(name) <= 300 else None


def test_names_are_shown_as_they_are(open_report, static_path):
    page = open_report(static_path)
    names = column(page, "Name")
    assert len(names) == len(NAMES)
    for at, name in enumerate(NAMES):
        if shown(name) is not None:
            assert names[at] == shown(name)
        else:
            assert names[at].startswith("long xxx")
            assert len(names[at]) <= 300
    text = page.locator("body").inner_text()
    assert "49" not in text.split("{{7*7}}")[1][:12]
    assert page.title().startswith("<img src=x onerror=alert(1)>{{7*7}}")


def test_each_can_be_selected_linked_filtered_and_found(open_report, static_path):
    page = open_report(static_path)
    for at, name in enumerate(NAMES):
        select_and_come_back(page, at, name)
        find_by_type(page, at, name)
        type_filter(page, "")


def select_and_come_back(page, at, name):
    """Click the layer's row, go away from it, and follow the permanent link back to it."""
    click_row(page, at)
    heading = page.locator("#detail h2")
    expect(heading).to_be_visible()
    if shown(name) is not None:
        assert heading.text_content() == visible(name)
    address = page.evaluate("location.hash")
    page.locator("#detail a[href^='#tensor=']").first.click()
    expect(heading).to_contain_text(" tensor")
    page.locator("#grid-scroll").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    page.evaluate("(hash) => { location.hash = hash; }", address)
    expect(page.locator(f"#grid-scroll tr[data-item='{at}']")).to_have_attribute("aria-selected", "true")


def find_by_type(page, at, name):
    """Let the search go to the layer's type, which no other layer has."""
    page.keyboard.press("/")
    page.locator("#search-text").fill({10: "nul", 12: "lone"}.get(at, name[:40].strip()))
    hits = page.locator("#search-results li", has=page.get_by_text("Type", exact=True))
    titles = hits.locator(".hit").evaluate_all("all => all.map((each) => each.title)")
    # The name of one is in that of another.
    wanted = visible(name + " type")[:40]
    hits.nth([title[:40] for title in titles].index(wanted)).click()
    expect(page.locator("#row-count")).to_contain_text("1 of 20 layers")
    assert page.locator("#grid-scroll tr[data-item]").get_attribute("data-item") == str(at)


def test_filters_from_the_page_find_what_they_name(open_report, static_path):
    page = open_report(static_path)
    links = page.locator("#precision td a[href^='#filter=']")
    assert links.count() == len(NAMES)
    for link in links.all()[:14]:
        link.evaluate("element => element.click()")
        expect(page.locator("#row-count")).to_contain_text("1 of 20 layers")


def test_the_graph_works_with_them(open_report, static_path):
    page = open_report(static_path)
    scroll_to(page, "#graph-view")
    for node in page.locator(".node").all()[:8]:
        node.click()
        expect(node).to_contain_class("is-selected")
    page.locator("#graph-color").select_option("precision")
    fills = page.locator(".node-mark").evaluate_all("all => all.map((each) => each.getAttribute('fill'))")
    assert len(fills) == len(NAMES)
    assert all(fill.startswith("#") for fill in fills)
    type_filter(page, 'name:"</script><img src=x onerror=alert(1)>"')
    expect(page.locator("#row-count")).to_contain_text("1 of 20 layers")


def test_rows_keep_their_height(open_report, static_path):
    page = open_report(static_path)
    heights = page.locator("#grid-scroll tr[data-item]").evaluate_all(
        "all => all.map((row) => Math.round(row.getBoundingClientRect().height))"
    )
    assert set(heights) == {28}


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_no_wider_than_its_window(open_report, static_path, width):
    page = open_report(static_path, width=width, height=800)
    click_row(page, 13)
    expect(page.locator("#detail")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
