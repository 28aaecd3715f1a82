"""Rules on reformats: layers that change the type or the layout of a tensor and compute nothing.

Each reformat counts for one rule only, the most specific; `reformat_places` assigns them. TRX205 sums up all.
"""

from __future__ import annotations

from functools import partial

from trexreport.analyzer.rules.rule import built_in_rule

#: Makes a rule of this family.
reformat_rule = partial(built_in_rule, section="reformats")
