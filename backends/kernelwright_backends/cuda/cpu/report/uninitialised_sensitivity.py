"""Does a value that was never stored into shared memory reach a result?

Idle lanes of a scan or a reduction often read what was never written, and nothing comes of it. Following every value through
registers would cost what all other checks cost together; so the run is repeated with other contents of the memory that
nobody wrote. What then leaves the device bit for bit as before does not depend on them.
"""

from kernelwright_backends.core.finding import Finding, Severity
from kernelwright_backends.interfaces.run import RunResult

# Large of either sign, as float, half, bfloat16 and integers alike; what takes the smaller or the larger shows one of them. The
# third is no number as a float or a half: it shows where what was never written is multiplied by zero.
CONTENTS = (0x7A7A7A7A, 0xFAFAFAFA, 0x7FC1FFC1)
_TOLD = ". Other contents of that memory gave the same results, so nothing depends on it in this run"


def in_question(result: RunResult) -> bool:
    """Did the run end, and was unwritten shared memory read in it?"""
    return result.status == "ok" and any(_concerns(found) for found in result.findings)


def same_with_other_contents(result: RunResult, again: RunResult) -> bool:
    """Did both runs end alike, with nothing else found in the second? What left the device is compared elsewhere."""
    return (
        again.status == result.status
        and again.exit_status == result.exit_status
        and [call.status for call in again.calls] == [call.status for call in result.calls]
        and _places(again) == _places(result)
    )


def lowered(result: RunResult) -> RunResult:
    """The same result, such reads as remarks that say why."""
    findings = tuple(
        found.model_copy(update={"severity": Severity.INFORMATION, "message": found.message + _TOLD})
        if _concerns(found)
        else found
        for found in result.findings
    )
    return result.model_copy(update={"findings": findings})


def _concerns(found: Finding) -> bool:
    return (
        found.code == "INIT_UNINITIALISED_READ"
        and found.severity is Severity.ERROR
        and found.data.get("space") == "shared"
    )


def _places(result: RunResult) -> set[tuple[str, str, int]]:
    return {(found.code, found.path, found.line) for found in result.findings}
