"""What the README and docs say works: commands with their output, settings, code, links, names."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

import trexreport
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.verdict_spread import spread_between
from trexreport.analyzer.rules.registry import all_rules
from trexreport.cli import main
from trexreport.configuration import read_configuration
from trexreport.pipeline import settings
from trexreport.renderer.layer_columns import LAYER_COLUMNS, OTHER_TEXT_TERMS
from trexreport.wording.shares import percent

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EXAMPLE = DOCS / "example-rules"
SAMPLE = "samples/resnet18-int8-before"
MODELS = "samples/models"
DOCUMENTS = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (*sorted(ROOT.glob("*.md")), ROOT / "samples" / "README.md", *sorted(DOCS.rglob("*.md")))
}
README = DOCUMENTS["README.md"]
#: The limits that `trexreport check` goes by on all pages.
BUDGET = re.findall(r"^```toml\n(.*?)^```", DOCUMENTS["docs/budgets.md"], re.DOTALL | re.MULTILINE)[0]
#: What `sh` blocks may call besides trexreport; it is checked otherwise, or is the system's.
OTHER_PROGRAMS = {"make", "pip", "python", "python3", ".", "trtexec", "eval", "mkdir", "polygraphy"} | {
    "docker",
    "pipx",
    "rattler-build",
    "uv",
}


def blocks(text, language=r"\w*"):
    """Return the (language, content) of each fenced block, without the indentation of a list."""
    found = re.findall(rf"^( *)```({language})\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE)
    return [(kind, re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)) for indent, kind, body in found]


def commands(text):
    """Return each command of trexreport in a page with the output that is shown, or None."""
    found = []
    for kind, body in blocks(text):
        if kind == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output or None))
        elif kind in {"sh", "yaml"}:
            found += [
                (command, None)
                for command in re.findall(r"^[ \-]*(?:run: )?(trexreport .*)$", body, re.MULTILINE)
            ]
    return found + [
        (command, None) for command in re.findall(r"^\| `(trexreport [^`]*)`", text, re.MULTILINE)
    ]


#: What a log has of a run, where there are several.
RUN = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=a.plan
[01/02/2026-10:00:00] [I] === Performance summary ===
[01/02/2026-10:00:00] [I] Throughput: {qps} qps
&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=a.plan
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    arguments = ["report", str(ROOT / SAMPLE), "-o", str(path), "--charts", "static", "--isolated"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    return path


def write_trace(path):
    """Write an export of Nsight Systems, apart from the captures, which would take it."""
    samples = str(ROOT / "samples")
    if samples not in sys.path:
        sys.path.insert(0, samples)
    from generator.nsys import NsysExport, TracedKernel, traced_queries

    export = NsysExport()
    traced_queries(export, [TracedKernel("conv1", "a_kernel", 5_000)], 3)
    path.parent.mkdir()
    export.write(path)


@pytest.fixture
def workplace(tmp_path, monkeypatch, report):
    """A folder with the files that the documentation speaks of, and the example's rules installed."""
    monkeypatch.chdir(tmp_path)
    for sample in (SAMPLE, "samples/resnet18-int8-after", MODELS, "samples/accuracy", "samples/kernels"):
        shutil.copytree(ROOT / sample, tmp_path / sample)
    shutil.copy(report, tmp_path)
    for source in (ROOT / SAMPLE).iterdir():
        role = source.name.removeprefix("resnet18-int8-before.engine")
        for folder in (
            ".",
            "PATH",
            "folder",
            "capture",
            "captures",
            "yesterday",
            "today",
            "again",
            "prefill",
            "decode",
        ):
            (tmp_path / folder).mkdir(exist_ok=True)
            shutil.copy(source, tmp_path / folder / f"X{role}")
    for folder in ("old-phases", "new-phases"):
        shutil.copytree(tmp_path / "PATH", tmp_path / folder / "decode")
        listed = {"phases": [{"name": "decode", "path": "decode"}], "schema_version": 1}
        text = json.dumps({"schema": "trexreport-phases", **listed})
        (tmp_path / folder / "trexreport-phases.json").write_text(text)
    for name in ("model.onnx", "MODEL.onnx"):
        shutil.copy(ROOT / MODELS / "resnet18-int8-before.onnx", tmp_path / name)
    (tmp_path / "resnet18.engine").write_text("an engine")
    statistics = {"name": "x", "statistics": {"min": 0.0, "max": 1.0}}
    for name in ("fp16.json", "fp32.json"):
        (tmp_path / name).write_text(json.dumps({"tensors": [statistics]}))
    (tmp_path / "accuracy.json").write_text('{"measure": "snr_db", "tensors": {"x": 41.5}}')
    write_trace(tmp_path / "kernels" / "model.sqlite")
    (tmp_path / "all.log").write_text("".join(RUN.format(qps=qps) for qps in (5, 6)))
    monkeypatch.setenv("TREXREPORT_SMTP", "mail.example.com")
    monkeypatch.setenv("TREXREPORT_MAIL_FROM", "ci@example.com")
    monkeypatch.setattr("trexreport.mail.delivery.deliver", lambda *_, **__: None)
    install_doubles(tmp_path / "programs", monkeypatch)
    (tmp_path / "trexreport.toml").write_text(BUDGET)
    install_example(tmp_path / "packages", monkeypatch)
    return tmp_path


