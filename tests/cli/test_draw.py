"""`trexreport draw`: parts, collapsed blocks, what is shown, and kinds of files."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from trexreport.cli import main

SAMPLES = Path(__file__).parents[2] / "samples"
DECODER = SAMPLES / "transformer-trt10-myelin"
RESNET = SAMPLES / "resnet18-int8-before"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments, code=0):
        result = CliRunner().invoke(main, ["draw", *(str(each) for each in arguments)])
        if result.exit_code != code:
            raise AssertionError(f"exit {result.exit_code}: {result.output}") from result.exception
        return result

    return invoke


@pytest.fixture
def drawn(run):
    """Return a function that draws and returns the parsed picture."""

    def draw(*arguments):
        run(*arguments, "-o", "x.svg")
        return ET.parse("x.svg").getroot()  # noqa: S314 - drawn by this test

    return draw


def indices(root):
    return [int(each.get("data-layer")) for each in root.iter(f"{SVG}a") if each.get("data-layer")]


def blocks(root):
    return [each for each in root.iter(f"{SVG}a") if each.get("class") == "block"]


def words(root):
    return "\n".join(each.text or "" for each in root.iter(f"{SVG}text")).replace("\u00a0", " ")


def test_around_a_layer_draws_what_is_near_and_marks_it(drawn):
    root = drawn(RESNET, "--around", "20", "--radius", "1")
    found = indices(root)
    assert 20 in found
    assert 2 <= len(found) <= 6
    assert "selected by the command" in words(root)
    assert len(indices(drawn(RESNET, "--around", "20", "--radius", "4"))) > len(found)
    assert indices(drawn(RESNET, "--around", "20", "--radius", "0")) == [20]


def test_around_takes_names_parts_of_names_and_numbers(run, drawn):
    by_number = indices(drawn(DECODER, "--around", "3", "--radius", "0"))
    assert by_number == indices(drawn(DECODER, "--around", "__myl_Gath_myl4_1", "--radius", "0"))
    assert by_number == indices(drawn(DECODER, "--around", "gath_myl4", "--radius", "0"))


def test_a_layer_that_is_not_there_names_close_ones(run):
    text = run(DECODER, "--around", "__myl_Gaht_myl4_1", code=2).stderr
    assert text.count("\n") == 1
    assert "Similar: __myl_Gath_myl4_1" in text
    text = run(DECODER, "--around", "myl4", code=2).stderr
    assert text.count("\n") == 1
    assert re.search(r"\d+ layers have 'myl4' in their names", text)


def test_a_query_draws_what_fits_and_its_neighbors(drawn, run):
    root = drawn(RESNET, "--query", "pooling|maxpool")
    asked = [each for each in root.iter(f"{SVG}rect") if each.get("stroke-width") == "3"]
    assert 1 <= len(asked) - 1 < len(indices(root))  # one of them is the legend's
    assert "not a regular expression" in run(RESNET, "--query", "(", code=2).stderr
    assert "Nothing matches" in run(RESNET, "--query", "qqq", code=2).stderr


def test_a_block_is_drawn_alone_and_what_crosses_its_border_is_named(drawn, run):
    root = drawn(DECODER, "--block", "model/layers.2")
    assert indices(root)
    assert len(indices(root)) <= 16
    assert any(each.get("class") == "port port-stub" for each in root.iter())
    assert indices(drawn(DECODER, "--block", "layers.2")) == indices(root)
    assert "No block has the name 'layers.99'" in run(DECODER, "--block", "layers.99", code=2).stderr


def test_collapsed_blocks_state_count_time_and_precisions(drawn):
    root = drawn(DECODER, "--depth", "2")
    assert "6 × layers.0 – layers.5" in words(root)
    assert "72 layers" in words(root)
    (box,) = (each for each in blocks(root) if "layers.5" in "".join(each.itertext()))
    strip = [each for each in box.iter(f"{SVG}rect") if each.find(f"{SVG}title") is not None]
    assert sum(float(each.get("width")) for each in strip) == pytest.approx(242, abs=1)
    assert "the bar shows its precisions" in words(root)
    assert len(blocks(drawn(DECODER, "--collapse"))) < len(blocks(root))


def test_only_one_part_can_be_chosen(run):
    text = run(DECODER, "--around", "3", "--block", "model", code=2).stderr
    assert text.startswith("Error: --around, --query and --block")
    assert not Path("graph.svg").exists()


def test_what_is_left_out_can_be_shown(drawn):
    usual = indices(drawn(DECODER))
    every = indices(drawn(DECODER, "--show", "constants,shape,noops"))
    assert set(usual) < set(every)
    assert len(every) == 106


def test_an_unknown_word_names_the_known_ones(run):
    assert "Known: constants, shape, noops." in run(DECODER, "--show", "all", code=2).stderr
    assert "--node-text has no 'x'" in run(DECODER, "--node-text", "x", code=2).stderr


def test_boxes_and_arrows_say_what_was_asked_for(drawn):
    root = drawn(RESNET, "--node-text", "type,tactic,precision", "--edge-text", "shape,format")
    assert re.search(r"INT8( → \w+)? · \w+…\w+", words(root))
    assert re.search(r"\d+×\d+×\d+×\d+ INT8", words(root))
    assert "ms ·" not in words(root)
    assert "ms ·" in words(drawn(RESNET))


@pytest.mark.parametrize(
    ("color_by", "meaning"),
    [
        ("type", "kgen"),
        ("precision", "FP16"),
        ("latency", "≥5% of time"),
        ("stream", "stream 1"),
    ],
)
def test_the_legend_says_what_colors_mean(drawn, color_by, meaning):
    assert meaning in words(drawn(DECODER, "--color-by", color_by))


def test_links_lead_to_boxes_of_the_drawing(drawn):
    root = drawn(DECODER)
    ids = {each.get("id") for each in root.iter() if each.get("id")}
    links = {each.get("href") for each in root.iter(f"{SVG}a")}
    assert links
    assert all(link.startswith("#") for link in links)
    assert {f"#{each}" for each in ids} <= links
    assert len([link for link in links if link[1:] in ids]) > 0.9 * len(links)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("more", [[], ["--depth", "2"], ["--around", "20"], ["--edge-text", "shape"]])
def test_graphviz_draws_the_dot(run, more):
    run(DECODER, "-o", "x.dot", *more)
    done = subprocess.run(["dot", "-Tsvg", "x.dot"], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    assert not done.stderr.strip()


@pytest.mark.skipif(
    not any(shutil.which(name) for name in ("rsvg-convert", "chromium", "google-chrome")),
    reason="no program draws SVG as PNG",
)
def test_a_png_is_as_large_as_the_drawing(run, drawn):
    run(RESNET, "--around", "5", "-o", "x.png")
    data = Path("x.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    root = drawn(RESNET, "--around", "5")
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    assert (width, height) == (round(float(root.get("width"))), round(float(root.get("height"))))


def test_without_a_program_for_png_one_line_says_what_to_do(run, monkeypatch):
    monkeypatch.setattr("trexreport.renderer.graph.raster.shutil.which", lambda _name: None)
    text = run(RESNET, "-o", "x.png", code=4).stderr
    assert text.count("\n") == 1
    assert "rsvg-convert" in text
    assert not Path("x.png").exists()


def test_the_same_input_gives_the_same_drawing(run):
    run(DECODER, "-o", "a.svg", "--color-by", "latency")
    run(DECODER, "-o", "b.svg", "--color-by", "latency")
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
