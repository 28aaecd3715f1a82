"""The ONNX model beside the engine: which layers compute which nodes, and what nodes and modules cost."""

from trexreport.analyzer.onnx.describe import describe_onnx

__all__ = ["describe_onnx"]
