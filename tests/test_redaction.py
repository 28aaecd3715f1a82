"""Redaction: no planted secret is in any output, and the other contents are the same."""

from __future__ import annotations

import dataclasses
import email
import itertools
import json
import re
import shutil
import subprocess
from email import policy
from functools import partial
from typing import get_args

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from redaction_secrets import MARK, PLANTED, secret_files, texts_in

from samples.generator.build_log import one_line_layers, timed_layer, verbose_layers
from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.cli import main
from trexreport.errors import UsageError
from trexreport.model import Source
from trexreport.model.accuracy import AccuracyFormat, AccuracyResults, TensorAccuracy, TuningTrial
from trexreport.model.kernel_counters import CountedKernel
from trexreport.model.kernel_trace import KernelSum, KernelTrace
from trexreport.reader import read_engine
from trexreport.reader.accuracy.read import read_accuracy
from trexreport.reader.accuracy.results_file import read_results_file, write_results
from trexreport.reader.capture import Capture
from trexreport.reader.nsight.nsys_tables import REPORT_NAMES
from trexreport.redaction.capture import redact_capture
from trexreport.redaction.kinds import KINDS, Redaction, parse_redaction
from trexreport.redaction.redactor import Redactor, known_words, pseudonym
from trexreport.renderer.pdf import check_pdf_tools
from trexreport.resources import resource_folder

ALL = Redaction(frozenset(KINDS))
SAMPLES = sorted(path.parent for path in resource_folder("samples").glob("*/*.graph.json"))


def redacted(path, *kinds, key=b""):
    redaction = Redaction(frozenset(kinds or KINDS), key)
    return read_engine(path, change=partial(redact_capture, redaction=redaction))


@pytest.fixture
def secrets(tmp_path):
    files, others = secret_files()
    folder = tmp_path / f"{MARK}folder"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder, others


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        result = CliRunner().invoke(main, [str(each) for each in arguments])
        if result.exit_code not in (0, 1) or (result.exception and result.exit_code != 1):
            raise AssertionError(result.output) from result.exception
        return result

    return run


def leaks(data, others):
    text = texts_in(data)
    found = set(PLANTED.findall(text)) | {each for each in others.values() if each in text}
    for place in re.finditer(MARK, text, re.IGNORECASE):
        found.add(text[max(0, place.start() - 60) : place.end() + 20])
    return found


OUTPUTS = [
    ("report", "-o", "x.html"),
    ("report", "-o", "x.json"),
    ("report", "-o", "x.md"),
    ("draw", "-o", "x.svg"),
    ("draw", "-o", "x.dot"),
    ("export", "-o", "x.csv"),
    ("export", "-o", "x.json"),
    ("export", "-o", "x.xlsx"),
    ("archive", "-o", "x.trexa", "--charts", "static"),
    *(
        ("lint", "--format", kind, "-o", "x")
        for kind in ("text", "json", "sarif", "junit", "markdown", "html", "github")
    ),
]


@pytest.mark.parametrize("arguments", OUTPUTS, ids=" ".join)
def test_nothing_that_was_planted_is_in_an_output(invoke, secrets, tmp_path, arguments):
    folder, others = secrets
    command, *rest = arguments
    invoke(command, folder, *rest, "--redact", "names,paths,host")
    data = (tmp_path / rest[rest.index("-o") + 1]).read_bytes()
    assert not leaks(data, others)


def test_the_planted_words_would_be_found(invoke, secrets, tmp_path):
    folder, others = secrets
    for name in ("x.html", "x.json", "x.md"):
        invoke("report", folder, "-o", name, "--charts", "static")
        assert leaks((tmp_path / name).read_bytes(), others)
    text = texts_in((tmp_path / "x.html").read_bytes())
    assert all(each in text for each in others.values())


def test_nothing_is_printed_either(invoke, secrets):
    folder, others = secrets
    for command in (
        ("summary",),
        ("summary", "--json"),
        ("lint", "-v"),
        ("report", "-o", "-", "--charts", "static"),
    ):
        printed = invoke(command[0], folder, *command[1:], "--redact", "names,paths,host").output
        assert not leaks(printed.encode(), others)


def test_nothing_is_in_a_pdf(invoke, secrets, tmp_path):
    check_pdf_tools()
    folder, others = secrets
    invoke("report", folder, "-o", "x.pdf", "--redact", "names,paths,host")
    assert not leaks((tmp_path / "x.pdf").read_bytes(), others)
    if shutil.which("pdftotext"):
        text = subprocess.run(
            ["pdftotext", "x.pdf", "-"], cwd=tmp_path, capture_output=True, check=True
        ).stdout
        assert b"Convolution" in text
        assert not leaks(text, others)


