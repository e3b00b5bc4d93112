"""The events of the cores of one launch, as the runner recorded them.

    {"kernel": "add", "unique_bytes": 402653184, "cores": [{"core": 0, "count": 48, "kind": "AIV", "events": [
        {"pipe": "MTE2", "op": "DataCopy", "bytes": 8192, "dtype": "half", "wait": [3], "set": [1], "line": 40}, ...]}]}

Events stand in the order in which the scalar unit issued them. `count` cores did the same; where a list was cut, `events_kept` of
`events_total` are there. A flag's number may be used again: the n-th wait for it meets the n-th set. SetFlag and WaitFlag may
also be events of their own, of the unit that sets or waits; `cross_set` and `cross_wait` are flags between cores; `SyncAll`
joins all cores. A copy's `burst` tells `aligned_512`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PIPES = ("S", "MTE2", "MTE1", "V", "M", "FIX", "MTE3")
_BYTES = {
    "half": 2, "float16_t": 2, "bfloat16_t": 2, "int16_t": 2, "uint16_t": 2, "float": 4, "int32_t": 4, "uint32_t": 4,
    "int8_t": 1, "uint8_t": 1, "bool": 1, "int64_t": 8, "uint64_t": 8, "double": 8,
}  # fmt: skip

_MOST_LISTS = 8
_FLAGS = frozenset({"SetFlag", "WaitFlag", "set_flag", "wait_flag"})


class TraceError(ValueError):
    """A trace that cannot be read; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that one unit of a core was given."""

    pipe: str
    op: str
    bytes: int = 0
    """Moved by a copy."""
    elements: int = 0
    repeats: int = 0
    """Stretches of 256 bytes; 0: from `elements`."""
    element_bytes: int = 2
    count: int = 1
    """How many equal scalar accesses stand for this one."""
    conflict: str = ""
    """Of a vector instruction's operands: '', 'read_read' or 'read_write'."""
    aligned: bool = True
    """The copy starts at a multiple of 512 bytes of global memory."""
    bypass: bool = False
    """The copy takes no space in L2."""
    cached_bytes: int = 0
    """Of `bytes`, those that are known to be in L2."""
    shape: tuple[int, int, int] = (0, 0, 0)
    """m, n, k of a matrix multiplication."""
    set: tuple[int, ...] = ()
    wait: tuple[int, ...] = ()
    cross_set: tuple[int, ...] = ()
    cross_wait: tuple[int, ...] = ()
    line: int = 0

    @property
    def is_copy(self) -> bool:
        return self.pipe in ("MTE2", "MTE3", "FIX") and self.bytes > 0

    @property
    def is_flag(self) -> bool:
        return self.op in _FLAGS


@dataclass(frozen=True)
class Core:
    """`count` cores that did the same."""

    events: tuple[Event, ...]
    count: int = 1
    left_out: float = 1.0
    """All events over those that are here, at least 1: the same goes on after a cut."""


@dataclass(frozen=True)
class Trace:
    """One launch."""

    kernel: str
    cores: tuple[Core, ...]
    unique_bytes: int
    """Different bytes of global memory that were touched; 0: unknown, then nothing is taken to be touched twice."""
    warm: bool = False
    """The launch before touched the same bytes, as in a loop that measures: what fits L2 is there."""

    @property
    def core_count(self) -> int:
        return sum(core.count for core in self.cores)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "Trace":
        """
        Raises:
            TraceError: no cores, or an event without a known pipe.
        """
        cores = data.get("cores")
        if not isinstance(cores, Sequence) or not cores:
            raise TraceError("a trace holds 'cores', at least one")
        seen: dict[int, tuple[Event, ...]] = {}  # cores that share one list in memory are read once
        counts: dict[tuple[int, float], int] = {}
        for number, core in enumerate(_fewer(cores)):
            events = core.get("events", ())
            if id(events) not in seen:
                seen[id(events)] = tuple(_event(event, core.get("core", number)) for event in events)
            kept = max(len(seen[id(events)]), 1)
            key = id(events), max(1.0, core.get("events_total", kept) / kept)
            counts[key] = counts.get(key, 0) + int(core.get("count", 1))
        read = [Core(seen[events], count, left_out) for (events, left_out), count in counts.items()]
        unique = int(data.get("unique_bytes", 0))
        return cls(str(data.get("kernel", "")), tuple(read), unique, bool(data.get("warm", False)))


def _fewer(cores: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Where many cores each did something else: the busiest of them, the last of which stand for the rest. Long lists cost their
    time, and the slowest core decides."""
    different = {id(core.get("events", ())) for core in cores}
    if len(different) <= _MOST_LISTS:
        return list(cores)
    ordered = sorted(cores, key=lambda core: -_length(core))
    if any("cross_wait" in event for core in ordered[:1] for event in core.get("events", ())):
        return list(cores)
    kept, rest = ordered[:_MOST_LISTS], ordered[_MOST_LISTS:]
    # As many cores as carry the work of the rest.
    work = sum(_length(core) * int(core.get("count", 1)) for core in rest)
    last = kept[-1]
    more = round(work / max(_length(last), 1))
    return [*kept[:-1], {**last, "count": int(last.get("count", 1)) + more}]


def _length(core: Mapping[str, Any]) -> int:
    return int(core.get("events_total", len(core.get("events", ()))))


def _event(data: Mapping[str, Any], core: int) -> Event:
    pipe = data.get("pipe")
    pipe = "S" if pipe == "ALL" else pipe  # what all units wait for is the scalar unit's matter
    if pipe not in PIPES:
        raise TraceError(f"core {core}: an event of pipe {pipe!r}; there are {', '.join(PIPES)}")
    shape = data.get("shape", (0, 0, 0))
    return Event(
        pipe=str(pipe),
        op=str(data.get("op", "")),
        bytes=int(data.get("bytes", 0)),
        elements=int(data.get("elements", 0)),
        repeats=int(data.get("repeats", 0)),
        element_bytes=_BYTES.get(str(data.get("dtype", "half")), 4),
        count=int(data.get("count", 1)),
        conflict=str(data.get("conflict", "")),
        aligned=bool(data.get("aligned", data.get("burst", {}).get("aligned_512", True))),
        bypass=bool(data.get("bypass", False)),
        cached_bytes=int(data.get("cached_bytes", 0)),
        shape=(int(shape[0]), int(shape[1]), int(shape[2])),
        set=tuple(data.get("set", ())),
        wait=tuple(data.get("wait", ())),
        cross_set=tuple(data.get("cross_set", ())),
        cross_wait=tuple(data.get("cross_wait", ())),
        line=int(data.get("line", 0)),
    )