def install_doubles(folder, monkeypatch):
    """Put the double of trtexec on PATH, with a docker and an ssh that run it here."""
    double = ROOT / "tests" / "collector" / "trtexec_double.py"
    there = 'while [ "$1" != trtexec ]; do shift; done; exec "$@"'
    programs = {"trtexec": f'exec "{sys.executable}" "{double}" "$@"', "docker": there, "ssh": there}
    folder.mkdir()
    for name, line in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def install_example(folder, monkeypatch):
    """Put the example's rules where Python finds them, as pip would."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    ((name, module),) = project["entry-points"]["trexreport.rules"].items()
    metadata = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir(parents=True)
    shutil.copy(EXAMPLE / f"{module}.py", folder)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (metadata / "entry_points.txt").write_text(f"[trexreport.rules]\n{name} = {module}\n")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, module, raising=False)
    # What is found now must not stay for other tests.
    monkeypatch.setattr(settings, "_installed_rules", all_rules)
    importlib.invalidate_caches()


def invoked(arguments):
    """Run a command, in a thread of its own where a browser of other tests has an event loop in this one."""
    with suppress(RuntimeError):
        asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(CliRunner().invoke, main, arguments).result()
    return CliRunner().invoke(main, arguments)


def run(command):
    # A script's own arguments, of which there are none at first.
    line, _, target = re.sub(r"\s*>>?\s*(?=[^>]*$)", "\0", command.replace('"$@"', "")).partition("\0")
    target = target.partition(" #")[0].strip()
    words = shlex.split(line, comments=True)
    if words[0] == "python":
        ran = subprocess.run(
            [sys.executable, *words[1:]], capture_output=True, text=True, check=True, timeout=60
        )
        return ran.stdout.splitlines()
    assert words[0] == "trexreport"
    result = invoked(words[1:])
    if target and "$" not in target:
        Path(target).write_text(result.stdout, encoding="utf-8")
    # A job may fail for what lint finds, if it is asked to, and for a broken budget.
    allowed = {0, 1} if "--fail-on warning" in command or words[1] == "check" else {0}
    assert result.exit_code in allowed, f"{command}: {result.output}"
    return [plain(line) for line in result.output.splitlines()]


def plain(line):
    """Return a line with ordinary spaces only, as a copy from a terminal may have."""
    return re.sub(r"\s", " ", line).rstrip()


def shows(output, shown):
    """Return whether the output begins as shown; a line with only "…" leaves out what follows."""
    lines = [plain(line) for line in shown.rstrip().splitlines()]
    cut = lines.index("…") if "…" in lines else len(lines)
    assert all(line == "…" for line in lines[cut:])
    return output[:cut] == lines[:cut] and ("…" in lines or not any(output[cut:]))


#: The pages that a newcomer follows; the commands of the others take a minute.
FIRST_PAGES = ("README.md", "docs/first-report.md")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[] if page in FIRST_PAGES else pytest.mark.slow)
        for page, text in DOCUMENTS.items()
        if commands(text)
    ],
)
def test_every_command_works_and_prints_the_shown_output(page, workplace):
    shown_commands = commands(DOCUMENTS[page])
    assert shown_commands
    for command, shown in shown_commands:
        output = run(command)
        if shown is not None:
            assert shows(output, shown), f"{command} prints:\n" + "\n".join(output)


def test_the_readme_is_read_in_one_go():
    assert len(README.splitlines()) <= 150


def test_the_readme_has_every_command():
    assert {command.split()[1] for command, _ in commands(README)} == set(main.commands)


def test_no_block_is_of_a_kind_that_nothing_checks():
    checked = {"console", "sh", "yaml", "python", "toml", "json", "text"}
    assert DOCUMENTS
    for page, text in DOCUMENTS.items():
        assert {kind for kind, _ in blocks(text)} <= checked, page
        assert text.count("```") == 2 * len(blocks(text)), page
        for _, body in blocks(text, "sh"):
            lines = re.sub(r"^[A-Z_]+=\S+ ", "", body.replace("\\\n", " "), flags=re.MULTILINE).splitlines()
            called = {line.split()[0] for line in lines if line.strip()}
            assert called <= OTHER_PROGRAMS | {"trexreport"}, page


def test_the_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^make (\w+)|`make (\w+)`", "\n".join(DOCUMENTS.values()), re.MULTILINE)
    assert targets
    for target in map("".join, targets):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_make_replaces_an_unfinished_environment(tmp_path):
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    # As Debian's python3 does without python3-venv.
    unfinished = tmp_path / "python"
    unfinished.write_text('#!/bin/sh\nmkdir -p "$3/bin" && echo > "$3/bin/python"\nexit 1\n')
    unfinished.chmod(0o755)
    made = subprocess.run(
        ["make", "demo", f"PYTHON={unfinished}"], cwd=tmp_path, capture_output=True, check=False, timeout=60
    )
    assert made.returncode == 2
    assert (tmp_path / ".venv" / "bin").is_dir()
    assert not (tmp_path / ".venv" / "bin" / "python").exists()


def test_what_pip_installs_exists():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    found = re.findall(
        r"pip install '?(\.|docs/[\w-]+|trexreport)(?:\[([\w,]+)\])?", "\n".join(DOCUMENTS.values())
    )
    assert found
    for target, names in found:
        assert target == "trexreport" or (ROOT / target / "pyproject.toml").exists()
        assert set(filter(None, names.split(","))) <= set(extras)


def test_the_python_works(workplace):
    pages = {page for page, text in DOCUMENTS.items() if blocks(text, "python")}
    assert pages >= {"README.md", "docs/comparing.md", "docs/python.md", "docs/from-trex.md"}
    for page in sorted(pages - {"docs/writing-rules.md"}):  # whose blocks are parts of the example
        for _, block in blocks(DOCUMENTS[page], "python"):
            exec(compile(block, page, "exec"), {})  # noqa: S102 - our own pages
    engine = trexreport.load("folder")
    expressions = re.findall(r"`(trexreport\.\w+\(.*?\))`", README)
    assert len(expressions) == 2
    for expression in expressions:
        names = {"trexreport": trexreport, "engine": engine, "other": engine}
        assert "<iframe" in eval(expression, names)._repr_html_()  # noqa: S307 - our own README


@pytest.mark.parametrize(
    ("section", "version"),
    [("8.6 to 10", "8.6"), ("8.6 to 10", "10.3"), ("8.4 and 8.5", "8.5"), ("11", "11.1")],
)
def test_the_commands_of_trtexec_make_a_capture(section, version, workplace, monkeypatch):
    monkeypatch.setenv("TRTEXEC_DOUBLE", json.dumps({"version": version}))
    texts = dict(
        re.findall(
            r"^## TensorRT (.*?)\n(.*?)(?=^## )", DOCUMENTS["docs/inputs.md"], re.DOTALL | re.MULTILINE
        )
    )
    ((_, block),) = blocks(texts[section], "sh")
    subprocess.run(["sh", "-e"], input=block, text=True, check=True, timeout=120)
    if "--loadEngine" in block:
        engine = trexreport.load("model.engine.graph.json")
        assert {source.role for source in engine.sources} >= {"graph", "profile", "timing", "log"}
        assert any(layer.time for layer in engine.layers)


def test_the_scripts_run(tmp_path):
    ((_, block),) = blocks(DOCUMENTS["samples/README.md"], "sh")
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert commands[0] == ["python", "samples/make_samples.py"]  # tests/samples runs it
    assert len(commands) > 2
    for number, (_, *words) in enumerate(commands[1:]):
        folder = tmp_path / str(number)
        arguments = [str(folder) if word == "FOLDER" else word for word in words]
        subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True, timeout=120)
        assert list(folder.rglob("*.graph.json"))


@pytest.mark.parametrize(
    ("page", "block"), [(page, body) for page, text in DOCUMENTS.items() for _, body in blocks(text, "toml")]
)
def test_the_settings_are_understood(page, block, workplace):
    if block.startswith("[project.entry-points"):
        assert block in (EXAMPLE / "pyproject.toml").read_text()
        return
    (workplace / "trexreport.toml").unlink()
    (workplace / ("pyproject.toml" if "[tool." in block else "trexreport.toml")).write_text(block)
    found = read_configuration()
    assert found.lint or found.gpus or found.comparison or found.budget
    run("trexreport lint PATH --fail-on never")
    if found.budget:
        is_of_phases = {"phase", "total"} & set(found.budget)
        run(f"trexreport check {'old-phases' if is_of_phases else 'PATH'}")


def test_the_json_is_a_profile():
    from trexreport.reader.profile_file import read_profile

    ((_, block),) = blocks(DOCUMENTS["docs/inputs.md"], "json")
    profile = read_profile(block, "X.profile.json")
    assert profile.iterations == 3
    assert {row.name for row in profile.rows} == set(json.loads(block))


def test_the_list_of_phases_is_of_that_form(tmp_path):
    from trexreport.reader.phase_set import LIST_NAME, find_phases

    ((_, block),) = blocks(DOCUMENTS["docs/phases.md"], "json")
    (tmp_path / LIST_NAME).write_text(block)
    for name in ("prefill", "decode"):
        (tmp_path / name).mkdir()
    assert [(each.name, each.times) for each in find_phases(tmp_path).phases] == [
        ("prefill", 1),
        ("decode", 128),
    ]


def test_the_files_of_a_capture_are_of_those_forms():
    from trexreport.reader.gpu_file import _QUANTITIES, SCHEMA, SCHEMA_VERSION, read_gpu_samples
    from trexreport.reader.samples_file import read_layer_samples

    layers, gpu = (block for _, block in blocks(DOCUMENTS["docs/json.md"], "json"))
    profile = read_layer_samples(layers, "X.samples.json")
    assert (profile.iterations, len(profile.rows), profile.notes) == (3, 2, ())
    samples, notes = read_gpu_samples(gpu, "X.gpu.json")
    document = json.loads(gpu)
    assert not notes
    assert (document["schema"], document["schema_version"]) == (SCHEMA, SCHEMA_VERSION)
    columns = {name: getattr(samples, name) for name in document["samples"]}
    assert {name: list(values) for name, values in columns.items()} == document["samples"]
    assert set(columns) == {"time_s", *_QUANTITIES, "throttle_reasons"}
    assert (len(samples.phases), len(samples.other_processes)) == (1, 1)


def slug(heading):
    """Return the anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_links_lead_somewhere():
    links = [
        (page, target, anchor)
        for page, text in DOCUMENTS.items()
        for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text)
        if "://" not in target
    ]
    assert len(links) > 100
    for page, target, anchor in links:
        place = (ROOT / page).parent / target if target else ROOT / page
        assert place.exists(), (page, target)
        if anchor:
            headings = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), f"{page}: {target}#{anchor}"


