"""Read the table [budget] of a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trexreport.analyzer.analysis import SEVERITIES
from trexreport.analyzer.analysis.budget import LEVELS, Level
from trexreport.analyzer.budget.figures import FIGURES
from trexreport.analyzer.budget.limits import Budget, Limit, Limited, Part
from trexreport.analyzer.budget.parts import PART_FIGURES
from trexreport.analyzer.budget.regression import REGRESSION_METRICS
from trexreport.analyzer.rules.rule import Rule
from trexreport.analyzer.rules.settings import check_selectors, selects
from trexreport.errors import UsageError
from trexreport.toml_table import TomlTable, did_you_mean, quoted

_DEFAULTS = ("level", "unknown")
_TABLES = ("findings", "places", "regression", "part")
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
    table.refuse_unknown((*FIGURES, *_TABLES, *_DEFAULTS))
    levels = _Levels().within(table)
    regression = table.table("regression")
    regression.refuse_unknown((*REGRESSION_METRICS, *_DEFAULTS))
    budget = Budget(
        file=file,
        engine=levels.limits(table, FIGURES),
        findings=_on_findings(table.table("findings"), levels, rules),
        places=_on_findings(table.table("places"), levels, rules),
        regression=levels.within(regression).limits(regression, REGRESSION_METRICS),
        parts=tuple(_part(each, levels) for each in table.tables("part")),
    )
    if not budget.limits:
        raise UsageError(f"{where.rstrip('.')} has no limit.", "Give one, such as latency-p99-ms = 12.")
    return budget


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
        raise UsageError(
            f"{table.prefix.rstrip(': ')} has no limit.", f"Known are {', '.join(PART_FIGURES)}."
        )
    pattern = block if layers is None else layers
    return Part(
        pattern=pattern or "",
        is_block=layers is None,
        each=table.truth("each"),
        title=table.text("name") or f"{'layers' if block is None else 'block'} {pattern}",
        limits=limits,
    )
