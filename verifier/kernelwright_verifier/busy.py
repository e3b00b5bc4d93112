"""A run that was out of time on a machine that is out of breath says nothing of the kernel: limits are of the wall's clock."""

import os

from kernelwright_backends.finding import Finding, Severity

# So many processes for each core want to run: ours, which give way to others, get a small share of one.
_MOST = 3.0


def excused(
    findings: tuple[Finding, ...], load: float | None = None, cores: int | None = None
) -> tuple[Finding, ...] | None:
    """The findings with LAUNCH_TIME as a warning that says so, where the machine is to blame; None where it is not.

    Args:
        load: processes that want to run, on average over the last minute; of this machine where None.
        cores: of this machine where None.
    """
    if not any(f.code == "LAUNCH_TIME" and f.severity is Severity.ERROR for f in findings):
        return None
    load, cores = _load() if load is None else load, cores or os.cpu_count() or 1
    if not out_of_breath(load, cores):
        return None
    why = f"; {load:.0f} processes wanted the {cores} cores meanwhile, so that this says nothing of the kernel: verify it again"
    return tuple(
        f.model_copy(update={"severity": Severity.WARNING, "message": f.message + why})
        if f.code == "LAUNCH_TIME"
        else f
        for f in findings
    )


def out_of_breath(load: float | None = None, cores: int | None = None) -> bool:
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
