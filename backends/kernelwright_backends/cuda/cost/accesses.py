"""Sectors and shared memory passes of each memory access of the traced launches, for hovers."""

from collections.abc import Iterator
from typing import Any

from kernelwright_backends.cuda.cost.counters import Sample, Site, Trace

_MOST = 256


def accesses(trace: Trace) -> list[dict[str, Any]]:
    """Of every expression that accesses memory, the busiest first; several launches of a kernel are one."""
    merged: dict[tuple[object, ...], dict[str, Any]] = {}
    for sample, site in _sites(trace):
        at = site.at
        key = (
            at.path,
            *at.range.model_dump().values(),
            site.how,
            site.shared,
            _tensor(trace, site),
            sample.kernel,
        )
        row = merged.setdefault(
            key,
            {
                "path": at.path,
                "range": at.range.model_dump(),
                "how": site.how,
                "space": "shared" if site.shared else "global",
                "tensor": _tensor(trace, site),
                "kernel": sample.kernel,
                "requests": 0,
                "units": 0,
                "ideal": 0,
            },
        )
        row["requests"] += site.requests
        row["units"] += site.wavefronts if site.shared else site.sectors
        row["ideal"] += site.ideal_wavefronts if site.shared else site.ideal_sectors
    rows = sorted(merged.values(), key=lambda row: -row["requests"])[:_MOST]
    return [_per_request(row) for row in rows]


def _sites(trace: Trace) -> Iterator[tuple[Sample, Site]]:
    for launch in trace.launches:
        if isinstance(launch, Sample):
            yield from ((launch, site) for site in launch.sites if site.requests)


def _per_request(row: dict[str, Any]) -> dict[str, Any]:
    units, ideal = row.pop("units"), row.pop("ideal")
    return {
        **row,
        "per_request": round(units / row["requests"], 3),
        "ideal_per_request": round(ideal / row["requests"], 3),
    }


def _tensor(trace: Trace, site: Site) -> str | None:
    return (trace.allocations[site.allocation].name or None) if site.allocation >= 0 else None
