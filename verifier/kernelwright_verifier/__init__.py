"""Verifies a kernel in four gates: hack, compile, correctness, latency."""
