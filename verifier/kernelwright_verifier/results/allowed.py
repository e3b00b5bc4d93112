"""Findings that the file or the configuration allows."""

from collections import Counter

from kernelwright_backends.core.finding import Finding, at_most, finding
from kernelwright_verifier.results.verdict import GateResult
from kernelwright_verifier.task.plan import Plan

# Of one gate, whatever the file is made of.
_MOST = 200


def without_allowed(gate: GateResult, plan: Plan) -> GateResult:
    """Leave out what is allowed, and say what was; a hack finding is only by the configuration."""
    ignored = plan.configuration.findings.ignore
    kept: list[Finding] = []
    silenced: Counter[str] = Counter()
    for item in gate.findings:
        in_file = not item.code.startswith("HACK_") and any(
            a.code == item.code and item.line in (a.line, a.line + 1) for a in plan.allowances
        )
        if in_file or item.code in ignored:
            silenced[item.code] += 1
        else:
            kept.append(item)
    most = at_most(tuple(kept), _MOST, "of this gate")
    if len(most) < len(kept):
        kept = list(most)
    elif not silenced:
        return gate
    if silenced:
        counted = ", ".join(f"{code} x{count}" for code, count in silenced.items())
        path = str(plan.candidate.path)
        kept.append(
            finding(
                "ENV_DIRECTIVE_ALLOW",
                f"allow= in this file or [findings] ignore hides {counted}; remove the code there to see them",
                path,
                data=dict(silenced),
            )
        )
    if gate.status in ("skipped", "error"):
        return gate.model_copy(update={"findings": tuple(kept)})
    return GateResult.of(gate.gate, tuple(kept), gate.elapsed_s, provisional=gate.provisional)
