"""KernelBench solutions: Python files with the class `ModelNew`, written from our files and read into them."""
