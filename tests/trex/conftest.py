"""A small plan as files, and as TREx's class reads it."""

from __future__ import annotations

import json

import pytest
from small_plans import small_layers, small_profile

from trexreport import EnginePlan


@pytest.fixture
def files(tmp_path):
    graph, profile = tmp_path / "x.engine.graph.json", tmp_path / "x.engine.profile.json"
    graph.write_text(json.dumps({"Layers": small_layers(), "Bindings": ["in", "out"]}), encoding="utf-8")
    profile.write_text(json.dumps(small_profile()), encoding="utf-8")
    return graph, profile


@pytest.fixture
def plan(files):
    return EnginePlan(*files)
