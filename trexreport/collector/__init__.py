"""Make a capture: run trtexec or TensorRT's Python bindings, watch the GPU, keep account of it all."""
