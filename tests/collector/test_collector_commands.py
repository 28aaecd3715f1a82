"""Check the commands of each version of trtexec: their flags, files and words."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.collector.commands import plan_commands
from trexreport.collector.flags import Stage, flag_table
from trexreport.collector.jobs import Job
from trexreport.collector.versions import Version
from trexreport.errors import UsageError
from trexreport.reader.roles import role_of_name

TABLE = flag_table()
VERSIONS = ("8.4.3", "8.5.3", "8.6.1", "9.3.0", "10.0.1", "10.7.0", "10.13.3", "10.16", "11.0", "11.1")
#: Arguments that every version has a way to follow.
EVERYWHERE = (
    (),
    ("shapes=x:1x3x224x224",),
    ("--minShapes=x:1x3", "--optShapes=x:4x3", "--maxShapes=x:8x3"),
    ("optShapes=x:4x3",),
    ("minShapes=x:1x3", "maxShapes=x:8x3"),
    ("workspace=1024", "nvtxMode=verbose", "explicitBatch"),
    ("memPoolSize=workspace:4G",),
    ("plugins=p.so", "staticPlugins=q.so", "device=1", "verbose"),
    ("noCudaGraph", "includeDataTransfers", "noSpinWait"),
    ("useCudaGraph", "noDataTransfers", "useSpinWait", "separateProfileRun"),
    ("streams=2", "threads", "exposeDMA"),
    ("infStreams=2", "percentile=50,99.9", "avgRuns=1"),
    ("useDLACore=0", "allowGPUFallback"),
    ("noTF32", "sparsity=enable", "refit", "noBuilderCache"),
    ("timingCacheFile=t.cache", "profilingVerbosity=none", "duration=10", "dumpOutput"),
)


def release(version: str) -> Version:
    found = Version.parse(version)
    assert found is not None
    return found


def commands(version, *arguments, source="m.onnx", runs=1):
    return plan_commands(Job(source, "out", arguments, runs=runs), release(version)).commands


def flags_of(command):
    return [word.removeprefix("--").partition("=")[0] for word in command.words if word.startswith("--")]


def everywhere():
    for arguments in EVERYWHERE:
        for source in ("m.onnx", "e.plan"):
            for runs in (0, 2):
                yield arguments, source, runs


def line(command):
    return " ".join(command.words)


def test_commands_of_10_3():
    build, profile, timing = commands("10.3.0", "fp16", "shapes=x:1x3", "--iterations=50")
    assert line(build) == (
        "trtexec --onnx=m.onnx --saveEngine=out/m.engine --skipInference --profilingVerbosity=detailed "
        "--timingCacheFile=out/timing.cache --fp16 --shapes=x:1x3"
    )
    assert line(profile) == (
        "trtexec --loadEngine=out/m.engine --exportLayerInfo=out/m.engine.graph.json "
        "--exportProfile=out/m.engine.profile.json --profilingVerbosity=detailed --separateProfileRun "
        "--dumpOptimizationProfile --useCudaGraph --noDataTransfers --useSpinWait --warmUp=500 --duration=3 "
        "--avgRuns=100 --shapes=x:1x3 --iterations=50"
    )
    assert line(timing) == (
        "trtexec --loadEngine=out/m.engine --exportTimes=out/m.engine.timing.json --useCudaGraph "
        "--noDataTransfers --useSpinWait --warmUp=500 --duration=3 --avgRuns=100 --shapes=x:1x3 "
        "--iterations=50"
    )


def test_commands_of_8_4():
    build, profile, _ = commands("8.4.3", "int8", "infStreams=2")
    assert "--buildOnly" in build.words
    assert "--streams=2" in profile.words
    assert "--separateProfileRun" in profile.words
    assert "--dumpOptimizationProfile" not in profile.words


def test_commands_of_11():
    build, profile, timing = commands("11.1.0", "noSpinWait")
    assert "--skipInference" in build.words
    for command in (profile, timing):
        assert "--noSpinWait" in command.words
        assert not {"separateProfileRun", "useCudaGraph", "noDataTransfers", "useSpinWait"} & set(
            flags_of(command)
        )


def test_an_engine_is_not_built():
    plan = plan_commands(Job("dir/e.plan", "out", ("fp16", "optShapes=x:4", "duration=1")), Version(10, 3))
    assert [command.stage for command in plan.commands] == [Stage.PROFILE, *[Stage.TIMING] * 3]
    for command in plan.commands:
        assert "--loadEngine=dir/e.plan" in command.words
        assert "--shapes=x:4" in command.words
        assert "--fp16" not in command.words
    assert plan.notes == ("Left out, for the engine is built already: --fp16, --optShapes.",)
    assert plan.commands[0].writes[0] == "out/e.engine.graph.json"


def test_precision_does_not_matter_for_a_built_engine():
    """What the version would refuse for a build is left out, not refused."""
    plan_commands(Job("e.plan", "out", ("fp16",)), Version(11, 1))
    with pytest.raises(UsageError, match="no longer takes --fp16"):
        plan_commands(Job("m.onnx", "out", ("fp16",)), Version(11, 1))


def test_the_program_may_be_several_words():
    plan = plan_commands(Job("m.onnx", "out", program=("ssh", "host", "trtexec"), runs=1), Version(10, 3))
    assert [command.words[:3] for command in plan.commands] == [("ssh", "host", "trtexec")] * 3


def test_a_shell_on_the_other_side_reads_the_same_words():
    job = Job("/d/a b.onnx", "/d/out", ("shapes='x:0':1x3", "layerPrecisions=*:fp16"), runs=1)
    here = plan_commands(job, Version(10, 3)).commands
    there = plan_commands(replace(job, program=("/usr/bin/ssh", "host", "trtexec")), Version(10, 3)).commands
    assert len(here) == 3
    assert [shlex.split(" ".join(other.words))[2:] for other in there] == [list(one.words) for one in here]


def test_paths_for_ssh_are_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.so").touch()
    (tmp_path / "x.bin").touch()
    words = ("staticPlugins=p.so", "loadInputs=x:x.bin,y:y.bin", "dynamicPlugins=libnvinfer_x.so")
    plan = plan_commands(
        Job("m.onnx", "out", words, program=("ssh", "host", "trtexec"), runs=1), Version(10, 3)
    )
    build, profile, _ = (" ".join(command.words) for command in plan.commands)
    for path in ("m.onnx", "out/m.engine", "out/timing.cache", "p.so"):
        assert f"={tmp_path}/{path}" in build
    assert f"--loadInputs=x:{tmp_path}/x.bin,y:y.bin" in profile
    assert "--dynamicPlugins=libnvinfer_x.so" in profile  # found by the loader


def test_a_refit_goes_to_the_runs_that_load_the_engine():
    words = ("--refitFromOnnx=m.onnx", "--stripWeights", "--saveAllDebugTensors=numpy")
    build, profile, timing = plan_commands(Job("m.onnx", "out", words, runs=1), Version(10, 16)).commands
    assert not any("refitFromOnnx" in word for word in build.words)
    for run in (profile, timing):
        assert {"--refitFromOnnx=m.onnx", "--refit"} <= set(run.words)
    assert "--saveAllDebugTensors=numpy" in profile.words
    with pytest.raises(UsageError, match="Add --refit"):
        plan_commands(Job("m.onnx", "out", words[:1], runs=1), Version(10, 16))
    timing = plan_commands(Job("e.plan", "out", words[:1], runs=1), Version(10, 16)).commands[-1]
    assert {"--refitFromOnnx=m.onnx", "--refit"} <= set(timing.words)


def test_pairs_of_inputs_and_reference_outputs():
    words = [f"--{name}={value}" for pair in "01" for name, value in _pair(pair)]
    plan = plan_commands(Job("e.plan", "out", tuple(words), runs=1), Version(11, 1))
    profile, timing = (command.words for command in plan.commands)
    at = profile.index("--refPair=0")
    assert profile[at : at + 6] == tuple(words)
    assert [word for word in timing if "Pair" in word or "load" in word] == [
        "--loadEngine=e.plan",
        "--loadInputs=x:i0",
    ]
    with pytest.raises(UsageError, match="two pairs"):
        plan_commands(Job("e.plan", "out", tuple(words[:3])), Version(11, 1))


def _pair(number):
    return ("refPair", number), ("loadInputs", f"x:i{number}"), ("loadRefOutputs", f"y:o{number}")


def test_an_engine_is_only_built_on_demand():
    plan = plan_commands(Job("m.onnx", "out", measures=False), Version(10, 3))
    assert [command.title for command in plan.commands] == ["build"]
    with pytest.raises(UsageError, match="built already"):
        plan_commands(Job("m.engine", "out", measures=False), Version(10, 3))


def test_files_have_the_names_that_the_reader_knows():
    written = [path for command in commands("10.3.0") for path in (*command.writes, command.log)]
    assert [role_of_name(path.rpartition("/")[2]) for path in written] == [
        *(None, "log"),
        *("graph", "profile", "log"),
        *("timing", "log"),
    ]


def test_runs_have_files_of_their_own():
    _, _, *timings = commands("10.3.0", runs=3)
    assert [timing.writes for timing in timings] == [
        ("out/m.engine.timing.json",),
        ("out/m.engine.timing.2.json",),
        ("out/m.engine.timing.3.json",),
    ]
    assert len({timing.log for timing in timings}) == 3


def test_without_timing_runs_the_profile_run_gives_the_times():
    _, profile = commands("10.3.0", runs=0)
    assert "--exportTimes=out/m.engine.timing.json" in profile.words
    assert "out/m.engine.timing.json" in profile.writes


def test_thin_engines_are_noted():
    plan = plan_commands(Job("m.onnx", "out", ("profilingVerbosity=none",)), Version(10, 3))
    assert "--profilingVerbosity=none" in plan.commands[0].words
    assert any("profilingVerbosity=none" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("program", "is_noted"),
    [
        ("docker run --rm IMAGE trtexec", True),
        ("/usr/bin/podman run IMAGE trtexec", True),
        ("docker run --init IMAGE trtexec", False),
        ("docker exec NAME trtexec", False),
        ("trtexec", False),
    ],
)
def test_a_container_that_would_not_end_is_noted(program, is_noted):
    plan = plan_commands(Job("m.onnx", "out", program=tuple(program.split())), Version(10, 3))
    assert any("--init" in note for note in plan.notes) is is_noted


def test_a_major_version_that_is_not_known_is_noted():
    plan = plan_commands(Job("m.onnx", "out", runs=1), Version(12, 1))
    assert [command.words for command in plan.commands] == [each.words for each in commands("11.1.0")]
    assert "12.1.0 is not known here: the commands are those for 11.1" in plan.notes[0]
    assert plan_commands(Job("m.onnx", "out"), Version(11, 4)).notes == ()


@pytest.mark.parametrize("flag", ["safe", "buildDLAStandalone", "runtimePlatform=WindowsAMD64"])
def test_what_trtexec_could_not_measure_is_not_built(flag):
    with pytest.raises(UsageError, match=r"can't be measured here\. .+ Leave it out\."):
        commands("10.16.0", flag)


def test_versions_without_layer_information_are_refused():
    with pytest.raises(UsageError, match=r"8\.0\.3 writes no layer information"):
        commands("8.0.3")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_flag_is_taken_without_a_warning_and_once(version):
    checked = list(everywhere())
    assert checked
    for arguments, source, runs in checked:
        for command in commands(version, *arguments, source=source, runs=runs):
            flags = flags_of(command)
            assert all(TABLE.takes(flag, release(version)) for flag in flags), line(command)
            assert not any(TABLE.is_deprecated(flag, release(version)) for flag in flags), line(command)
            once = [flag for flag in flags if flag not in TABLE.repeatable]
            assert len(once) == len(set(once)), line(command)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_flag_is_taken_by_trtexecs_own_parser(version, answers, flags_by_version):
    """Against what the parsers answered: whole words where they were asked, else the flag's other values."""
    asked = {}
    for command, by_version in answers.items():
        _, *rest = command.split()
        if len(rest) == 1 and command.startswith("--"):
            asked[rest[0]] = by_version[version]
    by_flag = {}
    for word, answer in asked.items():
        by_flag.setdefault(word.partition("=")[0], []).append(answer)
    checked = set()
    for arguments, source, runs in everywhere():
        for command in commands(version, *arguments, source=source, runs=runs):
            for word in command.words[1:]:
                flag = word.partition("=")[0]
                assert flags_by_version[flag.removeprefix("--")][version], (word, line(command))
                answer = asked.get(word)
                if answer is None and len(by_flag.get(flag, ())) == 1:
                    answer = by_flag[flag][0]
                if answer is not None:
                    broadcast = "broadcasted" in answer.words or "Must specify only" in answer.words
                    on_dla = "simultaneously supported" in answer.words and "--noCudaGraph" in command.words
                    built = flag == "--useDLACore" and command.stage is Stage.BUILD
                    assert answer.verdict == "ok" or broadcast or on_dla or built, (word, answer)
                    checked.add(flag)
    assert len(checked) > 25


