"""Rules of other packages, found as installed ones announce them; what is wrong with one costs only it."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from trexreport.analyzer.rules.registry import all_rules, built_in_rules
from trexreport.cli import main

BEFORE = Path(__file__).parents[2] / "samples" / "resnet18-int8-before"

RULE = '''
from trexreport.analyzer.rules import Hit, bound, estimate, rule

@rule("{code}", "{name}", "info", many="{{count}} places.")
def check(context):
    """A title.

    Cost:
        c
    Recommendation:
        a
    False alarm:
        f
    Est. savings:
        b
    """
    {body}
'''


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that installs a package of one module, as pip would leave it."""
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)

    def put(name, source, entry=None):
        (tmp_path / f"{name}.py").write_text(source)
        metadata = tmp_path / f"{name}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[trexreport.rules]\n{name} = {entry or name}\n")
        (metadata / "RECORD").write_text(f"{name}.py,,\n")
        importlib.invalidate_caches()

    yield put
    for module in set(sys.modules) - known:
        if module.startswith("acme"):
            del sys.modules[module]


def source_of(code="ACME101", name="acme.rule", body="return [Hit('It is.', (context.layers[0],))]"):
    return RULE.format(code=code, name=name, body=body)


def changed(field):
    """Return a package whose rule was not made by the decorator alone."""
    return f"{source_of()}\nimport dataclasses\nother = dataclasses.replace(check, {field})\n"


def threshold(default, most="2"):
    made = f'"info", thresholds=(Threshold("share", {default}, 0, {most}, "A share."),), '
    return source_of().replace('"info", ', made).replace("import Hit", "import Threshold, Hit")


def lint(*arguments):
    result = CliRunner().invoke(main, ["lint", str(BEFORE), "--isolated", "--format", "json", *arguments])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_without_other_packages_there_are_our_own():
    assert all_rules().rules == built_in_rules()
    assert all_rules().failures == ()


@pytest.mark.parametrize("entry", ["acme_good", "acme_good:check", "acme_good:everything"])
def test_a_package_adds_a_rule(install, entry):
    install("acme_good", source_of() + "\neverything = [check]\n", entry)
    document = lint("--select", "acme", "--fail-on", "never")
    assert [(each["code"], each["message"]) for each in document["findings"]] == [("ACME101", "It is.")]
    listed = CliRunner().invoke(main, ["rules"])
    assert "ACME101" in listed.stdout
    assert CliRunner().invoke(main, ["explain", "acme.rule"]).stdout.startswith("ACME101 acme.rule (info)\n")


def test_our_own_rules_come_first(install):
    install("acme_good", source_of())
    codes = [rule.code for rule in all_rules().rules]
    assert codes == [rule.code for rule in built_in_rules()] + ["ACME101"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("raise RuntimeError('no\\nluck')", "The rules of acme_bad failed to load: RuntimeError: no luck."),
        ("import sys; sys.exit('bye')", "The rules of acme_bad failed to load: SystemExit: bye."),
        ("import not_there_at_all", "The rules of acme_bad failed to load: ModuleNotFoundError: No module"),
        ("x = (", "The rules of acme_bad failed to load: SyntaxError: "),
        ("x = 1", "acme_bad has no rules."),
        ("import sys; sys.modules[__name__] = 1", "acme_bad has no rules."),
        (source_of(code="lower1"), "The rules of acme_bad failed to load: ValueError: lower1"),
        ("class Own(BaseException): pass\nraise Own('x')", "The rules of acme_bad failed to load: Own: x."),
        (
            changed("code=3"),
            "The rules of acme_bad failed to load: ValueError: 3: names and documentation must be texts",
        ),
        (
            changed("cost=None"),
            "The rules of acme_bad failed to load: ValueError: ACME101: names and documentation",
        ),
        (changed("severity='fatal'"), "The rules of acme_bad failed to load: ValueError: ACME101: the sev"),
        (
            changed("needs=('tea',)"),
            "The rules of acme_bad failed to load: ValueError: ACME101: unknown need",
        ),
        (
            changed("explains={'ACME102': 'nearby'}"),
            "The rules of acme_bad failed to load: ValueError: ACME101: exp",
        ),
        (changed("thresholds=('x',)"), "The rules of acme_bad failed to load: ValueError: ACME101: its thr"),
        (
            threshold("1", most="float('inf')"),
            "The rules of acme_bad failed to load: ValueError: the values",
        ),
        (threshold("float('nan')"), "The rules of acme_bad failed to load: ValueError: the values"),
        (threshold("3"), "The rules of acme_bad failed to load: ValueError: the threshold share needs"),
        (source_of(code="TRX102"), "acme_bad: the code TRX102 or the name acme.rule is in use."),
        (
            source_of(name="convolution.float-output"),
            "acme_bad: the code ACME101 or the name convolution.float-output is in use.",
        ),
    ],
)
def test_a_package_that_fails_costs_only_its_own_rules(install, source, expected):
    install("acme_bad", source)
    install("acme_good", source_of("ACME102", "acme.good"))
    registry = all_rules()
    assert [rule.code for rule in registry.rules] == [rule.code for rule in built_in_rules()] + ["ACME102"]
    (failure,) = registry.failures
    assert failure.startswith(expected)
    assert lint("--select", "acme")["remarks"] == [failure]
    assert f"warning: {expected}" in CliRunner().invoke(main, ["rules"]).stderr


