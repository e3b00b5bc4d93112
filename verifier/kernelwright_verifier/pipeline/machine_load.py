"""A timeout is no evidence against a kernel if the machine was under heavy load, since limits count wall-clock time, or if the
kernel made progress until it was stopped."""

import os

from kernelwright_backends.core.finding import Finding, Severity

# Runnable processes per core above which our processes, which run at low priority, get only a small share of one.
_MOST = 3.0


def excused(
    findings: tuple[Finding, ...], load: float | None = None, cores: int | None = None
) -> tuple[Finding, ...] | None:
    """The findings with LAUNCH_TIME as a warning, if the machine is to blame: it was under heavy load, or the kernel's
    blocks kept ending until it was stopped. None if it is not.

    Args:
        load: runnable processes, averaged over the last minute; None: of this machine.
        cores: of this machine where None.
    """
    errors = [f for f in findings if f.severity is Severity.ERROR]
    late = [f for f in errors if f.code == "LAUNCH_TIME"]
    if not late:
        return None
    load, cores = _load() if load is None else load, cores or os.cpu_count() or 1
    if not under_load(load, cores):
        forward = len(late) == len(errors) and all(f.data.get("blocks_ended_lately") for f in late)
        return _as_warnings(findings) if forward else None
    why = (
        f". {load:.0f} processes competed for {cores} cores, so this is no evidence against the kernel; "
        "verify it again"
    )
    return _as_warnings(findings, why)


def _as_warnings(findings: tuple[Finding, ...], why: str = "") -> tuple[Finding, ...]:
    return tuple(
        f.model_copy(update={"severity": Severity.WARNING, "message": f.message + why})
        if f.code == "LAUNCH_TIME"
        else f
        for f in findings
    )


def under_load(load: float | None = None, cores: int | None = None) -> bool:
    """Whether so many processes want this machine's cores that what took long may have waited for its turn.

    Args:
        load: as for `excused`.
        cores: as for `excused`.
    """
    return (_load() if load is None else load) >= _MOST * (cores or os.cpu_count() or 1)


def _load() -> float:
    """Processes that want to run, on average over the last minute; 0 where nobody says."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return 0.0
