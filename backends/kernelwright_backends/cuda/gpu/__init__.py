"""CUDA on the real GPU: built by nvcc, run by a driver program of ours over CUDA's runtime, timed by events."""