def test_a_mistake_about_a_rule_that_did_not_load_says_why(install, tmp_path):
    install("acme_bad", "raise RuntimeError('no luck')")
    result = CliRunner().invoke(main, ["lint", str(BEFORE), "--isolated", "--select", "ACME101"])
    assert result.exit_code == 2
    assert 'there is no rule "ACME101"' in result.stderr
    assert "The rules of acme_bad failed to load" in result.stderr


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("raise RuntimeError('no\\nluck')", "The rule raised RuntimeError: no luck."),
        ("return 1 / 0", "The rule raised ZeroDivisionError: division by zero."),
        ("return ['nonsense']", "The rule raised AttributeError: "),
        ("return None", "The rule raised TypeError: "),
        ("return [Hit(3)]", "The rule raised ValueError: a hit's message and evidence must be texts."),
        ("return [Hit('x', evidence={'a': 1})]", "The rule raised ValueError: a hit's message"),
        ("return [Hit('x', severity='fatal')]", "The rule raised ValueError: the severity must be one of"),
        (
            "return [Hit('x', gain=bound(float('nan')))]",
            "The rule raised ValueError: the savings of a hit must be numbers of a known kind.",
        ),
        (
            "return [Hit('x', gain=estimate(2.0, 1.0))]",
            "The rule raised ValueError: the minimum of a hit's savings must not be above the maximum.",
        ),
        (
            "return [Hit('x', gain=bound(1.0, 'guess'))]",
            "The rule raised ValueError: the basis of a hit's savings must be a known code",
        ),
        (
            "return [Hit('x', gain_ms=0.1)]",
            "The rule raised ValueError: gain_ms is now gain: gain=bound(ms) or gain=estimate(low_ms,",
        ),
        (
            "return [Hit('x', (), 0.1)]",
            "The rule raised ValueError: gain_ms is now gain: gain=bound(ms) or gain=estimate(low_ms,",
        ),
        ("import sys; return sys.modules['nowhere'].x", "The rule raised KeyError: "),
        ("import sys; sys.exit(0)", "The rule raised SystemExit: 0."),
        ("raise GeneratorExit", "The rule raised GeneratorExit."),
        ("raise type('Own', (BaseException,), {})('x')", "The rule raised Own: x."),
        ("raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})", "The rule raised E."),
        ("raise ValueError('\\ud800')", "The rule raised ValueError: ?."),
        ("return check.check(context)", "The rule raised RecursionError: "),
        ("return [Hit('\\ud800')]", "The rule raised UnicodeEncodeError: "),
        ("return [Hit('x', gain=bound('1'))]", "The rule raised TypeError: "),
        ("return [Hit('x', ({**{}},))]", "The rule raised AttributeError: "),
        (
            "import dataclasses as d; return [Hit('x', (d.replace(context.layers[0], index=-1),))]",
            "The rule raised ValueError: the layers of a hit must be those of the context.",
        ),
        ("context.layers.clear()", "The rule raised AttributeError: 'tuple' object has"),
    ],
)
def test_a_rule_that_raises_is_broken_and_the_others_live_on(install, body, expected):
    install("acme_bad", source_of(body=body))
    install("acme_good", source_of("ACME102", "acme.good"))
    document = lint("--select", "acme", "--fail-on", "never")
    assert [each["code"] for each in document["findings"]] == ["ACME102"]
    (broken,) = document["unchecked"]
    assert (broken["code"], broken["why"]) == ("ACME101", "broken")
    assert broken["reason"].startswith(expected)
    assert document["counts"]["checked"] == document["counts"]["broken"] == 1


