"""Suggested fixes of findings in CUDA sources: the guard, the barrier, the padding, the mask, the error check.

Each is a small edit that is derived from the syntax tree around the finding. Nothing here knows whether it helps: callers
verify a fix before they offer it, or label it as not verified. `table.py` maps findings to fixes.
"""