@pytest.mark.parametrize("captures", [1, 2])
def test_nothing_is_in_a_mail(invoke, secrets, tmp_path, captures):
    folder, others = secrets
    addressed = ("--to", "a@example.com", "--from", "b@example.com", "--attach", "html,md,json")
    invoke("mail", *[folder] * captures, *addressed, "--eml", "x.eml", "--redact", "names,paths,host")
    mail = email.message_from_bytes((tmp_path / "x.eml").read_bytes(), policy=policy.default)
    parts = [part for part in mail.walk() if not part.is_multipart()]
    assert len(parts) == 5
    for part in parts:
        assert not leaks(part.get_payload(decode=True), others)
        assert not leaks(str(part.items()).encode(), others)
    assert not leaks(str(mail.items()).encode(), {})


def test_nothing_is_in_a_table_of_arrow(invoke, secrets, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    folder, others = secrets
    invoke("export", folder, "-o", "x.parquet", "--redact", "names,paths,host")
    table = parquet.read_table(tmp_path / "x.parquet")
    assert table.num_rows == 2
    assert not leaks(json.dumps(table.to_pydict()).encode(), others)


@pytest.mark.parametrize("ending", ["html", "pdf", "md", "json"])
def test_nothing_is_in_a_comparison(invoke, secrets, tmp_path, ending):
    folder, others = secrets
    twin = tmp_path / f"{MARK}twin" / folder.name
    shutil.copytree(folder, twin)
    # Of a run of another build there is a note that names it.
    graph = next(twin.glob("*.graph.json"))
    graph.write_bytes(graph.read_bytes().replace(b"sm80_xmma", b"sm80_cudnn"))
    runs = ("--runs", f"{folder}={twin}")
    invoke("compare", folder, twin, *runs, "-o", f"x.{ending}", "--redact", "names,paths,host")
    assert not leaks((tmp_path / f"x.{ending}").read_bytes(), others)


def test_nothing_of_budget_and_suppressions_is_reported_and_both_still_fit(invoke, secrets, tmp_path):
    folder, others = secrets
    name = read_engine(folder).layers[0].name
    first = name.split("/")[1]
    (tmp_path / "trexreport.toml").write_text(f"""
[budget]
latency-ms = 5
[[budget.part]]
layers = "/{first}/*"
time-ms = 0.001
[[lint.suppress]]
rule = "TRX"
layers = "*{first}*"
reason = "{MARK}reason wants it"
[[lint.suppress]]
rule = "TRX302"
layers = "{MARK}nothing*"
reason = "{MARK}other wants it"
""")
    written = ("-o", "x.json", "-o", "x.md", "-o", "x.sarif", "-o", "x.xml")
    result = invoke("check", folder, "--baseline", folder, *written, "--redact", ",".join(KINDS))
    assert result.exit_code == 1
    assert "Nothing matches" not in result.output
    outputs = [result.output.encode(), *((tmp_path / each).read_bytes() for each in written[1::2])]
    invoke("report", folder, "-o", "x.html", "--charts", "static", "--redact", ",".join(KINDS))
    outputs += [(tmp_path / "x.html").read_bytes()]
    for kind in ("json", "sarif", "markdown"):
        outputs.append(invoke("lint", folder, "--format", kind, "--redact", ",".join(KINDS)).output.encode())
    for data in outputs:
        assert not leaks(data, others)
    plain, hidden = (
        json.loads(invoke("lint", folder, "--format", "json", *more).stdout)["suppressed"]
        for more in ((), ("--redact", ",".join(KINDS)))
    )
    assert len(hidden) == len(plain) > 0


def test_a_redacted_report_gives_back_redacted_files(invoke, secrets, tmp_path):
    folder, others = secrets
    invoke("report", folder, "-o", "x.html", "--charts", "static", "--redact", "names,paths,host")
    invoke("extract", "x.html", "-o", "out")
    found = list((tmp_path / "out").iterdir())
    assert len(found) == len(list(folder.iterdir()))
    for path in found:
        assert not leaks(path.name.encode() + path.read_bytes(), others)


def test_the_report_says_that_it_is_redacted(secrets):
    notes = [note for note in redacted(secrets[0]).notes if note.slug == "redacted"]
    assert [note.message for note in notes] == [
        "Redacted before it was read: names, paths, host. Pseudonyms replace the original texts."
    ]


def test_each_kind_hides_its_own_and_no_more(secrets):
    folder, others = secrets
    plain = read_engine(folder)
    hosts, paths, names = (redacted(folder, kind) for kind in ("host", "paths", "names"))

    def stated(engine):
        return "\n".join(source.data.decode() for source in engine.sources)

    assert not any(each in stated(hosts) for each in others.values())
    assert [layer.name for layer in hosts.layers] == [layer.name for layer in plain.layers]
    assert not re.search(
        rf"[\\/]{MARK}[a-z]*[\\/]", re.sub(r'"(Name|Metadata|name)": ?"[^"]*"', "", stated(paths))
    )
    assert [layer.name for layer in paths.layers] == [layer.name for layer in plain.layers]
    assert others["uuid"] in stated(paths)
    assert not PLANTED.search(stated(names))


def same_but_for_names(value):
    """Return what an analysis says in figures and kinds."""
    if dataclasses.is_dataclass(value):
        return {
            each.name: same_but_for_names(getattr(value, each.name))
            for each in dataclasses.fields(value)
            if each.name
            not in ("identity", "sources", "notes", "commands", "settings", "attributes", "fingerprint")
        }
    if isinstance(value, dict):
        return {str(len(key)) if len(key) > 40 else "": 0 for key in value} and len(value)
    if isinstance(value, (list, tuple)):
        return [same_but_for_names(each) for each in value]
    return None if isinstance(value, str) else value


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_the_analysis_of_a_redacted_sample_is_the_same(sample):
    check_same(sample)


#: One of layers with all that can be reported, one of another version, one of names only.
QUICK_ENGINES = ("a100-resnet18-qat", "orin-bev-trt8.6", "names-only-bert")


@pytest.mark.parametrize("name", QUICK_ENGINES)
def test_the_analysis_of_real_engines_is_the_same(engines_folder, name):
    check_same(engines_folder / name)


@pytest.mark.slow
def test_the_analysis_of_all_real_engines_is_the_same(engines_folder):
    for folder in sorted(each for each in engines_folder.iterdir() if each.is_dir()):
        check_same(folder)


def check_same(path):
    plain, hidden = analyze(read_engine(path)), analyze(redacted(path))
    assert same_but_for_names(hidden) == same_but_for_names(plain)
    for ours, theirs in zip(hidden.layers, plain.layers, strict=True):
        assert (ours.type, ours.subtype, ours.tactic) == (theirs.type, theirs.subtype, theirs.tactic)
        assert (ours.precision, ours.operations) == (theirs.precision, theirs.operations)
    found, known = ([(each.code, each.severity) for each in of.lint.findings] for of in (hidden, plain))
    assert found == known


def figures_of(value):
    """Return a part of a comparison without texts, which may hold names; lists without their order."""
    if dataclasses.is_dataclass(value):
        return [figures_of(getattr(value, each.name)) for each in dataclasses.fields(value)]
    if isinstance(value, list):
        return sorted(map(figures_of, value), key=repr)
    return None if isinstance(value, str) else value


def reported_by(comparison):
    """Return what a comparison says: its verdicts, rows and steps, without names."""
    rows = [
        [([member.index for member in side.members], side.status, side.causes) for side in row.sides]
        for row in comparison.rows
    ]
    engines = [
        {
            "verdict": each.verdict
            and (each.verdict.verdict, each.verdict_metric, each.verdict.median_ratio),
            "obstacles": each.blocking_conditions,
            "figures": each.figures,
            "findings": [
                [(f.code, f.severity, f.places) for f in of]
                for of in (each.new_findings, each.resolved_findings)
            ],
            "steps": [(of.by, figures_of(of.steps)) for of in each.waterfalls],
        }
        for each in comparison.engines
    ]
    conditions = [(each.name, each.differs, each.unknown, each.severity) for each in comparison.conditions]
    shares = [
        sorted(((len(each.names), each.layers, each.times_ms) for each in of), key=repr)
        for of in (comparison.by_operator, comparison.by_module)
    ]
    return {"rows": rows, "engines": engines, "conditions": conditions, "shares": shares}


def check_comparison(*pair):
    plain = compare([read_engine(path) for path in pair], names=["a", "b"])
    hidden = compare([redacted(path, key=b"secret") for path in pair], names=["a", "b"])
    assert reported_by(hidden) == reported_by(plain)


def test_redacted_captures_compare_as_the_plain_ones_do():
    check_comparison(
        *(resource_folder("samples") / f"resnet18-int8-{which}" for which in ("before", "after"))
    )


def test_redacted_engines_compare_as_the_plain_ones_do(engines_folder):
    check_comparison(engines_folder / "names-only-bert", engines_folder / "rtx3060-resnet18-fp16-trt10")


@pytest.mark.slow
def test_all_redacted_engines_compare_as_the_plain_ones_do(engines_folder):
    folders = sorted(each for each in engines_folder.iterdir() if each.is_dir())
    for pair in itertools.pairwise(folders):
        check_comparison(*pair)


def test_redacted_reports_compare_as_redacted_captures_do(invoke):
    pair = [resource_folder("samples") / f"resnet18-int8-{which}" for which in ("before", "after")]
    for path in pair:
        invoke(
            "report", path, "-o", f"{path.name}.html", "--charts", "static", "--redact", "names,paths,host"
        )
    verdicts = [
        json.loads(invoke("compare", *paths, "--format", "json", *redact).stdout)["engines"][1]["verdict"]
        for paths, redact in (
            (pair, ()),
            (pair, ("--redact", "names,paths,host")),
            ([f"{path.name}.html" for path in pair], ()),
        )
    ]
    assert verdicts[0] == verdicts[1] == verdicts[2]


@given(st.text(max_size=40))
def test_redacting_twice_changes_nothing_more(text):
    def once(data):
        capture = Capture("x", (Source("log", "x.log", data),))
        return redact_capture(capture, Redaction(frozenset({"names"}))).sources[0].data

    first = once(text.encode("utf-8", "replace"))
    assert once(first) == first


@given(st.text(st.characters(categories=["L"]), min_size=2, max_size=12))
def test_every_word_that_is_not_known_is_gone(word):
    document = json.dumps({"Layers": [{"Name": f"a/{word}.0/Conv_{word}", "LayerType": "Conv"}]})
    data = redact_capture(Capture("x", (Source("graph", "x", document.encode()),)), ALL).sources[0].data
    name = json.loads(data)["Layers"][0]["Name"]
    assert name.startswith("a/")
    if re.fullmatch("[A-Za-z]?[a-z]+", word) and word.lower() not in known_words():
        assert word not in name.replace("Conv", "")
        left, right = re.fullmatch(r"a/(.+)\.0/Conv_(.+)", name).groups()
        assert left == right


ROLES = ("graph", "profile", "samples", "timing", "metadata", "manifest", "gpu", "log")
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=8), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.sampled_from(ROLES), anything, st.sampled_from([frozenset({kind}) for kind in KINDS] + [ALL.kinds]))
def test_any_document_is_redacted_to_a_document_of_the_same_shape(role, document, kinds):
    data = json.dumps(document).encode()
    capture = Capture("x", (Source(role, "x", data),))
    (source,) = redact_capture(capture, Redaction(kinds)).sources
    if role != "log" and isinstance(document, (dict, list)):
        assert isinstance(json.loads(source.data), type(document))


