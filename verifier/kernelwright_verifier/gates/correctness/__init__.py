"""The correctness gate: five trials with fresh seeds, compared against float64 (verifier.md A4, A6)."""

from kernelwright_verifier.gates.correctness.trials import FAMILIES, Outcome, run_trials, trial_seeds

__all__ = ["FAMILIES", "Outcome", "run_trials", "trial_seeds"]
