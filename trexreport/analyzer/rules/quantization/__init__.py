"""Rules on quantization: where it begins, ends and is interrupted."""

from __future__ import annotations

from functools import partial

from trexreport.analyzer.rules.rule import rule

#: Makes a rule of this family.
quantization_rule = partial(rule, section="precision", subject="movement")