def test_the_index_has_every_page():
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", DOCUMENTS["docs/README.md"]))
    assert linked == {path.name for path in DOCS.glob("*.md")} - {"README.md"}


def test_pictures_are_small():
    pictures = sorted((DOCS / "images").glob("*.png"))
    assert {path.name for path in pictures} == set(
        re.findall(r"images/(\w+\.png)", "\n".join(DOCUMENTS.values()))
    )
    assert all(path.stat().st_size < 300_000 for path in pictures)


def test_exit_codes_are_those_of_the_errors():
    from trexreport import cli, errors
    from trexreport.cli.collecting_options import _SIGNAL_BASE

    stated = {int(code) for code in re.findall(r"(\d) (?:done|wrong usage|bad input|a tool)", README)}
    kinds = (errors.UsageError, errors.InputError, errors.MissingToolError, errors.ToolFailedError)
    assert {0, *(kind.exit_code for kind in kinds)} == stated
    page = DOCUMENTS["docs/troubleshooting.md"]
    (table,) = re.findall(r"^## Exit codes\n(.*?)^## ", page, re.DOTALL | re.MULTILINE)
    listed = {
        int(code) for row in re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE) for code in row.split(",")
    }
    signals = {_SIGNAL_BASE + signal.SIGINT, _SIGNAL_BASE + signal.SIGTERM}
    assert listed == {0, 1, *(kind.exit_code for kind in kinds), *signals, cli._PIPE_CLOSED}