def test_a_rule_whose_texts_raise_is_broken_and_the_others_live_on(install):
    body = "return [Hit('It is.', (layer,)) for layer in context.layers[:2]]"
    install("acme_bad", source_of(body=body).replace("{count} places", "{Reason}"))
    install("acme_good", source_of("ACME102", "acme.good", body))
    document = lint("--select", "acme", "--fail-on", "never")
    assert [each["message"] for each in document["findings"]] == ["2 places."]
    (broken,) = document["unchecked"]
    assert (broken["code"], broken["why"]) == ("ACME101", "broken")
    assert broken["reason"] == "The rule raised KeyError: 'Reason'."


def test_one_rule_in_two_entries_is_one_rule(install):
    install("acme_good", source_of())
    install("acme_more", "from acme_good import check")
    assert all_rules().failures == ()


def refuse_metadata(monkeypatch):
    def damaged(**_):
        raise ValueError("bad metadata")

    monkeypatch.setattr(importlib.metadata, "entry_points", damaged)


def test_metadata_is_read_only_where_a_package_may_add_rules(install, monkeypatch, tmp_path):
    refuse_metadata(monkeypatch)
    plain = [each for each in sys.path if each and Path(each).is_dir()]
    monkeypatch.setattr(sys, "path", plain)
    assert all_rules().failures == ()
    (tmp_path / "packages.zip").write_bytes(b"PK")
    monkeypatch.setattr(sys, "path", [*plain, str(tmp_path / "packages.zip")])
    assert len(all_rules().failures) == 1
    monkeypatch.setattr(sys, "path", [*plain, str(tmp_path / "missing"), None])
    assert all_rules().failures == ()
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, importlib.metadata.DistributionFinder])
    assert len(all_rules().failures) == 1


def test_damaged_metadata_is_reported(install, monkeypatch):
    from trexreport.analyzer.rules import registry

    install("acme_good", source_of())
    refuse_metadata(monkeypatch)
    assert registry.all_rules().failures == (
        "The rules of other packages were not found: ValueError: bad metadata.",
    )
    assert registry.all_rules().rules == built_in_rules()


@pytest.mark.parametrize("number", ["decimal.Decimal('0.001')", "fractions.Fraction(1, 1000)"])
def test_a_gain_of_another_kind_of_number_is_written_as_usual(install, number):
    body = f"import decimal, fractions; return [Hit('It is.', (context.layers[0],), bound({number}))]"
    install("acme_good", source_of(body=body))
    assert [each["gain"]["high_ms"] for each in lint("--select", "acme")["findings"]] == [0.001]


def test_what_a_package_prints_is_not_amid_the_findings(install):
    install("acme_good", "print('loading')\n" + source_of(body="print('looking'); return []"))
    result = CliRunner().invoke(main, ["lint", str(BEFORE), "--isolated", "--format", "json"])
    assert json.loads(result.stdout)["schema"] == "trexreport.lint"
    assert "loading\nlooking\n" in result.stderr


def test_who_interrupts_a_rule_interrupts_the_command(install):
    install("acme_good", source_of(body="raise KeyboardInterrupt"))
    result = CliRunner().invoke(main, ["lint", str(BEFORE), "--isolated"])
    assert (result.exit_code, result.stdout) == (130, "")
    assert "Interrupted" in result.stderr


def test_who_interrupts_the_loading_of_a_package_interrupts_the_command(install):
    install("acme_good", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        all_rules()


def test_metadata_of_an_egg_on_the_path_is_read(monkeypatch, tmp_path):
    refuse_metadata(monkeypatch)
    egg = tmp_path / "acme.egg"
    egg.mkdir()
    monkeypatch.setattr(sys, "path", [str(egg)])
    assert len(all_rules().failures) == 1
