"""The four gates: hack, compile, correctness, latency."""
