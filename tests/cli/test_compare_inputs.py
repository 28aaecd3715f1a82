"""`trexreport compare`: every input gives a comparison or a one-line error."""

from __future__ import annotations

import json
import random
import re
import shutil
import zipfile
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
BEFORE = SAMPLES / "resnet18-int8-before"


def layers(names, kind="Conv"):
    return {"Layers": [{"Name": name, "LayerType": kind, "Inputs": [], "Outputs": []} for name in names]}


def times(names, time_ms=1.0):
    rows = [{"name": name, "timeMs": 9 * time_ms, "averageMs": time_ms} for name in names]
    return [{"count": 9}, *rows]


def queries(level_ms, seed=1, count=300):
    dice = random.Random(seed)
    latencies = [level_ms * dice.uniform(0.99, 1.01) for _ in range(count)]
    return [{"latencyMs": each, "computeMs": each} for each in latencies]


@pytest.fixture
def write(tmp_path):
    """Return a function that writes files of a capture to a folder of this name and returns its path."""

    def write(folder, **contents):
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        for role, content in contents.items():
            (place / f"x.{role.replace('_', '.')}.json").write_text(json.dumps(content), "utf-8")
        return str(place)

    return write


@pytest.fixture
def compared(run):
    """Return a function that runs the command and returns the comparison as JSON."""
    return lambda *arguments: json.loads(run("compare", *arguments, "--format", "json").stdout)


def verdicts(comparison):
    return [engine["verdict"]["verdict"] for engine in comparison["engines"][1:]]


@pytest.fixture
def carriers(run, tmp_path):
    """A capture as a folder, as an archive and as a report."""
    archive, page = tmp_path / "x.tea", tmp_path / "report.html"
    with zipfile.ZipFile(archive, "w") as members:
        for path in BEFORE.iterdir():
            members.write(path, path.name)
    run("report", BEFORE, "-o", page, "--charts", "static")
    return str(BEFORE), str(archive), str(page)


def test_captures_archives_and_reports_may_be_mixed(compared, carriers):
    comparison = compared(*carriers, SAMPLES / "resnet18-int8-after")
    assert verdicts(comparison) == ["no-change", "no-change", "faster"]
    assert [engine["notes"] for engine in comparison["engines"]] == [[], [], [], []]


def test_a_report_that_was_edited_is_stated_to_be(run, carriers, tmp_path):
    page = Path(carriers[2])
    text = page.read_text("utf-8")
    (manifest,) = re.findall(r'id="trexreport-inputs">(.*?)</script>', text, re.DOTALL)
    digest = json.loads(manifest)["files"][0]["sha256"]
    page.write_text(text.replace(digest, "0" * 64), "utf-8")
    result = run("compare", *carriers)
    stated = "json in report.html is not what was embedded: its hash does not fit."
    assert stated in result.stderr
    assert stated in result.stdout
    edited = json.loads(run("compare", *carriers, "--format", "json").stdout)["engines"][2]
    # The file does not fit its hash, nor the list that of the list.
    assert [note["slug"] for note in edited["notes"]] == ["report-edited"] * 2


def test_a_damaged_report_is_one_line(run, carriers):
    page = Path(carriers[2])
    page.write_text(re.sub(r'(id="trexreport-input-0">.{40}).', r"\1!!", page.read_text("utf-8")), "utf-8")
    assert re.fullmatch(r".*report\.html is a damaged report.*\n", run("compare", *carriers, code=3).stderr)


@pytest.mark.parametrize("carrier", [1, 2])
@pytest.mark.parametrize("as_run", [False, True])
def test_a_carrier_is_not_overwritten_by_what_carries_nothing(run, carriers, tmp_path, carrier, as_run):
    place = Path(carriers[carrier])
    whole = place.read_bytes()
    link = tmp_path / "link.html"
    link.symlink_to(place)
    paths = [BEFORE, SAMPLES / "resnet18-int8-after", "--runs", f"1={place}"] if as_run else [place, BEFORE]
    for output in (place, link):
        result = run("compare", *paths, "-o", output, "--format", "html", "--force", code=2)
        assert "is one of the input files" in result.stderr
        assert place.read_bytes() == whole


def test_an_empty_path_is_not_the_current_folder(run, monkeypatch):
    monkeypatch.chdir(BEFORE)
    assert run("compare", "", BEFORE, code=3).stderr.startswith("Error: One of the paths is empty.")


def test_the_same_engine_twice_is_the_same(compared, write):
    one = write("one", graph=layers(["a", "b"]), profile=times(["a", "b"]))
    for pair in ((one, one), (one, shutil.copytree(one, f"{one}-copy"))):
        assert verdicts(compared(*pair)) == ["no-change"]


def test_engines_that_share_nothing_get_no_verdict(run, write):
    convolutions, sums = ["/x/Conv", "/y/Conv"], ["/a/Add", "/b/Add", "/c/Add"]
    one = write("one", graph=layers(convolutions), profile=times(convolutions, 1.0))
    other = write("other", graph=layers(sums, "ElementWise"), profile=times(sums, 9.0))
    reported = run("compare", one, other).stdout
    assert re.search(r"^\*\*Verdict: inconclusive in .*\*\*$\n\nDifferent models: ", reported, re.MULTILINE)


