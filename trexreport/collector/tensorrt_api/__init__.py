"""Build and measure with TensorRT's Python bindings, by a program that takes trtexec's flags.

`python -m trexreport.collector.tensorrt_api` is run like trtexec, a process for each run, so that a crash in
TensorRT, a limit of time and Ctrl-C are dealt with in one way for both, and nothing else of trexreport
disturbs the loop that measures.
"""

from __future__ import annotations
