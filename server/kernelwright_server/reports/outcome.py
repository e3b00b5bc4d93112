"""The four outcomes of a verdict in words: the same in the text, the lens, the hover and the reports."""

from kernelwright_verifier.results.verdict import Verdict

STYLES = {"correct": "green", "safe": "cyan", "refused": "red", "not judged": "yellow"}
_JUDGING = 3  # gates that decide about the outcome


def outcome_words(verdict: Verdict) -> str:
    """`correct`, `correct, 2 warnings`, `safe without a task`, `refused` or `not judged`."""
    if verdict.outcome == "safe":
        return "safe without a task"
    if verdict.outcome == "correct" and verdict.warnings:
        return f"correct, {verdict.warnings} warning{'s' if verdict.warnings > 1 else ''}"
    return verdict.outcome


def why(verdict: Verdict) -> str:
    """What an outcome rests on, in a few words; empty for a correct one."""
    if verdict.outcome == "safe":
        inputs = f"{verdict.safe_inputs} synthetic input{'s' if verdict.safe_inputs != 1 else ''}"
        return f"no defect on {inputs}; no task says what it should compute"
    if verdict.outcome == "refused":
        failed = next((gate.gate for gate in verdict.gates if gate.status == "failed"), "correctness")
        return f"{failed} failed"
    return why_not_judged(verdict) if verdict.outcome == "not judged" else ""


def why_not_judged(verdict: Verdict) -> str:
    """The cause, by the gate that could not run; the findings say more."""
    if verdict.dialect is None:
        return "a task by itself"
    unjudged = next((gate for gate in verdict.gates[:_JUDGING] if gate.status == "error"), None)
    if unjudged is not None:
        code = next((f.code for f in unjudged.findings if f.severity in ("error", "warning")), None)
        return f"{code} in the {unjudged.gate} gate" if code else f"the {unjudged.gate} gate could not run"
    if verdict.task is None:
        entries = [f for f in verdict.findings if f.code == "TASK_MISSING" and "entry" in f.data]
        if safe := sum("safe_inputs" in f.data for f in entries):
            return f"{safe} of {len(entries)} entries are safe on synthetic inputs, the others were not run"
        if any(f.code == "TASK_MISSING" for f in verdict.findings):
            return (
                "no task says what it should compute"
                if verdict.kernels or verdict.entry
                else "it defines no kernel"
            )
        return (
            "a header by itself is only compiled" if verdict.gate("compile").status == "passed" else "no task"
        )
    return "no gate could run"
