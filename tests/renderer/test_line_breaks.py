"""Names break between their parts, and options of commands stay whole; neither changes a text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markupsafe import Markup

from trexreport.renderer.template_output import breakable, whole_in_mail, whole_options

TEMPLATES = Path(__file__).parents[2] / "templates"


def shown(markup):
    assert isinstance(markup, Markup)
    return re.sub("<[^<>]*>", "", markup)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("/layer1/conv1/Conv", ["/layer1/conv1/Conv"]),
        ("/layer1/layer1.0/QuantizeLinear", ["/layer1/", "layer1.0/", "QuantizeLinear"]),
        ("conv.weight + /layer1/conv/Conv", ["conv.weight + /layer1/", "conv/", "Conv"]),
        ("sm80_xmma_fprop_implicit_gemm", ["sm80_", "xmma_", "fprop_", "implicit_", "gemm"]),
        ("__myl_CastMulMeanAddSqrtDiv__", ["__myl_", "CastMulMeanAddSqrtDiv__"]),
        ("model.layers.0.self_attn.out", ["model.", "layers.", "0.", "self_", "attn.", "out"]),
        ("conv <b>1</b>", ["conv &lt;b&gt;1&lt;/b&gt;"]),
        ("<script>/alert(1)/<b>/layers", ["&lt;script&gt;/", "alert(1)/", "&lt;b&gt;/", "layers"]),
    ],
)
def test_a_long_name_breaks_between_its_parts(name, parts):
    assert breakable(name) == "<wbr>".join(parts)
    assert shown(breakable(name)) == Markup.escape(name)


def test_a_name_is_shortened_before_it_is_divided():
    assert shown(breakable("/a/b" * 40, 30)) == "/a/b/a/b/a/b/a/…/b/a/b/a/b/a/b"


def test_options_stay_whole():
    text = "Run trtexec with --exportTimes=<X> and --separateProfileRun; a--b and 1 -- 2 are none."
    found = whole_options(text)
    assert re.findall('<span class="option">(.*?)</span>', found) == ["--exportTimes", "--separateProfileRun"]
    assert shown(found) == Markup.escape(text)
    assert whole_options("a<b") == "a&lt;b"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Build it with --profilingVerbosity=detailed.", ["--profilingVerbosity"]),
        ("TRX302, est. 17–30% (0.15–0.26\u00a0ms).", ["17–30%", "(0.15–0.26\u00a0ms)"]),
        ("3 <b>–</b> 4, a–b, 1,130–2,260\u00a0qps", ["1,130–2,260\u00a0qps"]),
        ("none", []),
    ],
)
def test_a_mail_breaks_no_option_and_no_range(text, whole):
    kept = whole_in_mail(Markup.escape(text))
    assert re.findall('<span style="white-space: nowrap;">([^<]*)</span>', kept) == whole
    assert shown(kept) == Markup.escape(text)


def test_no_template_writes_breaks_into_an_attribute():
    """They are elements, which an attribute would show as text."""
    written = {each.name: each.read_text("utf-8") for each in TEMPLATES.rglob("*.j2")}
    assert sum("| breakable" in text for text in written.values()) > 5
    assert [name for name, text in written.items() if re.search(r'="[^"]*\| breakable', text)] == []
