"""Rules on memory: how much of the time its bandwidth limits, and which tensors take most of it."""

from __future__ import annotations

from trexreport.analyzer.rules.memory.trx601_memory_bound import memory_bound
from trexreport.analyzer.rules.memory.trx602_weights_bound import weights_bound
from trexreport.analyzer.rules.memory.trx603_large_activation import large_activation
from trexreport.analyzer.rules.memory.trx604_low_bandwidth import low_bandwidth

#: In the order of their codes.
RULES = (memory_bound, weights_bound, large_activation, low_bandwidth)
