"""Describe the kernels that Nsight Systems recorded: those of each layer, gaps, idle time and its causes."""

from trexreport.analyzer.kernel_trace.describe import describe_kernels

__all__ = ["describe_kernels"]
