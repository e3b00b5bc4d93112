"""What was tried in a run, one line an attempt: every question tells it, so that none is asked twice."""

from kernelwright_memory.generators.base import Attempted
from kernelwright_verifier.results.verdict import GATES, Verdict


class Ledger:
    """The attempts of one run, in order."""

    def __init__(self) -> None:
        self._attempts: list[Attempted] = []
        self._numbers: dict[str, int] = {}

    @property
    def attempts(self) -> tuple[Attempted, ...]:
        return tuple(self._attempts)

    def note(self, plan: str, outcome: str, mark: str = "") -> None:
        """Add an attempt.

        Args:
            mark: the candidate's fingerprint; empty where there is none.
        """
        number = len(self._attempts) + 1
        self._attempts.append(Attempted(number=number, plan=plan, outcome=outcome))
        if mark:
            self._numbers.setdefault(mark, number)

    def number_of(self, mark: str) -> int:
        """The first attempt with this fingerprint, 0 for the file that the run began with."""
        return self._numbers.get(mark, 0)


def outcome_of(verdict: Verdict) -> str:
    """The gate that stopped a candidate and what it found first, or its latency; one line."""
    for name in GATES:
        gate = verdict.gate(name)
        if gate.status not in ("failed", "error"):
            continue
        found = [f for f in gate.findings if f.severity == "error"] or list(gate.findings)
        what = "failed at" if gate.status == "failed" else "could not be judged by"
        if verdict.feasible is None and any(f.code == "SIZE_TOO_LARGE" for f in gate.findings):
            # Right at the full size it may be, and nobody can tell.
            what = "not judged (SIZE_TOO_LARGE) at"
        pattern = f" (pattern: {found[0].data['pattern']})" if found and found[0].data.get("pattern") else ""
        said = f": {found[0].code} {found[0].message}{pattern}" if found else ""
        return f"{what} the {name} gate{said}"
    if verdict.feasible is None:
        return "could not be judged"
    if verdict.latency_us is None:
        return "correct; its latency is not known"
    return f"correct, {verdict.latency_us:.2f} us ({verdict.latency_source})"


def error_of(verdict: Verdict) -> str:
    """Why a verdict could not be had, from the gate that ran into an error."""
    for gate in verdict.gates:
        if gate.status == "error" or any(f.code == "SIZE_TOO_LARGE" for f in gate.findings):
            messages = [f.message for f in gate.findings]
            return messages[0] if messages else f"the {gate.gate} gate could not run"
    return "no gate could run"
