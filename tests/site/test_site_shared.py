"""Captures of one graph share what is made of it: no page may depend on which others were made before it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from site_captures import build, files_of

from trexreport.pipeline.settings import Settings
from trexreport.reader import locate_with_model
from trexreport.site.jobs import PageOptions, make_page
from trexreport.site.workers import open_workers

sys.path.insert(0, str(Path(__file__).parents[2] / "samples"))
MODELS, RUNS = 2, 3


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    """Runs of two models, and one whose files are broken."""
    from generator.capture import capture_files
    from generator.large import QUERIES, UnetBuilder
    from generator.roofline import A100
    from generator.transformer import decoder_run

    folder = tmp_path_factory.mktemp("captures")
    for number in range(MODELS * RUNS):
        day, model = divmod(number, MODELS)
        run = replace(decoder_run(f"unet-{model}.onnx", number, QUERIES), device=A100)
        place = folder / f"2024-01-0{day + 1}" / f"unet-{model}"
        place.mkdir(parents=True)
        engine = UnetBuilder().build(2, 1 + model)
        for name, data in capture_files(f"unet-{model}", engine, run).items():
            (place / name).write_bytes(data)
    broken = folder / "2024-01-02" / "unet-0" / "unet-0.engine.graph.json"
    broken.write_bytes(broken.read_bytes()[:-2000])
    return folder


def pages(places):
    options = PageOptions(False, Settings())
    return {each: make_page(locate_with_model([each]), str(each), options) for each in places}


def test_a_page_does_not_depend_on_those_before_it(captures):
    places = sorted(captures.glob("*/*"))
    there, back, again = pages(places), pages(places[::-1]), pages(places)
    assert there == back == again
    assert [bool(each.error) for each in there.values()].count(True) == 1
    assert len({each.page for each in there.values()}) == len(places)


def test_a_site_does_not_depend_on_the_number_of_workers(captures, tmp_path):
    for count in (1, 4):
        with open_workers(count) as workers:
            site = build(captures, tmp_path / str(count), workers=workers)
            assert len(site.entries) + len(site.failures) == MODELS * RUNS
    assert files_of(tmp_path / "1") == files_of(tmp_path / "4")


def test_captures_of_one_name_are_made_one_after_another(captures, tmp_path):
    made = []
    build(captures, tmp_path, progress=lambda _done, _count, place: made.append(place))
    names = [place.rpartition("/")[2] for place in made]
    assert names == sorted(names)
    assert len(set(names)) == MODELS
