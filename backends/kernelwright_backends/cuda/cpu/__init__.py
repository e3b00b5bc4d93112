"""CUDA executed on the CPU: rewriting, building, running under checks."""