@given(st.sampled_from(ROLES), st.binary(max_size=60))
def test_any_bytes_are_redacted_somehow(role, data):
    (source,) = redact_capture(Capture("x", (Source(role, "x", data),)), ALL).sources
    source.data.decode("utf-8")


def test_pseudonyms_depend_on_word_and_key_alone():
    assert pseudonym("acme", b"") == pseudonym("acme", b"")
    assert len({pseudonym("acme", b""), pseudonym("acme", b"key"), pseudonym("acne", b"")}) == 3
    assert len(pseudonym("acme", b"k" * 1000)) == 9


def test_a_file_that_is_no_json_is_redacted_as_text():
    broken = (
        b'[{"count": 3}, {"name": "\\u0061cme "quoted"", "timeMs": 1, "averageMs": 1, "percentage": 100}\n]'
    )
    (source,) = redact_capture(Capture("x", (Source("profile", "acme.profile.json", broken),)), ALL).sources
    assert b"acme" not in source.data
    assert b"\\u0061" not in source.data
    assert source.name.endswith(".profile.json")
    assert b'"timeMs": 1' in source.data


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("TensorRT version: 10.16.1.11", True),
        ("connect to 10.16.1.11", False),
        ("/usr/src/tensorrt/bin/trtexec", True),
        ("GPU/CPU memory", True),
        ("/home/anna smith/acme.onnx", False),
        (r"C:\Users\anna\x.onnx", False),
        (r"\\acmebox\share\x.onnx", False),
        ("~anna/x.onnx", False),
        ("anna@gpubox", False),
        ("fe80::1ff:fe23:4567:890a anna@x", False),
        ("2580ec36-5574-ddc7-4615-63d57b5969e2 anna@x", False),
        ("Serial Number     : 1322421015234 anna@x", False),
        ("HOSTNAME=anna7", False),
        ("[I] Host Latency: min = 1.2 ms, 12:30:45", True),
        ("cask::d4::kernel std::a1::b", True),
        ("0000:65:00.0 aa:bb:cc:dd:ee:ff", False),
    ],
)
def test_what_is_a_path_or_an_address(text, shown):
    capture = Capture("x", (Source("log", "x.log", text.encode()),))
    redaction = Redaction(frozenset({"paths", "host"}))
    data = redact_capture(capture, redaction).sources[0].data.decode()
    assert (data == text) == shown
    assert shown or not re.search(
        r"anna|acme|gpubox|10\.16|server|65:00|aa:bb|4567|5574|1322", data.replace("acme.onnx", "")
    )