def test_an_engine_without_a_profile_is_compared_in_structure(compared, write):
    one = write("one", graph=layers(["a", "b"]), profile=times(["a", "b"]))
    other = write("other", graph=layers(["a", "b"]))
    comparison = compared(one, other)
    assert verdicts(comparison) == ["inconclusive"]
    assert comparison["engines"][1]["no_waterfalls"]
    assert [side["changes"] for row in comparison["rows"] for side in row["sides"]] == [[]] * 4
    assert "no-profile" in [note["slug"] for note in comparison["engines"][1]["notes"]]


def test_names_alone_are_compared(compared, write):
    names = ["conv1 + relu1", "pool", "fc"]
    one = write("one", graph={"Layers": names}, profile=times(names, 1.0))
    other = write("other", graph={"Layers": [*names[:2], "fc2"]}, profile=times([*names[:2], "fc2"], 2.0))
    comparison = compared(one, other)
    assert verdicts(comparison) == ["slower"]
    assert "names-only" in [note["slug"] for note in comparison["engines"][0]["notes"]]


def test_times_without_layers_are_compared(compared, write):
    one, other = (write(f"{level}", timing=queries(level)) for level in (1.0, 2.0))
    comparison = compared(one, other)
    assert verdicts(comparison) == ["slower"]
    assert comparison["rows"] == []


def test_fifty_engines_at_once(compared, write):
    names = [f"/layer{at}/Conv" for at in range(6)]
    paths = [
        write(f"e{at}", graph=layers(names[at % 3 :]), profile=times(names[at % 3 :], 1 + at))
        for at in range(50)
    ]
    comparison = compared(*paths)
    assert len(comparison["engines"]) == 50
    assert set(verdicts(comparison)) == {"slower"}
    assert [len(row["sides"]) for row in comparison["rows"]] == [50] * len(names)


def test_optimization_profiles_are_reported_apart(compared, write):
    graph = layers(["conv", "conv [profile 1]"])
    first = write("first", graph=graph, profile=times(["conv"], 1.0))
    second = write("second", graph=graph, profile=times(["conv [profile 1]"], 2.0))
    comparison = compared(first, second)
    (condition,) = (each for each in comparison["conditions"] if each["name"] == "optimization profile")
    assert (condition["values"], condition["differs"]) == (["0", "1"], True)
    assert verdicts(comparison) == ["slower"]
    assert len(comparison["rows"]) == 1


def test_what_the_collector_wrote_down_of_the_gpu_is_compared(compared, run, write):
    def collected(name, driver, clock_mhz):
        gpu = {"name": "NVIDIA L4", "driver": driver, "power_limit_w": 72.0}
        manifest = {"schema": "trexreport-capture", "schema_version": 1, "complete": True, "gpu": gpu}
        samples = {"time_s": [0.0, 0.1, 0.2], "sm_clock_mhz": [clock_mhz] * 3}
        watched = {"schema": "trexreport-gpu-samples", "schema_version": 1, "samples": samples, "gpu": gpu}
        return write(name, graph=layers(["a"]), timing=queries(1.0), capture=manifest, gpu=watched)

    def reported(*pair):
        return {each["name"]: each["values"] for each in compared(*pair)["conditions"]}

    one, other = collected("one", "550.54", 2040.0), collected("other", "560.1", 1500.0)
    found = reported(one, other)
    assert found["driver"] == ["550.54", "560.1"]
    assert found["power limit"] == ["72 W", "72 W"]
    assert found["clock while measured"] == ["2,040\u00a0MHz", "1,500\u00a0MHz"]
    assert "| driver | 550.54 → 560.1 | may explain a difference |" in run("compare", one, other).stdout
    for name in ("one", "other"):
        Path(name, "x.gpu.json").unlink()
    assert reported(one, other)["driver"] == ["550.54", "560.1"]


def test_models_that_have_nothing_to_do_with_each_other(run, engines_folder):
    bert, resnet = (engines_folder / name for name in ("names-only-bert", "a100-resnet18-fp16"))
    for pair in ((bert, resnet), (resnet, bert)):
        verdict = json.loads(run("compare", *pair, "--format", "json").stdout)["engines"][1]["verdict"]
        assert verdict["verdict"] == "inconclusive"
        assert verdict["sentences"][0].startswith("Different models: ")


def runs_of(write, name, *levels):
    """Write a capture with a run of each level."""
    files = {f"timing_{at}" if at > 1 else "timing": queries(level, at) for at, level in enumerate(levels, 1)}
    return write(name, graph=layers(["a"]), **files)


