"""Mail bodies: what mail programs support, their size, and texts from files that stay texts."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.analyzer.comparison.compare import compare
from trexreport.api import analyze, load
from trexreport.model import Engine, Layer, LayerTime
from trexreport.reader.latency_file import read_latencies
from trexreport.renderer.mail.document import MAX_HTML_BYTES, comparison_mail, engine_mail, render_mail
from trexreport.renderer.short_document.document import Items
from trexreport.resources import resource_folder

SAMPLES = sorted(path.parent for path in resource_folder("samples").glob("*/*.graph.json"))

#: What Gmail, Outlook for Windows (Word's engine), Outlook.com and Apple Mail show alike.
#: Sources: caniemail.com; Gmail, "CSS support" (developers.google.com/gmail/design/css); Microsoft, "Word
#: HTML and CSS rendering capabilities in Outlook".
ATTRIBUTES = {
    "html": {"lang"},
    "head": set(),
    "meta": {"http-equiv", "content", "name"},
    "title": set(),
    "body": {"bgcolor", "style"},
    "table": {"role", "width", "cellpadding", "cellspacing", "border", "bgcolor", "style"},
    "tr": set(),
    "th": {"scope", "align", "width", "style"},
    "td": {"align", "valign", "colspan", "width", "height", "bgcolor", "style"},
    "span": {"style"},
    "br": set(),
}
PROPERTIES = {
    "color",
    "background-color",
    "font-family",
    "font-size",
    "font-weight",
    "line-height",
    "text-align",
    "vertical-align",
    "padding",
    "border-bottom",
    "border-collapse",
    # Outlook does not know these: it makes wide what may be wide and breaks lines as it likes.
    "max-width",
    "white-space",
    "word-break",
}
EMPTY = {"meta", "br"}


class Checker(HTMLParser):
    """Collects what is not supported, and the text."""

    def __init__(self, page):
        super().__init__()
        self.wrong, self.open, self.text = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in ATTRIBUTES:
            self.wrong.append(tag)
            return
        if tag not in EMPTY:
            self.open.append(tag)
        for name, value in attributes:
            if name not in ATTRIBUTES[tag]:
                self.wrong.append(f"{tag} {name}")
            if name == "style":
                self.wrong += [each for each in properties(value) if each not in PROPERTIES]
                if re.search(r"url|expression|import|@|!|var\(|calc\(", value):
                    self.wrong.append(value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag}")

    def handle_comment(self, _data):
        self.wrong.append("comment")

    def handle_data(self, data):
        self.text.append(data)


def properties(style):
    return [part.partition(":")[0].strip() for part in style.split(";") if part.strip()]


def check(html):
    checker = Checker(html)
    assert not checker.wrong
    assert not checker.open
    assert len(html.encode()) <= MAX_HTML_BYTES
    return "".join(checker.text)


def engine_of(names, **more):
    layers = [
        Layer(index, f"{index}:{name}", name, type=f"T{index}", time=LayerTime(1.0 + index))
        for index, name in enumerate(names)
    ]
    return Engine(more.pop("name", "x"), tuple(layers), **more)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_bodies_have_only_what_mail_programs_support(sample):
    analysis = analyze(load(sample))
    body = render_mail(engine_mail(analysis, attached=["a.html"]))
    shown = check(body.html)
    assert analysis.lint.findings
    for text in (shown, body.text):
        assert analysis.identity.name in text
        assert "Attached: a.html." in text.replace("\n", " ")
        for finding in analysis.lint.findings[:10]:
            assert finding.code in text


def test_bodies_of_real_engines(engines_folder):
    for folder in sorted(each for each in engines_folder.iterdir() if each.is_dir()):
        check(render_mail(engine_mail(analyze(load(folder)))).html)


def test_thousands_of_layers_of_long_names_fit():
    analysis = analyze(engine_of([f"{index}/" + "long name " * 60 for index in range(4_000)]))
    body = render_mail(engine_mail(analysis))
    check(body.html)
    assert "- 3,990 more" in body.text
    assert len(body.text) < 20_000


def test_what_does_not_fit_is_left_out_and_counted():
    analysis = analyze(engine_of([f"layer {index}" for index in range(50)]))
    short = render_mail(engine_mail(analysis), 20_000)
    assert len(short.html.encode()) <= 20_000
    assert re.search(r"4\d more", short.html)
    assert render_mail(engine_mail(analysis), 0).html


@given(st.text(max_size=60))
def test_no_text_becomes_markup(text):
    page = render_mail(engine_mail(analyze(engine_of([text], name=text)), subject=text)).html
    check(page)


def test_what_was_not_measured_is_stated():
    body = render_mail(engine_mail(analyze(Engine("x", ()))))
    assert "not measured" in check(body.html)
    assert "None" not in body.text


def test_lines_of_text_are_short_where_they_can_be():
    body = render_mail(engine_mail(analyze(load(SAMPLES[0]))))
    lines = body.text.splitlines()
    assert len(lines) > 20
    assert all(len(line) <= 76 or " " not in line.strip(" -") for line in lines)


BEFORE, AFTER = (resource_folder("samples") / f"resnet18-int8-{which}" for which in ("before", "after"))


def compared(*paths, **more):
    engines = [load(path) for path in paths]
    return compare(engines, names=[f"{each.name} {at}" for at, each in enumerate(engines, 1)], **more)


def test_the_mail_of_a_comparison_leads_with_the_verdict():
    mail = comparison_mail(compared(BEFORE, AFTER), attached=["c.pdf"], left_out="Left out: all.")
    assert mail.subject.endswith("resnet18-int8-before 1: faster (provisional), −27.6% in GPU compute time")
    assert mail.document.summary == "Verdict: faster (provisional), −27.6% in GPU compute time."
    reasons, figures = mail.document.blocks[1:]
    assert reasons.text.startswith("The candidate takes 27.6% less time than the base")
    assert figures.figures[0].note.split() == ["baseline", "0.798", "ms,", "−27.6%"]
    body = render_mail(mail)
    # Where lines break by themselves, none may part a number from its unit.
    assert "−0.153\u00a0ms" in body.html
    assert "\u00a0" not in body.text
    for text in (check(body.html), body.text):
        words = " ".join(text.split())
        for part in ("/maxpool/MaxPool", "reformats removed", "TRX302", "Attached: c.pdf. Left out: all."):
            assert part in words
        assert "synthetic" in words


def test_long_names_beside_many_numbers_have_a_line_of_their_own():
    """On a phone a column beside three numbers has room for ten letters."""
    name = "layer1.0.conv1.weight + /layer1/layer1.0/conv1/_weight_quantizer/QuantizeLinear"
    rows = render_mail(comparison_mail(compared(BEFORE, AFTER))).html.split("<tr>")
    named = [at for at, row in enumerate(rows) if name in row and "colspan" in row]
    assert named
    for at in named:
        assert 'colspan="4"' in rows[at]
        assert rows[at].count("<td") == 1
        assert rows[at + 1].count("<td") == 4
        assert "faster" in rows[at + 1]
    # Short names stay beside their numbers.
    assert any("reformats removed" in row and row.count("<td") == 4 for row in rows)


def test_of_several_candidates_all_verdicts_are_listed():
    comparison = compared(BEFORE, AFTER, BEFORE, AFTER, AFTER)
    mail = comparison_mail(comparison)
    assert (
        mail.subject == "4 engines vs. resnet18-int8-before 1: 3 faster (provisional), 1 no change detected"
    )
    verdicts = next(block for block in mail.document.blocks if isinstance(block, Items))
    faster = "faster (provisional), −27.6% in GPU compute time."
    assert [item.text[0].text.partition(": ")[2] for item in verdicts.entries] == [
        faster,
        "no change detected in GPU compute time.",
        faster,
        faster,
    ]
    text = check(render_mail(mail).html)
    assert "1 more section is not shown." in text


def test_values_go_from_the_baseline_s_on():
    def sentences(baseline):
        mail = comparison_mail(compared(BEFORE, AFTER, baseline=baseline))
        return render_mail(mail).text

    assert "resnet18-int8-before.onnx → resnet18-int8-after.onnx" in sentences(0)
    assert "resnet18-int8-after.onnx → resnet18-int8-before.onnx" in sentences(1)


def test_numbers_of_a_text_have_names():
    text = render_mail(engine_mail(analyze(load(BEFORE)))).text
    assert re.search(r"- Convolution\n  Layers \d+ · Time \(%\) 71\.\d% · Time \(ms\) 0\.604\n", text)


def test_what_can_t_be_compared_has_no_change_and_says_why():
    engines = [load(BEFORE), engine_of(["another", "model"])]
    mail = comparison_mail(compare(engines, names=["a", "b"]))
    assert mail.subject.endswith(": inconclusive in total layer time")
    assert "%" not in mail.document.summary
    assert "Different test conditions: model" in mail.document.blocks[1].text


def test_an_engine_against_what_is_none():
    mail = comparison_mail(compared(BEFORE, others=read_latencies(["PyTorch=8ms", "ONNX=1ms"])))
    assert mail.subject == "resnet18-int8-before 1 vs. PyTorch, ONNX: 2 faster (provisional)"
    verdicts = next(block for block in mail.document.blocks if isinstance(block, Items))
    assert [item.text[1].split()[0] for item in verdicts.entries] == ["×10.0", "×1.25"]
    check(render_mail(mail).html)


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_no_text_becomes_markup_in_a_comparison(text):
    engines = [engine_of([text, "a"], name=text), engine_of(["b", text], name=f"{text} 2")]
    mail = comparison_mail(compare(engines, names=[text, f"{text} 2"]), subject=text)
    check(render_mail(mail).html)


def test_comparisons_of_large_engines_fit():
    names = [f"{index}/" + "long name " * 60 for index in range(300)]
    engines = [engine_of([f"{at}{name}" for name in names], name=f"{at}" * 900) for at in range(6)]
    body = render_mail(comparison_mail(compare(engines, names=[each.name for each in engines])))
    check(body.html)
    assert len(body.text) < 60_000


def test_the_check_itself_finds_what_is_not_supported():
    for page in (
        "<p>x</p>",
        "<table><tr><td onclick='x'></td></tr></table>",
        "<span style='position: fixed'></span>",
        "<span style='color: url(x)'></span>",
        "<span>",
        "<style></style>",
        "<!-- x -->",
    ):
        assert Checker(page).wrong or Checker(page).open


def test_long_savings_leave_a_phone_its_width():
    body = render_mail(engine_mail(analyze(load(SAMPLES[0])))).html
    cells = re.findall(r'<td align="right" style="([^"]*)">([^<]*)</td>', body)
    assert cells
    assert all(("nowrap" in style) == (len(text) <= 16) for style, text in cells)
