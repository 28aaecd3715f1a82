"""Read how accurate an engine is: files of Polygraphy, of trtexec's debug tensors, and plain figures."""
