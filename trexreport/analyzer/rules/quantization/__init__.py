"""Rules on quantization: where it begins, ends and is interrupted."""

from __future__ import annotations

from functools import partial

from trexreport.analyzer.rules.rule import built_in_rule

#: Makes a rule of this family.
quantization_rule = partial(built_in_rule, section="precision")
