"""Whether a version of a kernel is slower than the version accepted before it."""

import hashlib
import os
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.core.model import Model
from kernelwright_backends.interfaces.cost import CostEstimate
from kernelwright_backends.storage.content_key import content_key
from kernelwright_backends.storage.folders import cache_folder
from kernelwright_backends.storage.sealing import sealed, unsealed
from kernelwright_backends.untrusted.reading import read_bounded
from kernelwright_verifier.results.fingerprint import verifier_identity
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.task.task import TaskDescription

# What must lie between two latencies to say that one is longer: of measured ones (docs/development/verification.md, Timing; their quartiles
# must not meet either), of estimated ones (a ratio that they get right nearly always).
_MEASURED, _ESTIMATED = 1.02, 1.25
_CODE = "COST_REGRESSION"
_LARGEST_BYTES = 1 << 16


class Accepted(Model):
    """The latest feasible version of an entry that was not slower than the one before, or whose author allowed that."""

    schema_version: Literal[1] = 1
    text: str
    latency_us: float
    low_us: float
    high_us: float
    source: Literal["measured", "estimated"]
    estimated_by: str | None = None
    """which sources of ours; estimates of two versions of a cost model say nothing of each other"""
    when: str


def regression(plan: Plan, description: TaskDescription, estimate: CostEstimate) -> Finding | None:
    """Compare a feasible candidate's latency with that of the accepted version, and take its place if it may.

    What is kept lies in the cache folder; without it nothing is reported.
    """
    if estimate.latency_us is None or estimate.low_us is None or estimate.high_us is None:
        return None
    kept = _place(plan, description)
    digest = hashlib.sha256(plan.candidate.text.encode()).hexdigest()[:32]
    estimated_by = verifier_identity()["sources"] if estimate.source == "estimated" else None
    before = _read(kept)
    factor = _MEASURED if estimate.source == "measured" else _ESTIMATED
    slower = (
        before is not None
        and before.text != digest
        and before.source == estimate.source
        and before.estimated_by == estimated_by
        and estimate.latency_us > factor * before.latency_us
        and (estimate.source == "estimated" or estimate.low_us > before.high_us)
    )
    allowed = any(allowance.code == _CODE for allowance in plan.allowances)
    if not slower or allowed:
        made = Accepted(
            text=digest,
            latency_us=estimate.latency_us,
            low_us=estimate.low_us,
            high_us=estimate.high_us,
            source=estimate.source,
            estimated_by=estimated_by,
            when=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        with suppress(OSError):
            _write(kept, made)
    if not slower or before is None:
        return None
    ratio = estimate.latency_us / before.latency_us
    return finding(
        _CODE,
        f"the {estimate.source} latency rose to {estimate.latency_us:.4g} us, {ratio:.3g} times the "
        f"{before.latency_us:.4g} us of the version accepted earlier ({before.when})",
        str(plan.candidate.path),
        *([plan.entry.name_range] if plan.entry else []),
        data={"before_us": before.latency_us, "now_us": estimate.latency_us, "ratio": round(ratio, 4)},
    )


def _place(plan: Plan, description: TaskDescription) -> Path:
    task = str(plan.task.path) if plan.task else ""
    words = (
        str(plan.candidate.path),
        plan.entry_name or "",
        task,
        str(plan.target),
        repr(sorted(description.sizes)),
    )
    return cache_folder("accepted") / f"{content_key(words)}.json"


def _read(kept: Path) -> Accepted | None:
    """What was accepted before; None where nothing was, or where it is not sealed with this user's key."""
    try:
        content = unsealed(_purpose(kept), read_bounded(kept, limit_bytes=_LARGEST_BYTES, follow=False))
        return Accepted.model_validate_json(content) if content is not None else None
    except (OSError, ValueError):
        return None


def _write(kept: Path, accepted: Accepted) -> None:
    """
    Raises:
        OSError: there is no room or no right.
    """
    descriptor, temporary = tempfile.mkstemp(dir=kept.parent, prefix=".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(sealed(_purpose(kept), accepted.model_dump_json().encode()))
        Path(temporary).replace(kept)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _purpose(kept: Path) -> str:
    return f"accepted {kept.name}"