# What pages say of names elsewhere in the code.


def test_the_files_of_trtexec_get_names_that_are_recognized():
    from trexreport.reader.roles import role_of_name

    roles = {"exportLayerInfo": "graph", "exportProfile": "profile", "exportTimes": "timing"}
    page = DOCUMENTS["docs/inputs.md"]
    written = re.findall(r"--(export\w+)=(\S+)", page)
    assert len(written) == 6
    for option, name in written:
        assert role_of_name(name) == roles[option]
    assert {role_of_name(name) for name in re.findall(r"> (\S+) 2>&1", page)} == {"log"}
    options = {name for parameter in main.commands["report"].params for name in parameter.opts}
    assert {"--graph", "--profile", "--timing", "--log", "--profile-index"} <= options


def test_the_sections_are_those_of_a_report(report):
    (rail,) = re.findall(r'<nav class="rail".*?</nav>', report.read_text(encoding="utf-8"), re.DOTALL)
    shown = re.findall(r'<a href="#\w+"[^>]*>([^<]+)</a>', rail)
    (listed,) = re.findall(
        r"^## Sections\n(.*?)^## ", DOCUMENTS["docs/reading-a-report.md"], re.DOTALL | re.MULTILINE
    )
    assert re.findall(r"^\| ([A-Z][\w ]+) \|", listed, re.MULTILINE) == shown


