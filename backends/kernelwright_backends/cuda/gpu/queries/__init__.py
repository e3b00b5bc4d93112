"""Scripts that ask NVIDIA's libraries in processes of their own: the standard library alone, one line of JSON as the answer."""
