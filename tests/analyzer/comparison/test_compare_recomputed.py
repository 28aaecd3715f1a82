"""What comparisons say of real engines is what plain arithmetic makes of trtexec's files.

Nothing of the package reads the files here but for what is tested. In these captures every layer has a name
of its own, and the profile names the layers in their order.
"""

from __future__ import annotations

import json
import math
import re
import statistics
from itertools import permutations
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.numbers import format_count, format_ms
from trexreport.reader import read_engine
from trexreport.renderer.comparison.html import comparison_data
from trexreport.renderer.comparison.summary import comparison_summary
from trexreport.renderer.comparison.verdicts import verdict_views
from trexreport.renderer.json_document import render_json
from trexreport.renderer.short_document.markdown import render_markdown

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


NAMES = ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")
#: What the types of kernels are called in trexreport.
TYPES = {
    "CaskConvolution": "Convolution",
    "CaskPooling": "Pooling",
    "CudaPooling": "Pooling",
    "TiledPooling": "Pooling",
}


def close(one, other):
    return math.isclose(one, other, rel_tol=0, abs_tol=1e-9)


class Raw:
    """The files of one capture, as they are."""

    def __init__(self, folder):
        def content(role):
            (path,) = folder.glob(f"*.engine.{role}.json")
            return json.loads(path.read_text("utf-8"))

        self.layers = content("graph")["Layers"]
        self.times = {entry["name"]: entry["averageMs"] for entry in content("profile")[1:]}
        self.compute = [query["computeMs"] for query in content("timing")]
        assert [layer["Name"] for layer in self.layers] == list(self.times)

    def sum_ms(self):
        return math.fsum(self.times.values())

    def by_type(self):
        """Return the time of each type."""
        found = {}
        for layer in self.layers:
            kind = TYPES.get(layer["LayerType"], layer["LayerType"])
            found.setdefault(kind, []).append(self.times[layer["Name"]])
        return {kind: math.fsum(times) for kind, times in found.items() if any(times)}

    def reformats(self):
        return sum(layer["LayerType"] == "Reformat" for layer in self.layers)


@pytest.fixture(scope="module")
def folders(engines_folder):
    return [engines_folder / f"a100-resnet18-{name}" for name in NAMES]


@pytest.fixture(scope="module")
def raw(folders):
    return [Raw(folder) for folder in folders]


@pytest.fixture(scope="module")
def engines(folders):
    return [read_engine(folder) for folder in folders]


@pytest.fixture(scope="module")
def compared(engines):
    """The comparison of all engines, by its baseline."""
    return {baseline: compare(engines, names=NAMES, baseline=baseline) for baseline in (0, 1, len(NAMES) - 1)}


@pytest.fixture(scope="module")
def documents(compared):
    return {at: json.loads(render_json(comparison)) for at, comparison in compared.items()}


def test_verdicts_are_of_the_medians_of_the_queries(raw, documents):
    decided = 0
    for baseline, document in documents.items():
        before = statistics.median(raw[baseline].compute)
        for files, engine in zip(raw, document["engines"], strict=True):
            verdict, after = engine["verdict"], statistics.median(files.compute)
            assert close(engine["figures"]["compute_ms"], after)
            if verdict is None:
                continue
            assert (verdict["baseline"]["median_ms"], verdict["candidate"]["median_ms"]) == (before, after)
            ratio = verdict["median_ratio"]
            assert math.isclose(ratio["value"], after / before, rel_tol=1e-12)
            assert ratio["low"] <= ratio["value"] <= ratio["high"]
            # One run of each does not decide on small differences.
            assert verdict["verdict"] in ("inconclusive", "faster" if after < before else "slower")
            decided += verdict["verdict"] != "inconclusive"
    assert decided > len(documents)


def test_waterfalls_go_from_one_sum_of_the_profile_to_the_other_type_by_type(raw, documents):
    assert documents
    for baseline, document in documents.items():
        first = raw[baseline]
        for files, engine in zip(raw, document["engines"], strict=True):
            assert close(engine["figures"]["layer_sum_ms"], files.sum_ms())
            assert engine["figures"]["reformats"] == files.reformats()
            for waterfall in engine["waterfalls"]:
                assert close(waterfall["difference_ms"], files.sum_ms() - first.sum_ms())
                if waterfall["by"] != "type":
                    continue
                before, after = first.by_type(), files.by_type()
                steps = {step["name"]: step for step in waterfall["steps"]}
                assert set(steps) == {*before, *after}
                for kind, step in steps.items():
                    times = before.get(kind, 0.0), after.get(kind, 0.0)
                    assert close(step["baseline_ms"], times[0])
                    assert close(step["candidate_ms"], times[1])
                    assert close(step["difference_ms"], times[1] - times[0])


