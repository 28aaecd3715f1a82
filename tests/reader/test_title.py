"""What an engine is called after one of its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from trexreport.reader.title import title_of


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("unet.graph.json", "unet"),
        ("unet.layers.json", "unet"),
        ("unet_layers.json", "unet"),
        ("unet-profile.json", "unet"),
        ("unet.engine.layer_info.json", "unet"),
        ("unet_engine_layer_information.json", "unet"),
        ("unet.times.json", "unet"),
        ("players.json", "players"),
        ("layers.json", "place"),
        ("_layers.json", "place"),
        ("layers_unet.json", "place unet"),
        ("_run_on_acc_0_engine_layer_information.json", "place _run_on_acc_0"),
        ("_run_on_acc_12.engine.graph.json", "place _run_on_acc_12"),
        ("unet_run_on_acc_0_layers.json", "unet_run_on_acc_0"),
    ],
)
def test_a_title_is_the_name_without_what_the_file_holds(name, title):
    assert title_of(Path("place") / name) == title