def redacted_texts(kinds, **files):
    sources = [Source(role, role, text.encode()) for role, text in files.items()]
    found = redact_capture(Capture("x", tuple(sources)), Redaction(frozenset(kinds)))
    return [source.data.decode() for source in found.sources]


def test_addresses_are_paths():
    (text,) = redacted_texts({"paths"}, log="see https://example.com/x?token=secret now")
    assert re.fullmatch(r"see q[a-z]{8} now", text)


def test_a_short_name_of_a_machine_is_hidden_where_it_is_stated():
    document = {"gpu": {"uuid": "ab", "name": "NVIDIA A100"}, "system": {"platform": "os", "hostname": "db"}}
    (text,) = redacted_texts({"host"}, manifest=json.dumps(document))
    found = json.loads(text)
    assert found["gpu"]["name"] == "NVIDIA A100"
    assert re.fullmatch(r"q[a-z]{8}", found["gpu"]["uuid"])
    assert re.fullmatch(r"q[a-z]{8}", found["system"]["hostname"])
    assert re.fullmatch(r"q[a-z]{8}", found["system"]["platform"])


def test_the_longest_name_of_a_machine_counts():
    """Else the domain would be left where one name begins another."""
    document = {"system": {"hostname": "zeus"}, "remote": {"hostname": "zeus.acme.example"}}
    _, log = redacted_texts({"host"}, manifest=json.dumps(document), log="on zeus.acme.example and zeus")
    assert re.fullmatch(r"on (q[a-z]{8}) and (?!\1)q[a-z]{8}", log)


