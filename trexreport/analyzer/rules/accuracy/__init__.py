"""Rules on accuracy: values that differ from those of a reference."""

from __future__ import annotations

from functools import partial

from trexreport.analyzer.rules.rule import built_in_rule

#: Makes a rule of this family.
accuracy_rule = partial(built_in_rule, section="accuracy", needs=("accuracy",))
