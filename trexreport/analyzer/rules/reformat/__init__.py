"""Rules on reformats: layers that change the type or the layout of a tensor and compute nothing.

Each reformat counts for one rule only, the most specific; `reformat_places` assigns them. TRX205 sums up all.
"""

from __future__ import annotations

from trexreport.analyzer.rules.reformat.trx201_type_conversion import type_conversion
from trexreport.analyzer.rules.reformat.trx202_layout_only import layout_only
from trexreport.analyzer.rules.reformat.trx203_round_trip import round_trip
from trexreport.analyzer.rules.reformat.trx204_chain import chain
from trexreport.analyzer.rules.reformat.trx205_share_of_time import share_of_time
from trexreport.analyzer.rules.reformat.trx206_at_io_tensor import at_io_tensor
from trexreport.analyzer.rules.reformat.trx207_around_plugin import around_plugin

#: In the order of their codes.
RULES = (type_conversion, layout_only, round_trip, chain, share_of_time, at_io_tensor, around_plugin)
