"""Advice fits the version of an engine and what its build and run do already, for all rules."""

from __future__ import annotations

import ast
import inspect
import json
import re

import pytest
from case_files import CASES, analyze_case, apply_rule
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.rules import conditions
from trexreport.analyzer.rules.advice import Advice, general_advice
from trexreport.analyzer.rules.conditions import CONDITIONS
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.registry import built_in_rules
from trexreport.collector.flags import Support, flag_table
from trexreport.collector.versions import Version

RULES = {rule.code: rule for rule in built_in_rules()}
TEXTS = ("cost", "recommendation", "false_alarm", "savings")
VERSIONS = [f"{major}.{minor}" for major, minor in flag_table().studied]
#: An option of trtexec; those of other programs have a dash inside.
FLAG = re.compile(r"(?<![\w-])--([A-Za-z0-9]+)(?![\w-]*-)\b")
#: Options of trexreport itself.
OWN = {"gpu"}
#: Rules that name the options of the command that built the engine, or those of the version after it.
ABOUT_OTHERS = {"TRX423", "TRX905", "TRX906", "TRX913", "TRX921"}
_DOCUMENTED = (ast.Module, ast.FunctionDef, ast.ClassDef)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """An engine of any version, by its setup."""

    def make(version="", **setup):
        layer = {"Name": "a", "LayerType": "Pooling", "Inputs": ["x | Row major linear FP32 | 8"]}
        case = {"layers": [{**layer, "Outputs": ["y | Row major linear FP32 | 8"], "ms": 1.0}]}
        case["setup"] = {"tensorrt_version": version, **setup}
        return Context(analyze_case(case, tmp_path_factory.mktemp("engine")))

    return make


def _unsupported(text, version):
    """Return the options in a text that a version of trtexec does not take, or takes to no effect."""
    table, found = flag_table(), []
    for flag in FLAG.findall(text):
        if flag in OWN:
            continue
        assert flag in table.spans, f"no version of trtexec takes --{flag}"
        release = Version.parse(version)
        if table.support(flag, release) is not Support.TAKEN or table.is_without_effect(flag, release):
            found.append(flag)
    return found


def test_only_the_first_condition_of_an_advice_begins_a_sentence():
    text = "[8.4.., if workspace: Enlarge it.] [if cache-file, ..10: Build without it.]"
    assert general_advice(text) == (
        "From TensorRT 8.4 on, if the workspace was limited: Enlarge it.\n"
        "If the build reads a timing cache, up to TensorRT 10: Build without it."
    )
    assert general_advice("[if cache-file, 8.4..10: X.]").startswith(
        "If the build reads a timing cache, TensorRT 8.4 to 10: "
    )
    assert general_advice("[10.0..10.0: X.]") == "TensorRT 10.0: X."
    assert general_advice("[10.0..10: X.]") == "TensorRT 10: X."


def test_a_condition_is_stated_once_for_the_sentences_that_follow_each_other(engine):
    advice = Advice(engine(), [])
    text = "[..9: Older.] [11.0.., if typed: New.] [..9, unless typed: Much older.] [if typed: Cast.] Last."
    assert advice.fitted(text) == (
        "Up to TensorRT 9: Older. From TensorRT 11.0 on, from TensorRT 11 on, and with --stronglyTyped: New. "
        "Up to TensorRT 9: Much older. From TensorRT 11 on, and with --stronglyTyped: Cast. Last."
    )
    text = "[if typed: Cast.] [if recurrent: Shorten it.] [if typed: Convert.] Last. [if typed: Again.]"
    assert advice.fitted(text) == (
        "From TensorRT 11 on, and with --stronglyTyped: Cast. Convert. "
        "Last. From TensorRT 11 on, and with --stronglyTyped: Again."
    )


