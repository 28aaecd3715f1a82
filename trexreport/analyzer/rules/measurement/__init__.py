"""Rules on the measurement: whether it can be trusted, and what besides the GPU limits the engine."""

from __future__ import annotations

from trexreport.analyzer.rules.measurement.trx801_unstable import unstable
from trexreport.analyzer.rules.measurement.trx802_drift import drift
from trexreport.analyzer.rules.measurement.trx803_bimodal import bimodal
from trexreport.analyzer.rules.measurement.trx804_too_few_iterations import too_few_iterations
from trexreport.analyzer.rules.measurement.trx805_enqueue_bound import enqueue_bound
from trexreport.analyzer.rules.measurement.trx806_transfer_bound import transfer_bound
from trexreport.analyzer.rules.measurement.trx807_clocks_unknown import clocks_unknown
from trexreport.analyzer.rules.measurement.trx808_total_layer_time import total_layer_time
from trexreport.analyzer.rules.measurement.trx809_streams_overlap import streams_overlap
from trexreport.analyzer.rules.measurement.trx810_partial_profile import partial_profile
from trexreport.analyzer.rules.measurement.trx811_trtexec_warning import trtexec_warning
from trexreport.analyzer.rules.measurement.trx812_clock_throttled import clock_throttled
from trexreport.analyzer.rules.measurement.trx813_other_processes import other_processes

#: In the order of their codes.
RULES = (
    unstable,
    drift,
    bimodal,
    too_few_iterations,
    enqueue_bound,
    transfer_bound,
    clocks_unknown,
    total_layer_time,
    streams_overlap,
    partial_profile,
    trtexec_warning,
    clock_throttled,
    other_processes,
)
