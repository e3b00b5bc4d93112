"""NVIDIA's own compiler: where it is, what it says of a text, what it makes of it. No GPU is needed."""