def test_texts_of_one_condition_share_a_line_in_the_documentation():
    text = "Always. [if level-5: Also.] [..9: Older.] [..9: Much older.] [if cache-file: Cached.] Last."
    assert general_advice(text).splitlines() == [
        "Always. Also.",
        "Up to TensorRT 9: Older. Much older.",
        "If the build reads a timing cache: Cached.",
        "Last.",
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_no_rule_names_an_option_that_the_version_does_not_take(engine, version):
    context = engine(version)
    wrong = {
        code: flags
        for code, rule in RULES.items()
        for name in TEXTS
        if (flags := _unsupported(Advice(context, context.layers).fitted(getattr(rule, name)), version))
    }
    assert wrong == {}


@pytest.mark.parametrize("version", VERSIONS)
def test_no_message_names_an_option_that_the_version_does_not_take(version, tmp_path_factory):
    named = [code for code, rule in RULES.items() if _names_options(rule) and code not in ABOUT_OTHERS]
    assert named
    for code in named:
        for path in sorted((CASES / code).glob("fires*.json")):
            case = json.loads(path.read_text("utf-8"))
            case["setup"] = case.get("setup", {}) | {"tensorrt_version": version}
            analysis = analyze_case(case, tmp_path_factory.mktemp("case"))
            for finding in apply_rule(analysis, RULES[code], {}).findings:
                texts = [finding.message, *(place.message for place in finding.places)]
                assert _unsupported(" ".join(texts), version) == [], path


def _names_options(rule):
    """Return whether code of a rule, other than its documentation, has a text with an option of trtexec."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(rule.check)))
    documented = {
        ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, _DOCUMENTED)
    }
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return any(isinstance(text, str) and text not in documented and FLAG.search(text) for text in texts)


#: What is done already, and an option that no rule may advise then.
FOLLOWED = [
    ({"inference_options": {"CUDA Graph": "Enabled"}}, "useCudaGraph"),
    ({"commands": ("trtexec --loadEngine=m --useCudaGraph",)}, "useCudaGraph"),
    ({"inference_options": {"Spin-wait": "Enabled"}}, "useSpinWait"),
    ({"commands": ("trtexec --loadEngine=m --useSpinWait",)}, "useSpinWait"),
    ({"build_options": {"BuilderOptimizationLevel": "5"}}, "builderOptimizationLevel"),
    ({"commands": ("trtexec --onnx=m --builderOptimizationLevel=5",)}, "builderOptimizationLevel"),
    ({"build_options": {"Memory Pools": "workspace: default"}}, "memPoolSize"),
    ({"inference_options": {"Inference Streams": "1"}}, "infStreams=1"),
    ({"commands": ("trtexec --onnx=m --stronglyTyped",)}, "fp16"),
]


@pytest.mark.parametrize(("setup", "option"), FOLLOWED)
def test_no_rule_advises_what_the_options_do_already(engine, setup, option):
    done, unknown = engine("10.13", **setup), engine("10.13")
    advised = {code for code, rule in RULES.items() if option in _options(rule, unknown)} - ABOUT_OTHERS
    assert advised
    assert {code for code in advised if option in _options(RULES[code], done)} == set()


def _options(rule, context):
    """Return the options that a rule recommends, with and without their values."""
    text = Advice(context, context.layers).fitted(rule.recommendation)
    return {*FLAG.findall(text), *re.findall(r"--(\w+=\d+)", text)}


#: Rules that ask whether the command pins the types of single layers.
PINNING = ("TRX201", "TRX401", "TRX402", "TRX408")


@pytest.mark.parametrize("code", PINNING)
@pytest.mark.parametrize(
    ("command", "is_asked"),
    [
        ("trtexec --onnx=m.onnx --fp16", False),
        ("trtexec --onnx=m.onnx --fp16 --layerPrecisions=a:fp32", True),
        ("trtexec --loadEngine=m.plan", True),
        ("", True),
    ],
)
def test_types_of_single_layers_are_asked_for_where_the_build_may_state_them(engine, code, command, is_asked):
    context = engine("8.6", commands=(command,) if command else ())
    assert ("layerPrecisions" in _options(RULES[code], context)) is is_asked


def test_defaults_of_a_version_count_as_followed(engine):
    for version, flag in (("11.1", "useCudaGraph"), ("11.1", "useSpinWait"), ("11.0", "separateProfileRun")):
        context = engine(version)
        assert flag not in set().union(*(_options(rule, context) for rule in RULES.values()))
    undone = engine("11.1", inference_options={"CUDA Graph": "Disabled"})
    assert "noCudaGraph" in _options(RULES["TRX508"], undone)


@pytest.mark.parametrize("version", ["", *VERSIONS])
def test_every_rule_recommends_something(engine, version):
    context = engine(version)
    assert RULES
    for rule in RULES.values():
        text = Advice(context, ()).fitted(rule.recommendation)
        assert text
        assert text[-1] in ".)"


def test_an_unknown_version_gets_the_advice_of_each(engine):
    unknown = Advice(engine(), ()).fitted(RULES["TRX405"].recommendation)
    assert "Up to TensorRT 10: Build with --fp16" in unknown
    assert "From TensorRT 11 on, and with --stronglyTyped: Convert the ONNX file" in unknown
    known = Advice(engine("10.0"), ()).fitted(RULES["TRX405"].recommendation)
    assert "With --stronglyTyped: Convert the ONNX file" in known
    assert "TensorRT 11 on" not in known
    old = Advice(engine("8.6"), ()).fitted(RULES["TRX405"].recommendation)
    new = Advice(engine("11.0"), ()).fitted(RULES["TRX405"].recommendation)
    assert "--fp16" in old
    assert "ONNX" not in old
    assert "--fp16" not in new
    assert "Convert the ONNX file" in new


def test_documentation_of_rules_has_no_marks():
    assert RULES
    for rule in RULES.values():
        for name in TEXTS:
            text = general_advice(getattr(rule, name))
            assert not re.search(r"\[[^]]*:|\]", text), (rule.code, text)
            assert "  " not in text


@given(st.sampled_from(["8.2", "8.6", "10.3", "11.1", ""]), st.text(alphabet="ab []:.0123,", max_size=40))
def test_other_brackets_stay(engine, version, text):
    """A text without a mark is the same, up to its spaces."""
    plain = text.replace("..", ". ")
    assert Advice(engine(version), ()).fitted(plain).split() == plain.split()


def test_the_extent_of_several_places_follows_a_word():
    # It is in brackets, with a space before it: "; {extent}" would be "; (9.65% of layer time, ...)".
    wrong = [rule.code for rule in built_in_rules() if re.search(r"[^\w)]\{extent\}", rule.many)]
    assert wrong == []


def test_each_condition_has_a_word_of_its_own():
    (table,) = (
        each.value
        for each in ast.parse(inspect.getsource(conditions)).body
        if isinstance(each, ast.AnnAssign) and ast.unparse(each.target) == "CONDITIONS"
    )
    words = [each.value for each in table.keys if isinstance(each, ast.Constant)]
    words += [
        word for name, each in vars(conditions).items() if name.endswith("_CONDITIONS") for word in each
    ]
    assert sorted(words) == sorted(CONDITIONS)


def test_what_several_texts_depend_on_is_judged_once(engine, monkeypatch):
    asked = []
    test = CONDITIONS["quantized"]._replace(holds=lambda *_: asked.append(1) or True)
    monkeypatch.setitem(CONDITIONS, "quantized", test)
    advice = Advice(engine(), ())
    found = [advice.fitted(f"[{term} quantized: So.]") for term in ("if", "unless", "if")]
    assert found == ["So.", "", "So."]
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("setup", "text"),
    [
        ({"build_options": {"timingCacheFile": "cache.bin"}}, "X."),
        ({"commands": ("trtexec --onnx=m --timingCacheFile=cache.bin",)}, "X."),
        ({"build_options": {"Precision": "FP16"}}, ""),
        ({}, "If the build reads a timing cache: X."),
    ],
)
def test_what_to_do_with_a_timing_cache_depends_on_whether_the_build_has_one(engine, setup, text):
    assert Advice(engine("10.3", **setup), ()).fitted("[if cache-file: X.]") == text
