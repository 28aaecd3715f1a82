"""Read the table [budget] of a configuration."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from trexreport.analyzer.analysis import SEVERITIES
from trexreport.analyzer.analysis.budget import LEVELS, Level
from trexreport.analyzer.budget.figures import FIGURES
from trexreport.analyzer.budget.limits import Budget, Limit, Limited, MetricLimit, MetricLimitKind, Part
from trexreport.analyzer.budget.parts import PART_FIGURES
from trexreport.analyzer.budget.phases import TOTAL_FIGURES, SetBudget
from trexreport.analyzer.budget.regression import REGRESSION_METRICS
from trexreport.analyzer.rules.rule import Rule
from trexreport.analyzer.rules.settings import check_selectors, selects
from trexreport.errors import UsageError
from trexreport.toml_table import TomlTable, did_you_mean, quoted

_DEFAULTS = ("level", "unknown")
_TABLES = ("metrics", "findings", "places", "regression", "part")
#: Tables that only budgets of sets of phases have.
OF_SETS = ("phase", "total")
_PART_KEYS = ("layers", "block", "each", "name", *_DEFAULTS)
#: As much as the verdict of a comparison takes for its smallest difference.


def parse_budget(mapping: Mapping[str, Any], where: str, rules: Sequence[Rule], *, file: str = "") -> Budget:
    """Return what the table [budget] of a configuration says.

    Args:
        mapping: The table, as a parser of TOML gives it.
        where: What precedes its keys in messages, such as "trexreport.toml: budget.".
        rules: All rules that there are; whatever names none of them is a mistake.
        file: That of the table, for messages.

    Raises:
        UsageError: A key, rule, level or value is unknown or impossible, or there is no limit at all.
    """
    table = TomlTable(mapping, where)
    for key in OF_SETS:
        if key in mapping:
            raise table.wrong(
                key, "is for several phases, and one engine is checked", "Leave it out, or check the set."
            )
    budget = _budget(table, _Levels(), rules, file)
    if not budget.limits:
        raise UsageError(f"{where.rstrip('.')} has no limit.", "Give one, such as latency-p99-ms = 12.")
    return budget


def parse_set_budget(
    mapping: Mapping[str, Any], where: str, rules: Sequence[Rule], *, file: str = ""
) -> SetBudget:
    """Return what the table [budget] of a configuration says of the phases of a set.

    `[budget]` itself holds for every phase, `[budget.phase.NAME]` for one, and `[budget.total]` for what they
    take together.

    Args:
        mapping: As for `parse_budget`.
        where: As for `parse_budget`.
        rules: As for `parse_budget`.
        file: As for `parse_budget`.

    Raises:
        UsageError: As for `parse_budget`; two keys are one phase in two spellings.
    """
    table = TomlTable(mapping, where)
    shared = TomlTable({key: value for key, value in mapping.items() if key not in OF_SETS}, where)
    levels = _Levels().within(shared)
    of_phases: dict[str, Budget] = {}
    for key in table.table("phase"):
        name = unicodedata.normalize("NFC", key).strip()
        own = table.table("phase").table(key)
        if name in of_phases:
            raise table.table("phase").wrong(key, "is given twice, in two spellings", "Give it once.")
        of_phases[name] = _budget(own, levels, rules, file)
        if not of_phases[name].limits:
            raise UsageError(f"{own.prefix.rstrip('.')} has no limit.", "Give one, or leave it out.")
    total = table.table("total")
    total.refuse_unknown((*TOTAL_FIGURES, *_DEFAULTS))
    budget = SetBudget(
        file,
        _budget(shared, _Levels(), rules, file),
        of_phases,
        levels.within(total).limits(total, TOTAL_FIGURES),
    )
    if not (budget.shared.limits or budget.phases or budget.total):
        raise UsageError(f"{where.rstrip('.')} has no limit.", "Give one, such as latency-p99-ms = 12.")
    return budget


def _budget(table: TomlTable, levels: _Levels, rules: Sequence[Rule], file: str) -> Budget:
    table.refuse_unknown((*FIGURES, *_TABLES, *_DEFAULTS))
    levels = levels.within(table)
    regression = table.table("regression")
    regression.refuse_unknown((*REGRESSION_METRICS, *_DEFAULTS))
    return Budget(
        file=file,
        engine=levels.limits(table, FIGURES),
        metrics=tuple(_on_metrics(table.table("metrics"), levels)),
        findings=_on_findings(table.table("findings"), levels, rules),
        places=_on_findings(table.table("places"), levels, rules),
        regression=levels.within(regression).limits(regression, REGRESSION_METRICS),
        parts=tuple(_part(each, levels) for each in table.tables("part")),
    )


class _Levels(NamedTuple):
    """What a limit that does not hold, or is not known, is where the limit itself does not say."""

    level: Level = "error"
    unknown: Level = "warn"

    def within(self, table: TomlTable) -> _Levels:
        """Return what a table says for all of its limits."""
        return _Levels(
            table.one_of("level", LEVELS) or self.level, table.one_of("unknown", LEVELS) or self.unknown
        )

    def limits(self, table: TomlTable, figures: Mapping[str, Limited]) -> tuple[Limit, ...]:
        """Return the limits that a table has on some of these figures."""
        known = ((key, figure) for key, figure in figures.items() if key in table.values)
        return tuple(self.limit(table, key, figure.most, figure.bound) for key, figure in known)

    def limit(
        self, table: TomlTable, key: str, most: float = 1e12, bound: str = "max", *, of_rules: bool = False
    ) -> Limit:
        """Return the limit that a number states, or a table with the number and levels of its own."""
        if not isinstance(table.values[key], Mapping):
            return Limit(key, table.number(key, 0, most), self.level, self.unknown)
        own = table.table(key)
        own.refuse_unknown((bound, *_DEFAULTS, *(["severity"] if of_rules else [])))
        if bound not in own.values:
            raise own.wrong(bound, "is missing", f"It is the number that {key} is to be at {_WORD[bound]}.")
        levels = self.within(own)
        severity = own.one_of("severity", SEVERITIES) or SEVERITIES[-1]
        return Limit(key, own.number(bound, 0, most), levels.level, levels.unknown, severity)


_WORD = {"max": "most", "min": "least"}


def _on_metrics(table: TomlTable, levels: _Levels) -> Iterator[MetricLimit]:
    levels = levels.within(table)
    kinds: tuple[MetricLimitKind, ...] = get_args(MetricLimitKind)
    for name in (key for key in table if key not in _DEFAULTS):
        if not isinstance(table.values[name], Mapping):
            # Of an accuracy more is better, of a perplexity less.
            raise table.wrong(
                name,
                "does not state on which side values are good",
                "Write { min = 76.0 } or { max = 76.0 }.",
            )
        own = table.table(name)
        own.refuse_unknown((*kinds, *_DEFAULTS))
        of_name = levels.within(own)
        stated = [kind for kind in kinds if kind in own.values]
        if not stated:
            raise own.wrong("min", "is missing", f"Give one of {', '.join(kinds)}.")
        for kind in stated:
            lowest = 0 if kind in ("max-drop", "max-rise") else -1e12
            value = own.number(kind, lowest, 1e12)
            yield MetricLimit(name, value, of_name.level, of_name.unknown, kind=kind)


def _on_findings(table: TomlTable, levels: _Levels, rules: Sequence[Rule]) -> tuple[Limit, ...]:
    levels = levels.within(table)
    keys = [key for key in table if key not in _DEFAULTS]
    for key in keys:
        if key in SEVERITIES or any(selects(key, rule) for rule in rules):
            continue
        if close := did_you_mean(key, SEVERITIES):
            raise UsageError(
                f"{table.prefix.rstrip('.')}: there is no severity and no rule {quoted(key)}.", close
            )
        check_selectors((key,), table.prefix.rstrip("."), rules)
    # Severities first, the most severe first; then rules as they are written.
    keys.sort(key=lambda key: SEVERITIES.index(key) if key in SEVERITIES else len(SEVERITIES))
    return tuple(levels.limit(table, key, of_rules=key not in SEVERITIES) for key in keys)


def _part(table: TomlTable, levels: _Levels) -> Part:
    table.refuse_unknown((*_PART_KEYS, *PART_FIGURES))
    layers, block = table.text("layers"), table.text("block")
    if (layers is None) == (block is None):
        raise UsageError(
            f"{table.prefix.rstrip(': ')} needs either layers or block.",
            'Give a shell pattern, such as layers = "/head/*" or block = "layer1".',
        )
    limits = levels.within(table).limits(table, PART_FIGURES)
    if not limits:
        raise UsageError(f"{table.prefix.rstrip(': ')} has no limit.", f"Known: {', '.join(PART_FIGURES)}.")
    pattern = block if layers is None else layers
    return Part(
        pattern=pattern or "",
        is_block=layers is None,
        each=table.truth("each"),
        title=table.text("name") or f"{'layers' if block is None else 'block'} {pattern}",
        limits=limits,
    )