@pytest.mark.parametrize("page", ["docs/reading-a-report.md", "docs/graph.md"])
def test_words_in_italics_are_on_the_page(page, report):
    # Not all of it is in a report of a small engine.
    sources = [report, *sorted((ROOT / "templates").rglob("*.j2"))]
    shown = " ".join(" ".join(path.read_text(encoding="utf-8") for path in sources).split()).lower()
    named = re.findall(
        r"(?<!\*)\*([^*]+)\*(?!\*)",
        re.sub(r"^\* |`[^`]*`|\"[^\"]*\"", "", DOCUMENTS[page], flags=re.MULTILINE),
    )
    assert len(named) > 4
    missing = [name for name in named if " ".join(name.split()).lower() not in shown]
    assert missing == []


def test_the_keys_are_those_of_the_page(report):
    text = report.read_text(encoding="utf-8")
    (dialog,) = re.findall(r"<h2[^>]*>Keyboard shortcuts</h2>(.*?)</table>", text, re.DOTALL)
    page = DOCUMENTS["docs/reading-a-report.md"]
    (table,) = re.findall(r"^## Keyboard shortcuts and links\n(.*?)^## ", page, re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"`([^`]+)`", table)) == set(re.findall(r"<kbd>([^<]+)</kbd>", dialog))


