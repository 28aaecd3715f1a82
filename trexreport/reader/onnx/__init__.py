"""Read the structure of ONNX models: nodes, tensors and what the exporter wrote about them, without weights.

Source: onnx.proto of ONNX 1.23 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

from trexreport.reader.onnx.model import read_onnx

__all__ = ["read_onnx"]
