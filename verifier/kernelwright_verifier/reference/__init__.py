"""The processes around every verdict: the reference (torch, the task) and the judge (only numbers)."""
