"""The place of the runtime from cuda-python 12.6 on; the double of TensorRT 8.6 comes with an older one."""

from gpu_double import VERSION

if VERSION.startswith("8."):
    raise ImportError("No module named 'cuda.bindings'")
