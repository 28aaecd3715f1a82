"""Rules on fusion: work that runs as several kernels, or in one kernel more than needed."""

from __future__ import annotations

from trexreport.analyzer.rules.rule import built_in_rule

#: Makes a rule of this family.
fusion_rule = built_in_rule