@pytest.mark.parametrize("version", VERSIONS)
def test_refused_flags_are_refused_here_too(version, answers):
    """What is refused as an unknown option is respelled, left out or explained, never passed on."""
    checked = 0
    for command, by_version in answers.items():
        unknown = set(re.findall(r"Unknown option: --(\w+)", by_version[version].words))
        words = [word for word in command.split() if not re.match(r"--(onnx|loadEngine)=|-v$", word)]
        unknown &= set(TABLE.spans)  # --nvtxVerbosity has never been there
        if not unknown or len(words) != len(set(words)):
            continue
        try:
            made = commands(version, *words)
        except UsageError:
            made = ()
        assert not unknown & {flag for each in made for flag in flags_of(each)}, (command, version)
        checked += 1
    assert checked > 5


flags = st.sampled_from(sorted(set(TABLE.spans) - TABLE.own)).map(
    lambda name: f"{name}={'x:1' if 'hapes' in name else '1'}" if TABLE.takes_value(name) else name
)


@given(st.lists(flags, max_size=5), st.sampled_from(TABLE.studied), st.sampled_from(["m.onnx", "e.engine"]))
def test_commands_of_any_flags_are_taken_or_refused(words, studied, source):
    version = Version(*studied)
    try:
        plan = plan_commands(Job(source, "out", tuple(words)), version)
    except UsageError as error:
        message = str(error)
        assert message.isprintable()
        return
    for command in plan.commands:
        assert all(TABLE.takes(flag, version) for flag in flags_of(command))
        assert not {"noCudaGraph", "useCudaGraph"} <= set(flags_of(command))
