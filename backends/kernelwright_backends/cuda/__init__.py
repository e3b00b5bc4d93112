"""CUDA: spotting kernels, and executing them."""
