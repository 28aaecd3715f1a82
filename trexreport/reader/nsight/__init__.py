"""Read what NVIDIA's Nsight tools export: traces of Nsight Systems, counters of Nsight Compute."""
