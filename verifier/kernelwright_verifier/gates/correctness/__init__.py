"""The correctness gate: trials in stages, compared against float64 (verifier.md A4, A6, section 4)."""

from kernelwright_verifier.gates.correctness.checker import Examination
from kernelwright_verifier.gates.correctness.outcomes import only_too_large
from kernelwright_verifier.gates.correctness.trial_source import Drawing
from kernelwright_verifier.gates.correctness.trials import Numbered, Outcome, run_trials

__all__ = ["Drawing", "Examination", "Numbered", "Outcome", "only_too_large", "run_trials"]