def test_rows_hold_the_time_of_every_layer_once(raw, documents):
    assert documents
    for baseline, document in documents.items():
        for engine, files in enumerate(raw):
            sides = [row["sides"][engine] for row in document["rows"]]
            members = [member for side in sides for member in side["members"]]
            assert sorted(member["name"] for member in members) == sorted(files.times)
            for side in sides:
                times = [files.times[member["name"]] for member in side["members"]]
                assert close(side["time_ms"] or 0.0, math.fsum(times))
            assert close(math.fsum(side["time_ms"] or 0.0 for side in sides), files.sum_ms())
            if engine != baseline:
                differences = math.fsum(side["difference_ms"] or 0.0 for side in sides)
                assert close(differences, files.sum_ms() - raw[baseline].sum_ms())


def test_rows_of_either_direction_are_each_others_mirror(compared, documents):
    """The rows of several engines are the same whichever engine is the baseline, with the signs swapped."""

    def rows(baseline, candidate):
        return {
            tuple(tuple(sorted(m["name"] for m in side["members"])) for side in row["sides"]): row["sides"][
                candidate
            ]["difference_ms"]
            for row in documents[baseline]["rows"]
        }

    assert len(compared) == 3
    for one, other in permutations(compared, 2):
        there, back = rows(one, other), rows(other, one)
        assert len(there) == 22
        assert there.keys() == back.keys()
        assert all((there[row] or 0.0) == -(back[row] or 0.0) for row in there)


def test_markdown_shows_these_figures(raw, compared):
    lines = render_markdown(comparison_summary(compared[0])).decode().splitlines()

    def shown(label):
        """Return the figure of each engine, whose rows follow the heading and its rule."""
        head = next(at for at, line in enumerate(lines) if f"| {label} |" in line)
        column = [each.strip() for each in lines[head].strip("|").split("|")].index(label)
        rows = lines[head + 2 : head + 2 + len(raw)]
        return [row.strip("|").split("|")[column].strip() for row in rows]

    medians = [statistics.median(files.compute) for files in raw]
    assert shown("Median GPU compute time") == [format_ms(median) for median in medians]
    assert shown("Total layer time") == [format_ms(files.sum_ms()) for files in raw]
    assert [text.split(",")[0] for text in shown("Reformats")] == [
        format_count(files.reformats()) for files in raw
    ]


def column(packed, key):
    """Return the values of a column as the page's script unpacks it."""
    ((_, values, *at),) = (each for each in packed["columns"] if each[0] == key)
    return [values[number] for number in at[0]] if at else values


def test_the_page_has_these_rows(raw, engines, compared):
    analyses = [analyze(engine) for engine in engines]
    data = comparison_data(compared[1], analyses, 2)
    assert (data["baseline"], data["focus"]) == (1, 2)
    for files, engine, sides in zip(raw, data["engines"], data["sides"], strict=True):
        assert close(engine["sum"], files.sum_ms())
        assert close(math.fsum(time or 0.0 for time in column(sides, "ms")), files.sum_ms())


def test_weights_that_myelin_hides_are_not_taken_for_none(engines_folder):
    """Its kernels do not state their weights: what is known is a part. Those of others list constants."""
    engine = read_engine(engines_folder / "thor-driving-transformer-trt10")
    figures = compare([engine, engine]).engines[0].figures
    assert figures.weights_bytes == 12
    assert figures.weights_unknown > 100
    sample = read_engine(SAMPLES / "transformer-trt10-myelin")
    (stated, _) = compare([sample, sample]).engines
    assert stated.figures.weights_bytes == analyze(sample).memory.weights_bytes > 0
    assert stated.figures.weights_unknown == 0


#: What is stated of a difference, and of the same the other way round.
TURNED = {
    "faster": "slower",
    "candidate only": "baseline only",
    "fused": "split",
    "reformats added": "reformats removed",
    "reformats faster": "reformats slower",
    "same layers faster": "same layers slower",
    "−": "+",
    "less": "more",
}
TURNED |= {after: before for before, after in TURNED.items()}


@pytest.mark.parametrize("pair", [(1, 2), (1, 3), (3, 4)])
def test_words_of_either_direction_are_each_others_mirror(engines, pair):
    one, other = pair
    (there,), (back,) = (
        verdict_views(compare([engines[before], engines[after]])) for before, after in (pair, (other, one))
    )
    assert there.way.split(" → ") == back.way.split(" → ")[::-1]
    assert TURNED[there.change[0]] == back.change[0]
    words = re.compile("|".join(sorted(map(re.escape, TURNED), key=len, reverse=True)))
    assert words.sub(lambda found: TURNED[found.group()], there.word) == back.word
    exchanged = re.sub(r"(\S+\sms) → (\S+\sms)", r"\2 → \1", there.why)
    assert words.sub(lambda found: TURNED[found.group()], exchanged) == back.why
