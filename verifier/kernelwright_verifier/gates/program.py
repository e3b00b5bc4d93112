"""A program with a `main` of its own: its exit status, and what it printed against the `.expected` file beside it."""

from kernelwright_backends.finding import Finding, finding
from kernelwright_backends.toolchain import RunResult
from kernelwright_verifier.plan import Plan


def output_findings(plan: Plan, result: RunResult) -> tuple[Finding, ...]:
    path = str(plan.candidate.path)
    if result.status != "ok":
        return ()
    if result.exit_status:
        return (finding("MISMATCH_EXIT", f"the program ended with status {result.exit_status}", path),)
    expected = plan.candidate.path.with_suffix(".expected")
    if not expected.is_file():
        return ()
    wanted, printed = (
        expected.read_text(encoding="utf-8", errors="replace").splitlines(),
        result.log.splitlines(),
    )
    for number, line in enumerate(wanted):
        seen = printed[number] if number < len(printed) else "(nothing)"
        if line.rstrip() != seen.rstrip():
            message = f"line {number + 1} of the output is '{seen}', {expected.name} says '{line}'"
            return (finding("MISMATCH_TEXT", message, path),)
    return ()
