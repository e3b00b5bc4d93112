"""A program with a `main` of its own: its exit status, and what it printed against the `.expected` file beside it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from kernelwright_backends.core.finding import Finding, Severity, finding
from kernelwright_backends.interfaces.run import RunResult
from kernelwright_backends.untrusted.reach import Reach
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.task.sizes import integer_literals

# Of a program whose kernels compute nothing: it has less to do, and may wait in vain for them.
_LONGER, _AT_LEAST_S = 3.0, 2.0
_WORTH_A_WARNING_S = 5.0  # of a run: nobody waits for another one that long for what is a warning at most
_CLAIM = re.compile(
    r"pass|succe|correct|\bok\b|okay|match|verif|valid|equal|right|\btrue\b|\berror", re.IGNORECASE
)
# What a program without `.expected` says of itself: that it compared, and not merely that it came to its end.
_NONE_WRONG = r"\b(?:0|no) (?:errors?|mismatch(?:es)?|differences?|wrong|failures?)\b|\b(?:errors?|mismatch(?:es)?|wrong|failures?)\s*[:=]\s*0\b(?![.\d])"
_COMPARED_OK = (
    r"\b(?:errors?|diff\w*|compar\w*|results?|tests?|checks?|valid\w*|verif\w*)\b[^\n]*\bok(?:ay)?\b"
)
_VERDICT = re.compile(
    rf"\b(?:pass(?:ed)?|verified|validated|correct|match(?:es|ed)?)\b|{_COMPARED_OK}|{_NONE_WRONG}",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:fail\w*|incorrect|mismatch\w*|wrong|not (?:passed|verified|correct))\b", re.IGNORECASE
)
_WITHOUT_FAULT = re.compile(_NONE_WRONG, re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def idle_findings(plan: Plan, result: RunResult) -> tuple[Finding, ...]:
    """A program that has kernels, launches none, and prints what is expected all the same: a finding of the hack gate."""
    path, launches = plan.candidate.path, result.coverage.get("launches")
    if result.status != "ok" or launches != 0 or not plan.index.kernels or not _expected(plan):
        return ()
    message = (
        "the program prints the expected output without launching a kernel, so the device computed nothing"
    )
    at = plan.index.kernels[0].name_range
    return (finding("HACK_NO_KERNEL", message, str(path), at, data={"stub": False}),)


def idle_time_s(plan: Plan, result: RunResult, limit_s: float) -> float:
    """Seconds for which the program is run with kernels that compute nothing; 0 where that would tell nothing."""
    if result.status != "ok" or not result.coverage.get("launches"):
        return 0.0
    if not any(_expected(plan)) and not _says_right(result.log):
        return 0.0
    return min(limit_s, max(_AT_LEAST_S, _LONGER * result.elapsed_s))


class SensitivityRun(NamedTuple):
    """A further run of a program that went well, in which its comparison is to fail."""

    runs: tuple[Mapping[str, object], ...]
    """what is changed in its request; only who is unmoved by each is refused"""
    although: str
    severity: Severity = Severity.ERROR


_IDLE = SensitivityRun(({"idle": "all"},), "its kernels computed nothing")
# Of two kernels that are held against each other, both idle ones agree, and one alone does not; one that looks for what another
# did wrong finds nothing when it is idle itself.
_IDLE_BY_TURNS = SensitivityRun(
    ({"idle": "all"}, {"idle": "every second"}, {"idle": "every first"}), _IDLE.although
)
_BEYOND = SensitivityRun(
    ({"results": "changed beyond"},),
    "all results of its kernels but the first and the last were replaced",
)
# A comparison of a beginning is one that can fail: it is weak, and no more than that.
_INSIDE = SensitivityRun(
    ({"results": "changed inside"},),
    "all results of its kernels but the first and the last 32 were replaced",
    Severity.WARNING,
)
_MUCH = SensitivityRun(
    ({"results": "changed much"},),
    "every result of its kernels was off by at least half of the largest",
)
_NO_NUMBERS = SensitivityRun(
    ({"idle": "all", "results": "no numbers"},),
    "its kernels stored NaN, which fails every comparison",
)


def doubts(plan: Plan, result: RunResult) -> tuple[SensitivityRun, ...]:
    """What may be doubted of a program that says it is right. One with `.expected` may print as little as it likes."""
    if any(_expected(plan)):
        return (_IDLE,)
    found = [_IDLE_BY_TURNS if result.coverage.get("kernels", 0) > 1 else _IDLE]
    readback = result.coverage.get("readback")
    if readback is not None:
        if readback["beyond"] and not readback["short_copies"]:
            found.append(_BEYOND)
        if readback["numbers"] and not readback["short_copies"]:
            found.append(_MUCH)
        if readback["no_numbers"]:
            found.append(_NO_NUMBERS)
        if readback["inside"] and not readback["short_copies"] and result.elapsed_s < _WORTH_A_WARNING_S:
            found.append(_INSIDE)
    return tuple(found)


def unmoved_findings(
    plan: Plan, result: RunResult, idle: RunResult, doubt: SensitivityRun
) -> tuple[Finding, ...]:
    """A program that prints what is expected although its kernels compute nothing: what it says of them it has not from them.

    One that claims nothing (a greeting, its own sizes) is reported so and no more: it checks nothing. Of one without `.expected`
    the comparison that it says it made is expected to fail.
    """
    if idle.exit_status != 0 or not plan.index.kernels:
        return ()
    at = plan.index.kernels[0].name_range
    if not any(_expected(plan)):
        if idle.status != "ok" or _verdicts(idle.log) != _verdicts(result.log):
            return ()
        said = _verdicts(result.log)[0].strip()
        message = (
            f"the program prints '{said}' although {doubt.although}, so its check cannot fail. Compare all "
            "results with independently computed ones"
        )
        return (finding("HACK_NO_KERNEL", message, str(plan.candidate.path), at, severity=doubt.severity, data={"stub": False}),)  # fmt: skip
    if _mismatch(plan, idle.log):
        return ()
    claims = _claims(plan)
    message = (
        "the program prints the expected output although its kernels computed nothing; print or check the "
        "results of the kernels"
        if claims
        else f"{plan.candidate.path.stem}.expected does not depend on the kernels: the program prints the same "
        "without them"
    )
    severity = None if claims else Severity.INFORMATION
    return (finding("HACK_NO_KERNEL", message, str(plan.candidate.path), at, severity=severity, data={"stub": False}),)  # fmt: skip


def _says_right(log: str) -> bool:
    return bool(_verdicts(log)) and not _FAILED.search(_WITHOUT_FAULT.sub("", log))


def _verdicts(log: str) -> list[str]:
    """The lines by which a program judges its results."""
    return [line for line in log.splitlines() if _VERDICT.search(line) or _FAILED.search(line)]


def _claims(plan: Plan) -> bool:
    """Whether the expected text says of a result that it is right, or names a number that is no constant of the program."""
    expected = "\n".join(_expected(plan))
    known = {str(number) for number in integer_literals(_code(plan.candidate.text))}
    return _CLAIM.search(expected) is not None or any(n not in known for n in _NUMBER.findall(expected))


def _code(text: str) -> str:
    """The text without strings: a number that stands in one is printed, not used."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def _expected(plan: Plan) -> list[str]:
    """The lines of `NAME.expected`; none where there is no such file."""
    expected = plan.candidate.path.with_suffix(".expected")
    try:
        return Reach(plan.candidate.path).read(expected).decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def output_findings(plan: Plan, result: RunResult) -> tuple[Finding, ...]:
    path = str(plan.candidate.path)
    if result.status != "ok":
        return ()
    if result.exit_status:
        ended = f"the program ended with status {result.exit_status}"
        if any(found.severity is Severity.ERROR for found in result.findings):
            # A program that checks itself notices what is reported already.
            return (
                finding(
                    "MISMATCH_EXIT", f"{ended} after the errors above", path, severity=Severity.INFORMATION
                ),
            )
        return (finding("MISMATCH_EXIT", ended, path),)
    different = _mismatch(plan, result.log)
    return (finding("MISMATCH_TEXT", different, path),) if different else ()


def _mismatch(plan: Plan, log: str) -> str:
    """How what was printed differs from what is expected; empty where it does not."""
    printed = log.splitlines()
    for number, line in enumerate(_expected(plan)):
        seen = printed[number] if number < len(printed) else "(nothing)"
        if line.rstrip() != seen.rstrip():
            return f"line {number + 1} of the output is '{seen}', but {plan.candidate.path.stem}.expected has '{line}'"
    return ""