def test_a_name_of_two_letters_is_hidden_only_where_it_is_stated():
    """It may be a part of any word's surroundings: an ordinary word."""
    log = "zk to /home/zk/x"
    _, text = redacted_texts({"host"}, manifest=json.dumps({"system": {"hostname": "zk"}}), log=log)
    assert text.startswith("zk to ")


def test_a_layer_in_a_log_is_no_path():
    graph = json.dumps({"Layers": [{"Name": "/acme/stem/Conv", "LayerType": "Conv"}]})
    _, text = redacted_texts(
        {"paths"}, graph=graph, log="/acme/stem/Conv is slow, /acme/models/x.onnx is not"
    )
    assert re.fullmatch(r"/acme/stem/Conv is slow, /q[a-z]{8}/x\.onnx is not", text)


def test_numbers_that_identify_a_machine_are_hidden_too():
    document = {"gpu": {"Serial": 13224, "serial_number": "13225", "bus": 7}, "runs": [{"pid": 4711}]}
    (text,) = redacted_texts({"host"}, manifest=json.dumps(document))
    found = json.loads(text)
    assert found["gpu"]["Serial"] == found["runs"][0]["pid"] == 0
    assert found["gpu"]["bus"] == 7
    assert "13225" not in text


def test_hashes_are_hidden_as_a_whole():
    digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    for kind in ("names", "host"):
        (text,) = redacted_texts({kind}, manifest=json.dumps({"source": {"sha256": digest}}))
        assert re.fullmatch("q[a-z]{8}", json.loads(text)["source"]["sha256"])


