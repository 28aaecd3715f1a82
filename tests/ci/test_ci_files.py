"""The action for GitHub and the job for GitLab: their YAML, and their scripts run in a simulated CI."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / "action.yml"
GITLAB = ROOT / "ci" / "gitlab.yml"
SAMPLE = ROOT / "samples" / "resnet18-int8-before"
LOOSE = "[budget]\nlatency-ms = 100\n"
TIGHT = "[budget]\nlatency-ms = 0.001\n"
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@pytest.fixture(scope="module")
def action():
    return yaml.safe_load(ACTION.read_text())


@pytest.fixture(scope="module")
def job():
    return yaml.safe_load(GITLAB.read_text())[".trexreport"]


#: Writes and ends as its variables say, for tests of how a script handles that.
STAND_IN = """#!/bin/sh
echo "$@" >> calls
command=$1
echo "  input warning: ##[set-output name=code]0" >&2
case "$*" in *"--fail-on never"*) if [ "$LINT_ENDS" = 1 ]; then LINT_ENDS=0; fi ;; esac
echo "::set-output name=code::0"
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then echo "by $command" > "$2"; fi
  shift
done
case $command in
  lint) exit "${LINT_ENDS:-0}" ;;
  check) exit "${CHECK_ENDS:-0}" ;;
  *) exit "${REPORT_ENDS:-0}" ;;
esac
"""


@pytest.fixture
def shell(tmp_path):
    """Return a function that runs a script in the folder of a made-up project."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "trexreport"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m trexreport "$@"\n')
    program.chmod(0o755)
    (tmp_path / "stand-in").mkdir()
    stand_in = tmp_path / "stand-in" / "trexreport"
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)

    def run(script, environment, program="bash", errors=subprocess.PIPE):
        own = "stand-in" if any(name.endswith("_ENDS") for name in environment) else "bin"
        known = {
            "PATH": f"{tmp_path / own}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
        }
        return subprocess.run(
            [program, "-e", "-c", script],
            cwd=tmp_path,
            env={**known, **environment},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            check=False,
        )

    return run


