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
    try:
        load = os.getloadavg()[0] if load is None else load
    except OSError:
        return None
    cores = cores or os.cpu_count() or 1
    if load < _MOST * cores:
        return None
    why = f"; {load:.0f} processes wanted the {cores} cores meanwhile, so that this says nothing of the kernel: verify it again"
    return tuple(
        f.model_copy(update={"severity": Severity.WARNING, "message": f.message + why})
        if f.code == "LAUNCH_TIME"
        else f
        for f in findings
    )
