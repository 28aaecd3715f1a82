"""Rules on the measurement: whether it can be trusted, and what besides the GPU limits the engine."""

from __future__ import annotations

from functools import partial

from trexreport.analyzer.rules.rule import built_in_rule

#: Makes a rule of this family.
measurement_rule = partial(built_in_rule, section="timing")