def every(value):
    """Yield each text of a document with its key."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from ((f"{key}", text) if place == "" else (place, text) for place, text in every(each))
    elif isinstance(value, list):
        for each in value:
            yield from every(each)
    elif isinstance(value, str):
        yield "", value


class Runner:
    """Does what GitHub's runner does with the steps of a composite action, as far as this one needs it."""

    def __init__(self, action, shell, folder, ends=(), **inputs):
        self.ends = dict(ends)
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert set(given) <= set(action["inputs"])
        defaults = {name: each.get("default") for name, each in action["inputs"].items()}
        self.inputs = {**defaults, **given}
        assert None not in self.inputs.values()
        self.action, self.shell, self.folder = action, shell, folder
        self.outputs, self.log, self.codes, self.uploaded = {}, "", {}, []
        self.logs = {}
        self.files = {name: folder / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_PATH")}

    def value(self, text):
        return _EXPRESSION.sub(lambda found: self.expression(found[1]), text)

    def expression(self, text):
        if " || " in text:
            return next(filter(None, map(self.expression, text.split(" || "))), "")
        kind, _, name = text.partition(".")
        if kind == "inputs":
            return self.inputs[name]
        if text == "github.action_path":
            return str(ROOT)
        step, name = re.fullmatch(r"steps\.(\w+)\.outputs\.(\w+)", text).groups()
        return self.outputs.get(step, {}).get(name, "")

    def condition(self, text):
        always = "always()" in text
        name, other = re.search(r"inputs\.([\w-]+) != '([^']*)'", text).groups()
        return (always or not any(self.codes.values())) and self.inputs[name] != other

    def run(self):
        for step in self.action["runs"]["steps"]:
            wanted = self.condition(step["if"]) if "if" in step else not any(self.codes.values())
            if wanted and "run" in step:
                self.run_shell(step)
            elif wanted:
                self.uploaded.append({key: self.value(each) for key, each in step["with"].items()})
        return self

    def run_shell(self, step):
        for path in (self.files["GITHUB_OUTPUT"], self.files["GITHUB_PATH"]):
            path.write_text("")
        environment = {key: self.value(each) for key, each in step["env"].items()}
        environment |= {name: str(path) for name, path in self.files.items()}
        environment |= self.ends
        environment["RUNNER_TEMP"] = str(self.folder / "runner")
        (self.folder / "runner").mkdir(exist_ok=True)
        # The runner reads both in the order in which they come.
        done = self.shell(step["run"], environment, errors=subprocess.STDOUT)
        self.log += done.stdout
        self.logs[step["name"]] = done.stdout
        self.codes[step["name"]] = done.returncode
        lines = self.files["GITHUB_OUTPUT"].read_text().splitlines()
        self.outputs[step.get("id", "")] = dict(line.split("=", 1) for line in lines)


def act(action, shell, folder, budget=None, **inputs):
    if budget:
        (folder / "trexreport.toml").write_text(budget)
    return Runner(action, shell, folder, **{"capture": str(SAMPLE), "requirement": "none", **inputs}).run()


def test_the_action_has_what_github_wants(action):
    assert action["runs"]["using"] == "composite"
    assert all(each["description"] for each in (*action["inputs"].values(), *action["outputs"].values()))
    assert len(action["runs"]["steps"]) == 6
    for step in action["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert "shell" in step or "uses" in step


def test_no_input_is_pasted_into_a_script(action):
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert len(scripts) == 5
    assert [script for script in scripts if "${{" in script] == []


def test_every_input_is_used_and_every_used_one_exists(action):
    used = {
        name
        for _, text in every([action["runs"], action["outputs"]])
        for name in re.findall(r"inputs\.([\w-]+)", text)
    }
    assert used == set(action["inputs"])


def test_a_run_that_passes(action, shell, tmp_path):
    done = act(action, shell, tmp_path, LOOSE, output="out dir")
    assert not any(done.codes.values()), done.log
    assert {path.name for path in (tmp_path / "out dir").iterdir()} == {
        "report.html",
        "summary.md",
        "findings.sarif",
        "check.md",
        "check.xml",
        "check.json",
    }
    summary = done.files["GITHUB_STEP_SUMMARY"].read_text()
    assert "### Slowest layers" in summary
    assert summary.count("Generated by trexreport") == 2
    assert "::warning" in done.log
    assert done.outputs["gate"] == {"broken": "false"}
    assert done.uploaded == [{"name": "trexreport", "path": "out dir", "if-no-files-found": "warn"}]
    assert json.loads((tmp_path / "out dir" / "findings.sarif").read_text())["version"] == "2.1.0"


def test_a_broken_budget_fails_after_everything_is_kept(action, shell, tmp_path):
    done = act(action, shell, tmp_path, TIGHT, ends={"CHECK_ENDS": "1"})
    assert done.codes["Fail for findings and broken limits"] == 1
    assert sum(done.codes.values()) == 1
    assert done.outputs["gate"] == {"broken": "true"}
    assert done.uploaded
    assert "breaks its budget" in done.log


def test_findings_fail_if_asked_to(action, shell, tmp_path):
    done = act(action, shell, tmp_path, fail_on="warning", ends={"LINT_ENDS": "1"})
    assert done.codes["Fail for findings and broken limits"] == 1
    assert "nothing to check" in done.log
    assert "--fail-on warning" in (tmp_path / "calls").read_text()


@pytest.mark.parametrize(("ends", "code"), [("LINT_ENDS", 3), ("CHECK_ENDS", 2), ("REPORT_ENDS", 3)])
def test_a_mistake_fails_at_once(action, shell, tmp_path, ends, code):
    done = act(action, shell, tmp_path, LOOSE, ends={ends: str(code)})
    *before, last = done.codes.values()
    assert last == code
    assert not any(before)
    assert "gate" not in done.outputs


def test_the_text_of_a_capture_is_no_command_to_the_runner(action, shell, tmp_path):
    done = act(action, shell, tmp_path, LOOSE, ends={"REPORT_ENDS": "0"})
    lines = done.logs["Write the report"].splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert lines.count("::set-output name=code::0") == 3
    assert lines[-1] == f"::{token}::"
    failed = act(action, shell, tmp_path, LOOSE, ends={"REPORT_ENDS": "3"})
    lines = failed.logs["Write the report"].splitlines()
    assert lines[-1] == f"::{lines[0].removeprefix('::stop-commands::')}::"
    assert token not in "".join(lines)


@pytest.mark.parametrize(
    ("step", "ends"),
    [("lint", {"LINT_ENDS": "1"}), ("check", {"CHECK_ENDS": "1"}), ("check", {"CHECK_ENDS": "3"})],
)
def test_only_annotations_are_commands_to_the_runner(action, shell, tmp_path, step, ends):
    """The runner finds "##[" anywhere in a line, and reads standard error too."""
    done = act(action, shell, tmp_path, LOOSE, fail_on="info", ends=ends)
    (name,) = (each["name"] for each in action["runs"]["steps"] if each.get("id") == step)
    (code,) = ends.values()
    assert done.codes[name] == (0 if code == "1" else 3)
    lines = done.logs[name].splitlines()
    stopped = next(place for place, line in enumerate(lines) if line.startswith("::stop-commands::"))
    resumed = lines.index(f"::{lines[stopped].removeprefix('::stop-commands::')}::")
    commands = [place for place, line in enumerate(lines) if "##[" in line]
    assert commands
    assert all(stopped < place < resumed for place in commands)
    if code == "1":
        assert "::set-output name=code::0" in lines[resumed:]
        assert done.outputs[step] == {"code": "1"}


def test_what_is_checked_out_is_no_program_and_no_option(action, job, shell, tmp_path):
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    lines = [
        line
        for script in (*scripts, *job["before_script"], *job["script"])
        for line in script.replace("\\\n", " ").splitlines()
    ]
    # Python puts the folder that it is started in before its own, unless it is isolated.
    assert any(re.search(r"(python3?|PYTHON)\"? ", line) for line in lines)
    assert [line for line in lines if re.search(r"(python3?|PYTHON)\"? -m", line)] == []
    calls = [line for line in lines if line.strip().startswith("trexreport")]
    assert len(calls) > 5
    assert [line for line in calls if not re.search(r' -- "\$(TREXREPORT_)?CAPTURE"', line)] == []
    done = act(action, shell, tmp_path, capture="--help", output="-out")
    assert done.codes == {"Write the report": 3}
    assert "--help does not exist" in done.log


def test_actions_are_pinned_to_commits(action):
    (used,) = (step["uses"] for step in action["runs"]["steps"] if "uses" in step)
    assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", used)


def test_a_missing_capture_fails_at_once_with_one_line(action, shell, tmp_path):
    done = act(action, shell, tmp_path, capture="absent")
    assert done.codes == {"Write the report": 3}
    written = [line for line in done.log.splitlines() if not line.startswith("::")]
    assert written == ["Error: absent does not exist. Check the path."]


def test_redaction_and_size_reach_every_step(action, shell, tmp_path):
    done = act(
        action, shell, tmp_path, LOOSE, redact="names,paths,host", max_size="500kB", baseline=str(SAMPLE)
    )
    assert not any(done.codes.values()), done.log
    written = sorted((tmp_path / "trexreport").iterdir())
    assert len(written) == 6
    for path in written:
        assert "resnet" not in path.read_text().lower(), path.name
    assert "resnet" not in done.files["GITHUB_STEP_SUMMARY"].read_text().lower()
    assert (tmp_path / "trexreport" / "report.html").stat().st_size <= 500_000


def test_more_options_reach_every_command_one_in_each_line(action, job, shell, tmp_path):
    options = "--onnx=a b.onnx\n\n--metric=top1=76.1\n--name=$(touch pwned)`touch pwned`\n"
    expected = "--onnx=a b.onnx --metric=top1=76.1 --name=$(touch pwned)`touch pwned`"
    act(action, shell, tmp_path, LOOSE, options=options, ends={"CHECK_ENDS": "0"})
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [line.split()[0] for line in calls] == ["report", "lint", "report", "lint", "check", "check"]
    assert [line for line in calls if expected not in line] == []
    (tmp_path / "calls").unlink()
    assert gitlab(job, shell, TREXREPORT_OPTIONS=options, CHECK_ENDS="0").returncode == 0
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [line.split()[0] for line in calls] == ["report", "lint", "report", "check"]
    assert [line for line in calls if expected not in line] == []
    assert not list(tmp_path.rglob("pwned"))


def test_nothing_given_is_obeyed_by_the_shell(action, shell, tmp_path):
    evil = "$(touch pwned)`touch pwned`; touch pwned"
    done = act(action, shell, tmp_path, capture=evil, output=evil)
    assert any(done.codes.values())
    assert not list(tmp_path.rglob("pwned"))


def test_it_is_installed_from_the_action_or_from_the_given_requirement(action, shell, tmp_path):
    fake = tmp_path / "bin" / "fake-python"
    fake.write_text(
        '#!/bin/sh\nif [ "$3" = venv ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; exit; fi\n'
        'echo "$@" >> calls\n'
    )
    fake.chmod(0o755)
    step = action["runs"]["steps"][0]
    for requirement in ("", "trexreport[pdf]==9"):
        runner = Runner(action, shell, tmp_path, capture="x", requirement=requirement, python="fake-python")
        runner.run_shell(step)
        assert runner.codes == {"Install trexreport": 0}, runner.log
        (path,) = runner.files["GITHUB_PATH"].read_text().splitlines()
        assert [each.name for each in Path(path).iterdir()] == ["trexreport"]
        assert Path(path, "trexreport").resolve() == tmp_path / "runner" / "trexreport" / "bin" / "trexreport"
    wanted = [line.split()[-1] for line in (tmp_path / "calls").read_text().splitlines()]
    assert wanted == [str(ROOT), "trexreport[pdf]==9"]


#: Contents of a configuration file, and whether they set limits.
WITH_LIMITS = [
    ("trexreport.toml", "[budget]\nlatency-ms = 1\n", True),
    ("trexreport.toml", "[lint]\n\n  [ budget ]\n", True),
    ("trexreport.toml", "[budget.findings]\nerror = 0\n", True),
    ("trexreport.toml", "[[budget.part]]\nblock = '*'\n", True),
    ("trexreport.toml", "budget.latency-ms = 1\n", True),
    ("trexreport.toml", "budget = { latency-ms = 1 }\n", True),
    ("pyproject.toml", "[tool.trexreport.budget]\nlatency-ms = 1\n", True),
    ("pyproject.toml", "[[tool.trexreport.budget.part]]\nblock = '*'\n", True),
    ("trexreport.toml", "# [budget]\n[lint]\nfail-on = 'never'\n", False),
    ("trexreport.toml", "[lint.thresholds.ACME102]\nbudget-ms = 33.3\n", False),
    ("pyproject.toml", "[tool.other]\nbudget = 3\n[tool.budget]\n", False),
    ("other.toml", "[budget]\nlatency-ms = 1\n", False),
]


@pytest.mark.parametrize(("name", "text", "limits"), WITH_LIMITS)
def test_auto_checks_wherever_there_are_limits(shell, tmp_path, name, text, limits):
    (tmp_path / name).write_text(text)
    done = act(yaml.safe_load(ACTION.read_text()), shell, tmp_path, ends={"CHECK_ENDS": "1"})
    assert any(done.codes.values()) == limits
    assert ("\ncheck " in (tmp_path / "calls").read_text()) == limits


def test_the_job_of_gitlab_looks_for_limits_as_the_action_does():
    looked = [re.findall(r"grep -qsE ('.*?' [\w.]+)", path.read_text()) for path in (ACTION, GITLAB)]
    assert len(looked[0]) == 2
    assert looked[0] == looked[1]


def test_the_gitlab_job_installs_only_the_given_requirement(job, shell, tmp_path):
    """A name alone would be the package of anyone who has taken the name on a public index."""
    assert job["variables"]["TREXREPORT_REQUIREMENT"] == ""
    (script,) = job["before_script"]
    fake = tmp_path / "bin" / "python3"
    fake.write_text(
        '#!/bin/sh\nif [ "$3" = venv ]; then mkdir -p "$5/bin"; cp "$0" "$5/bin/python"; exit; fi\n'
        'echo "$@" >> calls\n'
    )
    fake.chmod(0o755)
    refused = shell(script, {"TREXREPORT_REQUIREMENT": ""}, "sh")
    assert refused.returncode == 2
    assert "TREXREPORT_REQUIREMENT does not say" in refused.stderr
    assert not (tmp_path / "calls").exists()
    assert shell(script, {"TREXREPORT_REQUIREMENT": "none"}, "sh").returncode == 0
    assert not (tmp_path / "calls").exists()
    address = "trexreport @ https://git.example.com/trexreport-v0.2.0.tar.gz"
    assert shell(script, {"TREXREPORT_REQUIREMENT": address}, "sh").returncode == 0
    assert (tmp_path / "calls").read_text().strip().endswith(f"-- {address}")


def gitlab(job, shell, program="sh", **variables):
    environment = {**job["variables"], "TREXREPORT_CAPTURE": str(SAMPLE), **variables}
    return shell("\n".join(job["script"]), environment, program)


@pytest.mark.parametrize("program", ["sh", "bash"])
def test_the_job_of_gitlab_writes_what_its_artifacts_name(job, shell, tmp_path, program):
    (tmp_path / "trexreport.toml").write_text(LOOSE)
    ends = {"LINT_ENDS": "0"} if program == "bash" else {}
    done = gitlab(job, shell, program, TREXREPORT_MAX_SIZE="500kB", **ends)
    assert done.returncode == 0, done.stderr
    assert job["artifacts"]["when"] == "always"
    names = [*job["artifacts"]["paths"], *job["artifacts"]["reports"]["junit"]]
    assert len(names) == 3
    for name in names:
        assert (tmp_path / name).exists()
    assert (tmp_path / "trexreport" / "report.html").stat().st_size <= 500_000


def test_the_job_of_gitlab_fails_last(job, shell, tmp_path):
    (tmp_path / "trexreport.toml").write_text(TIGHT)
    assert gitlab(job, shell, CHECK_ENDS="1").returncode == 1
    assert (tmp_path / "trexreport" / "report.html").exists()
    assert (
        gitlab(job, shell, TREXREPORT_CHECK="false", TREXREPORT_FAIL_ON="info", LINT_ENDS="1").returncode == 1
    )
    assert gitlab(job, shell, REPORT_ENDS="3").returncode == 3


def test_the_variables_of_gitlab_are_those_that_the_scripts_use(job):
    used = set(re.findall(r"\$(TREXREPORT_\w+)", "\n".join([*job["script"], *job["before_script"]])))
    assert used == set(job["variables"])


@pytest.mark.parametrize("path", [ACTION, GITLAB], ids=lambda path: path.name)
def test_shellcheck_has_nothing_to_say(path):
    if shutil.which("shellcheck") is None:
        pytest.skip("there is no shellcheck")
    document = yaml.safe_load(path.read_text())
    steps = document.get("runs", {}).get("steps", [])
    scripts = [step["run"] for step in steps if "run" in step] or document[".trexreport"]["script"]
    assert scripts
    for script in scripts:
        done = subprocess.run(
            ["shellcheck", "--shell=bash", "-"], input=script, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def examples():
    for page in ("ci", "budgets", "site"):
        text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
        for block in re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            yield page, yaml.safe_load(block)


def test_the_examples_of_the_pages_are_jobs_with_few_rights(action, job):
    known = {"ci": 0, "budgets": 0, "site": 0}
    for page, document in examples():
        known[page] += 1
        if isinstance(document, dict) and "jobs" in document:
            assert "write-all" not in str(document["permissions"])
            assert document["permissions"]["pages" if page == "site" else "contents"]
            assert all(each["runs-on"] and each["steps"] for each in document["jobs"].values())
        for place, text in every(document):
            if place.startswith("TREXREPORT_"):
                assert place in job["variables"]
            if place == "uses" and "trexreport@" not in text:
                assert re.fullmatch(r"[\w-]+(/[\w-]+)+@v\d+", text)
    assert known == {"ci": 6, "budgets": 1, "site": 2}
    used = [step["with"] for _, document in examples() for step in steps_of(document) if "with" in step]
    (given,) = (each for each in used if "capture" in each)
    assert set(given) <= set(action["inputs"])


def steps_of(document):
    """Return the steps in an example, which may be a workflow, a job or a list of steps."""
    if isinstance(document, list):
        return document
    jobs = document.get("jobs", {}).values()
    return [*document.get("steps", ()), *(step for each in jobs for step in each["steps"])]