@pytest.mark.parametrize("name", ["[trainStation1]", "copied_reshape_node_of_3", "BatchedNMS_TRT"])
def test_names_of_tensorrt_s_own_layers_stay(name):
    graph = json.dumps({"Layers": [{"Name": name, "LayerType": "Signal"}]})
    (text,) = redacted_texts({"names"}, graph=graph)
    assert json.loads(text)["Layers"][0]["Name"] == name


def test_what_to_redact(monkeypatch):
    monkeypatch.delenv("TREXREPORT_REDACTION_KEY", raising=False)
    assert parse_redaction("names, host") == Redaction(frozenset({"names", "host"}))
    monkeypatch.setenv("TREXREPORT_REDACTION_KEY", "k")
    assert parse_redaction("paths").key == b"k"
    for wrong in ("", " , ", "names,faces"):
        with pytest.raises(UsageError, match="Known: names, paths, host"):
            parse_redaction(wrong)


def test_the_words_that_stay_are_plain_and_none_looks_like_a_pseudonym():
    words = known_words()
    assert {"conv", "relu", "softmax", "tensorrt", "nvidia", "reformat"} <= words
    assert all(re.fullmatch(r"[a-z]{2,}", word) for word in words)
    assert not {"resnet", "bert", "llama", "yolo", "acme"} & words


def test_the_words_of_own_formats_stay():
    types = (AccuracyResults, TensorAccuracy, TuningTrial, KernelTrace, CountedKernel)
    keys = {each.name for kind in types for each in dataclasses.fields(kind)} | {*get_args(AccuracyFormat)}
    # Reports of Nsight Systems are named in a trace.
    keys |= {each.name for each in dataclasses.fields(KernelSum)} | set(REPORT_NAMES.values())
    redactor = Redactor(ALL, ())
    assert {key for key in keys if redactor.text(key, "accuracy") != key} == set()


@pytest.mark.parametrize(
    "data",
    [
        b'{"zorblax": 0.5, "zorb": NaN}',
        b'{"tuner_version": "1"}\n{"crash": true}\n{"gpu_time": 2, "accuracy_loss": {"z": 1}}',
    ],
)
def test_accuracy_is_the_same_when_it_is_redacted(data):
    results, _ = read_accuracy("a.json", data)
    source = Source("accuracy", "a.accuracy.json", write_results(results))
    capture = redact_capture(Capture("x", (source,)), ALL)
    found = read_results_file(capture.sources[0].data.decode(), "a")[0]

    def figures(accuracy):
        tensors = [dataclasses.replace(each, name="") for each in accuracy.tensors]
        return (
            accuracy.format,
            tensors,
            [(each.gpu_time_ms, *each.losses.values()) for each in accuracy.trials],
        )

    assert figures(found) == figures(results)
    assert b"zorb" not in capture.sources[0].data


@pytest.mark.parametrize("version", ["8.4", "10"])
def test_what_a_redacted_log_lists_is_what_it_listed(version, tmp_path):
    layers = [
        {
            "Name": "zorblax + relu",
            "LayerType": "CaskConvolution",
            "Inputs": [{"Name": "zorbin", "Dimensions": [1, 8, 8, 8], "Format/Datatype": "Half"}],
            "Outputs": [{"Name": "zorbout", "Dimensions": [1, 8, 8, 8], "Format/Datatype": "Half"}],
            "TacticValue": "0x0a",
        }
    ]
    formats = {
        "Half(64,1:8,8,1) -> Half(64,1:8,8,1)": [("sm80_xmma_fprop", "0x0a", 0.02), ("", "0x0b", 0.03)]
    }
    graph = {"Layers": layers, "Bindings": ["zorbin", "zorbout"]}
    lines = timed_layer("zorblax + relu", "CaskConvolution", formats, version)
    lines += verbose_layers(graph, "8.6") if version == "8.4" else one_line_layers(graph)
    (tmp_path / "m.build.log").write_text("\n".join(lines))
    plain = analyze(read_engine(tmp_path / "m.build.log"))
    hidden = analyze(redacted(tmp_path / "m.build.log", "names"))
    assert hidden.layers[0].name != plain.layers[0].name
    found, expected = hidden.tactics.layers[0], plain.tactics.layers[0]
    assert (found.layer, found.chosen_ms, found.margin_percent) == (0, 0.02, expected.margin_percent)
    assert [each.outcome for each in found.formats] == [each.outcome for each in expected.formats]
