"""Ascend C on the CPU: kernels compiled with g++ against headers of our own, their pipes and cores followed by clocks."""
