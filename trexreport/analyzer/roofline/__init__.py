"""The roofline: the GPU's peaks, and each layer against them."""
