"""Mechanical repairs of findings in CUDA sources: the guard, the barrier, the padding, the mask, the error check.

Each is a small edit that a person would make without thinking, derived from the syntax tree around the finding. Nothing here
knows whether it helps: who offers a repair verifies it first, or says that nobody has. `fixes.py` says which finding is fixed
by what.
"""
