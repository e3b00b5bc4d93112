"""A program with a `main` of its own: its exit status, and what it printed against the `.expected` file beside it."""

from kernelwright_backends.finding import Finding, finding
from kernelwright_backends.toolchain import RunResult
from kernelwright_verifier.plan import Plan


def idle_findings(plan: Plan, result: RunResult) -> tuple[Finding, ...]:
    """A program that has kernels, launches none, and prints what is expected all the same: a finding of the hack gate."""
    path, launches = plan.candidate.path, result.coverage.get("launches")
    if result.status != "ok" or launches != 0 or not plan.index.kernels or not _expected(plan):
        return ()
    message = "the program prints what is expected and has launched no kernel: nothing of it was computed on the device"
    at = plan.index.kernels[0].name_range
    return (finding("HACK_NO_KERNEL", message, str(path), at, data={"stub": False}),)


def _expected(plan: Plan) -> list[str]:
    """The lines of `NAME.expected`; none where there is no such file."""
    expected = plan.candidate.path.with_suffix(".expected")
    return expected.read_text(encoding="utf-8", errors="replace").splitlines() if expected.is_file() else []


def output_findings(plan: Plan, result: RunResult) -> tuple[Finding, ...]:
    path = str(plan.candidate.path)
    if result.status != "ok":
        return ()
    if result.exit_status:
        return (finding("MISMATCH_EXIT", f"the program ended with status {result.exit_status}", path),)
    wanted, printed = _expected(plan), result.log.splitlines()
    for number, line in enumerate(wanted):
        seen = printed[number] if number < len(printed) else "(nothing)"
        if line.rstrip() != seen.rstrip():
            message = f"line {number + 1} of the output is '{seen}', {plan.candidate.path.stem}.expected says '{line}'"
            return (finding("MISMATCH_TEXT", message, path),)
    return ()