def test_engines_of_one_name_are_reported_apart_by_their_folders(compared, write):
    one, other = (write(name, graph=layers(["a"])) for name in ("one", "other"))
    files = [f"{each}/x.graph.json" for each in (one, other)]
    for paths in ((one, other), files):
        assert [engine["name"] for engine in compared(*paths)["engines"]] == ["x (one)", "x (other)"]
    several = [engine["name"] for engine in compared(one, other, one, files[1])["engines"]]
    assert several == ["x (one)", "x (other)", "x (one) (2)", "x (x.graph.json)"]
    assert [engine["name"] for engine in compared(one, one)["engines"]] == ["x", "x (2)"]


def test_numbered_timing_files_are_runs(compared, write):
    one, other = runs_of(write, "one", 1.0, 1.1, 0.9), runs_of(write, "other", 1.05, 1.12, 0.95)
    verdict = compared(one, other)["engines"][1]["verdict"]
    assert (verdict["verdict"], verdict["baseline"]["runs"]) == ("inconclusive", 3)
    assert verdict["run_spread_percent"] > 5


def test_runs_may_be_captures_of_their_own(compared, run, write):
    one, other = runs_of(write, "one", 1.0), runs_of(write, "other", 1.05)
    more = [runs_of(write, f"one,{level}", level) for level in (1.1, 0.9)]
    alone = [write(f"times{level}", timing=queries(level)) for level in (1.12, 0.95)]
    found = [
        compared(one, other, "--runs", f"{one}={more[0]}", "--runs", f"1={more[1]}", "--runs", given)
        for given in (f"{other}={alone[0]},{alone[1]}", f"2={alone[0]}/x.timing.json,{alone[1]}")
    ]
    assert found[0] == found[1]
    verdict = found[0]["engines"][1]["verdict"]
    assert (verdict["baseline"]["runs"], verdict["candidate"]["runs"]) == (3, 3)


@pytest.mark.parametrize(
    ("option", "code", "says"),
    [
        ("three", 2, "--runs: 'three' does not begin with one of the compared captures."),
        ("3=one", 2, "does not begin with one of the compared captures."),
        ("1=", 2, "names no further run"),
        ("1=nowhere", 3, "nowhere does not exist"),
        ("1=plain", 3, "holds no times of queries"),
        ("1=stranger", 3, "stranger is not a further run of x: of its layers 0 are those of the engine"),
    ],
)
def test_what_is_no_run_is_stated_in_a_line(run, write, option, code, says):
    one, other = runs_of(write, "one", 1.0), runs_of(write, "other", 1.05)
    write("plain", graph=layers(["a"]))
    write("stranger", graph=layers(["z"]), timing=queries(1.0))
    stderr = run("compare", one, other, "--runs", option, code=code).stderr
    assert says in stderr
    assert len(stderr.splitlines()) == 1


def test_what_is_no_engine_is_a_baseline_too(compared, run, tmp_path):
    Path("eager.csv").write_text("latency_ms\n" + "\n".join(str(12 + at % 7 / 100) for at in range(100)))
    options = ("--baseline-latency", "PyTorch eager=eager.csv", "--baseline-latency", "ORT=0.9ms")
    eager, runtime = compared(BEFORE, *options)["external_latencies"]
    assert (eager["name"], eager["verdicts"][0]["verdict"]) == ("PyTorch eager", "faster")
    assert (eager["times"]["iterations"], runtime["times"]["iterations"]) == (100, 0)
    assert eager["speedups"][0] == pytest.approx(15, rel=0.05)
    text = run("compare", BEFORE, *options).stdout
    assert "## resnet18-int8-before vs. PyTorch eager, ORT" in text
    for name, median in (("resnet18-int8-before", "0.798"), ("PyTorch eager", "12.0"), ("ORT", "0.900")):
        assert f"| {name} | {median}\u00a0ms | " in text
    assert re.search(
        r"- \*\*resnet18-int8-before vs\. ORT: faster \(provisional\) in latency\.\*\* ×1.13 as fast", text
    )


@pytest.mark.parametrize(
    ("option", "code", "says"),
    [
        ("PyTorch", 2, "'PyTorch' is not a latency."),
        ("PyTorch=12", 2, "the unit is missing"),
        ("PyTorch=x.csv", 3, "x.csv does not exist"),
    ],
)
def test_what_is_no_latency_is_stated_in_a_line(run, option, code, says):
    stderr = run("compare", BEFORE, "--baseline-latency", option, code=code).stderr
    assert says in stderr
    assert len(stderr.splitlines()) == 1


def test_a_file_of_latencies_is_not_overwritten(run):
    Path("x.json").write_text('{"latency_ms": [1, 2]}')
    arguments = ("compare", BEFORE, "--baseline-latency", "a=x.json", "-o", "x.json", "--force")
    assert "is one of the input files" in run(*arguments, code=2).stderr
    assert Path("x.json").read_text() == '{"latency_ms": [1, 2]}'


def test_names_of_latencies_are_text_and_nothing_else(run):
    text = run("compare", BEFORE, "--baseline-latency", "<b>|\n# x=9ms").stdout
    assert "<b>" not in text
    assert "\n# x" not in text
