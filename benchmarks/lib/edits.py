"""A candidate after an edit that changes its object but not what it does: it must be compiled again."""

import time

from kernelwright_verifier.task.task import Candidate


def edited(candidate: Candidate, number: int) -> Candidate:
    """The candidate with a function more, whose name no cache has seen."""
    added = f"\n__device__ inline int kernelwright_edit_{number}_{time.time_ns()}() {{ return {number}; }}\n"
    return candidate.model_copy(update={"text": candidate.text + added})
