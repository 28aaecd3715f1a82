"""Folders of other producers with several engines: each is a phase."""

from __future__ import annotations

import json

import pytest
from front_ends import edge_llm_end_to_end, edge_llm_layers, torch_layers, torch_trace

from trexreport.errors import InputError
from trexreport.reader import folder_capture, read_engine
from trexreport.reader.engine_folders import engines_in
from trexreport.reader.locate import locate
from trexreport.reader.phase_set import MOST_PHASES, find_phases

TABLES = ("decode_pastkvlen1024", "decode_pastkvlen768", "prefill_inputlen128", "visual_448x448")


@pytest.fixture
def tables(tmp_path):
    for name in TABLES:
        (tmp_path / f"layer_{name}.csv").write_bytes(edge_llm_layers())
        (tmp_path / f"e2e_{name}.csv").write_bytes(edge_llm_end_to_end())
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    return tmp_path


def test_phases_in_the_order_of_a_request(tables):
    names = ["visual_448x448", "prefill_inputlen128", "decode_pastkvlen768", "decode_pastkvlen1024"]
    assert [name for name, _ in engines_in(tables)] == names
    found = find_phases(tables)
    assert found.title == tables.name
    assert [(each.name, each.times) for each in found.phases] == [(name, None) for name in names]
    assert read_engine(found.phases[2].path).name == "decode_pastkvlen768"


def test_engines_of_a_graph_with_their_traces(tmp_path):
    for at in (0, 2, 10):
        stem = tmp_path / f"_run_on_acc_{at}_engine"
        stem.with_name(f"{stem.name}_layer_information.json").write_text(json.dumps(torch_layers()))
        stem.with_name(f"{stem.name}_engine_execution_profile.trace").write_bytes(torch_trace({"a": 1}))
    names = [f"_run_on_acc_{at}_engine" for at in (0, 2, 10)]
    assert [name for name, _ in engines_in(tmp_path)] == names
    assert all(read_engine(each.path).times_are_sums for each in find_phases(tmp_path).phases)


def test_a_single_engine_is_no_set(tables):
    for name in TABLES[1:]:
        (tables / f"layer_{name}.csv").unlink()
    assert engines_in(tables) == []
    assert find_phases(tables).phases == ()


def test_tables_of_other_programs_are_not_read(tables, monkeypatch):
    for name in TABLES[1:]:
        (tables / f"layer_{name}.csv").unlink()
    read = []
    real = folder_capture.read_content

    def recorded(path, role):
        read.append(path.name)
        return real(path, role)

    monkeypatch.setattr(folder_capture, "read_content", recorded)
    assert locate([tables]).name == TABLES[0]
    assert "other.csv" not in read
    assert f"layer_{TABLES[0]}.csv" in read


def test_a_folder_that_is_not_there_has_none(tmp_path):
    assert engines_in(tmp_path / "missing") == []


def test_more_than_a_request_can_have_are_refused(tmp_path):
    for at in range(MOST_PHASES + 1):
        (tmp_path / f"layer_decode_pastkvlen{at}.csv").write_bytes(edge_llm_layers())
    with pytest.raises(InputError, match="lists 65 phases"):
        find_phases(tmp_path)
