"""Which fixes are suggested for which finding."""

from collections.abc import Callable, Iterator

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.cuda.fixes.atomic import make_atomic
from kernelwright_backends.cuda.fixes.copies import wait_for_copies
from kernelwright_backends.cuda.fixes.first_value import give_first_value
from kernelwright_backends.cuda.fixes.guard import guard_index
from kernelwright_backends.cuda.fixes.launch import check_launch
from kernelwright_backends.cuda.fixes.masks import declare, name_all_lanes
from kernelwright_backends.cuda.fixes.performance import pad_rows, write_floats
from kernelwright_backends.cuda.fixes.source import Source


def fixes(text: str, finding: Finding) -> tuple[SuggestedFix, ...]:
    """The repairs that a finding in `text` has; most have none."""
    fixer = _FIXERS.get(finding.code)
    if fixer is None:
        return ()
    return tuple(fixer(Source(text), finding))


_FIXERS: dict[str, Callable[[Source, Finding], Iterator[SuggestedFix]]] = {
    "MEM_OUT_OF_BOUNDS": guard_index,
    "RACE_SHARED": make_atomic,
    "RACE_GLOBAL": make_atomic,
    "INIT_UNINITIALISED_READ": give_first_value,
    "SYNC_ASYNC_COPY": wait_for_copies,
    "PERF_BANK_CONFLICT": pad_rows,
    "PERF_DOUBLE": write_floats,
    "COMPILE_ERROR": declare,
    "SYNC_INVALID_MASK": name_all_lanes,
    "SYNC_INACTIVE_LANE": name_all_lanes,
    "LAUNCH_CONFIGURATION": check_launch,
    "LAUNCH_UNCHECKED": check_launch,
}
