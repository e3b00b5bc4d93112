"""Templates that write CUDA C++."""