def test_the_terms_of_the_filter_exist():
    fields = {column.term_name for column in LAYER_COLUMNS if column.term} | set(OTHER_TEXT_TERMS)
    page = DOCUMENTS["docs/reading-a-report.md"]
    (table,) = re.findall(r"^## Filter the layers\n(.*?)^## ", page, re.DOTALL | re.MULTILINE)
    used = set(re.findall(r"`-?(\w+)[:<>]", table))
    assert used <= fields
    assert fields - used <= {"name", "share", "weights", "tflops", "flops", "index"}


def test_the_terms_of_the_filter_of_comparisons_exist():
    source = (ROOT / "static/js/comparison/row_terms.js").read_text("utf-8")
    fields = set(re.findall(r"^      (\w+): \(row", source, re.MULTILINE))
    page = DOCUMENTS["docs/comparing.md"]
    (section,) = re.findall(r"^## Read the page\n(.*?)^## ", page, re.DOTALL | re.MULTILINE)
    template = (ROOT / "templates/comparison.html.j2").read_text("utf-8")
    used = set(re.findall(r"`(\w+)[:<>]", section))
    assert used
    assert used <= fields
    assert set(re.findall(r"<code>-?(\w+)(?::|&[lg]t;)", template)) == fields - {"index"}


def test_what_rules_may_use_exists():
    from trexreport.analyzer import analyze
    from trexreport.analyzer.analysis import LayerFacts
    from trexreport.analyzer.rules import Hit
    from trexreport.analyzer.rules.context import Context
    from trexreport.analyzer.rules.needs import NEEDS
    from trexreport.reader import read_engine

    page = DOCUMENTS["docs/writing-rules.md"]
    context = Context(analyze(read_engine(ROOT / SAMPLE)))
    names = set(re.findall(r"`context\.(\w+)", page))
    assert len(names) > 15
    assert all(hasattr(context, name) for name in names)
    (needs,) = re.findall(r"^Needs are (.*?)\.$", page, re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"`([\w-]+)`", needs)) == set(NEEDS)
    fields = re.findall(r"^## Fields of `Hit`\n.*?^## ", page, re.DOTALL | re.MULTILINE)[0]
    assert re.findall(r"^\| `(\w+)`", fields, re.MULTILINE) == [each.name for each in dataclasses.fields(Hit)]
    (of_layer,) = re.findall(r"^A layer has (.*?) and more", page, re.DOTALL | re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", of_layer))
    assert len(named) > 5
    assert named <= set(LayerFacts.__dataclass_fields__)
    source = (EXAMPLE / "deployment_rules.py").read_text()
    bodies = [body for _, body in blocks(page, "python")]
    assert bodies
    assert [body for body in bodies if body not in source] == []


@pytest.mark.engines
def test_the_figures_of_the_walkthrough_are_true(real_engines):
    from trexreport.analyzer import analyze
    from trexreport.reader import read_engine
    from trexreport.wording.gains import savings

    before, after = (
        analyze(read_engine(real_engines / f"a100-resnet18-{name}")) for name in ("qat", "qat-residual")
    )
    first = before.lint.findings[0]
    text = " ".join(DOCUMENTS["docs/reading-a-report.md"].split())
    before_ms, after_ms = (each.latency.gpu_compute.median_ms for each in (before, after))
    saved_ms = before_ms - after_ms
    assert first.code == "TRX302"
    assert first.gain.low_ms < saved_ms < first.gain.high_ms
    shown = savings(first.gain).replace("\u00a0", " ")
    assert f"says {shown} of {before_ms:.3f} ms of GPU compute time" in text
    assert f"takes {after_ms:.3f} ms, {saved_ms:.2f} ms less" in text


def test_the_allowance_for_one_run_of_each_is_what_a_comparison_prints():
    assumed = math.log1p(VerdictSettings().assumed_run_spread_percent / 100)
    spread = spread_between([0.0], [0.0], assumed, 0.95)
    allowance = percent(100 * math.expm1(spread.allowance))
    assert f"Its verdict allows {allowance} for it" in DOCUMENTS["docs/comparing.md"]
    assert (
        f"95% confidence allows {allowance} with one run of each"
        in DOCUMENTS["docs/decisions/0008-verdicts.md"]
    )
