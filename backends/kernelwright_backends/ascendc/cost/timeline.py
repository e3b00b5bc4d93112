"""The units of every core on one clock: an event starts when the scalar unit has handed it over, its unit is free and its
flags are set. Each core has the memory to itself here; the estimate adds what all cores together ask of it."""

from collections import defaultdict, deque
from dataclasses import dataclass, field, replace

from kernelwright_backends.ascendc.cost.chip import Chip
from kernelwright_backends.ascendc.cost.instructions import BARRIERS, cost_of
from kernelwright_backends.ascendc.cost.trace import PIPES, Core, Event, Trace


@dataclass(frozen=True, slots=True)
class Span:
    """One event on the clock; microseconds from the start of the first core."""

    pipe: str
    op: str
    start_us: float
    end_us: float
    line: int
    bytes: int


@dataclass(frozen=True)
class Timeline:
    """Cores with the same events share one row."""

    rows: tuple[tuple[int, tuple[Span, ...]], ...]
    """(how many cores, their spans) in the order of the first core of each."""
    length_us: float
    busy_us: dict[str, float]
    """Of the core that ends last: how long each of its units works."""
    stuck: tuple[int, ...] = ()
    """Rows that wait for a flag of another core that is never set; their wait was passed over."""


@dataclass
class _Running:
    core: Core
    at: int = 0
    cursor: float = 0.0
    loaded: float = 0.0
    free: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PIPES, 0.0))
    done: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PIPES, 0.0))
    flags: dict[int, deque[float]] = field(default_factory=lambda: defaultdict(deque))
    last: dict[int, float] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    waits_for_all: bool = False

    @property
    def ended(self) -> bool:
        return self.at >= len(self.core.events)


class _CrossFlags:
    """Flags between cores, by number: the n-th wait of a core meets the n-th set of anybody."""

    def __init__(self) -> None:
        self.times: dict[int, list[float]] = defaultdict(list)
        self._seen: dict[tuple[int, int], int] = defaultdict(int)

    def ready(self, core: int, flags: tuple[int, ...]) -> bool:
        return all(len(self.times[flag]) > self._seen[core, flag] for flag in flags)

    def take(self, core: int, flags: tuple[int, ...]) -> float:
        time = 0.0
        for flag in flags:
            index = self._seen[core, flag]
            if index < len(self.times[flag]):
                time = max(time, self.times[flag][index])
            self._seen[core, flag] += 1
        return time


def simulate(trace: Trace, chip: Chip, *, most_spans: int | None = None) -> Timeline:
    """Run a trace on `chip`.

    Args:
        most_spans: how many events of each row are kept for pictures, the first ones; None: all.
    """
    cores = [_Running(core) for core in _apart(trace)]
    cross = _CrossFlags()
    us = 1 / (chip.cores.clock_ghz * 1e3)
    stuck: list[int] = []
    while not all(core.ended for core in cores):
        moved = False
        for number, core in enumerate(cores):
            moved |= _advance(core, number, cross, chip, most_spans)
        waiting = [core for core in cores if core.waits_for_all]
        if waiting and all(core.ended or core.waits_for_all for core in cores):
            together = max(map(_all_done, waiting)) + chip.launch.barrier_us / us
            for core in waiting:
                core.waits_for_all = False
                core.cursor = max(core.cursor, together)
                core.at += 1
            continue
        if not moved:  # a trace of a kernel that deadlocks: let the first one pass
            number = next(i for i, core in enumerate(cores) if not core.ended and not core.waits_for_all)
            stuck.append(number)
            cross_wait = cores[number].core.events[cores[number].at].cross_wait
            for flag in cross_wait:
                cross.times[flag].append(_all_done(cores[number]))
    rows = tuple(
        (
            running.core.count,
            tuple(replace(s, start_us=s.start_us * us, end_us=s.end_us * us) for s in running.spans),
        )
        for running in cores
    )
    # A list that was cut goes on at the same pace.
    longest = max(cores, key=lambda running: _all_done(running) * running.core.left_out)
    more = longest.core.left_out
    busy = {pipe: value * more for pipe, value in _busy(longest.core.events, chip).items()}
    return Timeline(rows, _all_done(longest) * us * more, busy, tuple(stuck))


def _apart(trace: Trace) -> list[Core]:
    """What is run: cores that do the same once, unless they speak to each other."""
    if any(event.cross_wait or event.cross_set for core in trace.cores for event in core.events):
        return [Core(core.events, 1, core.left_out) for core in trace.cores for _ in range(core.count)]
    return list(trace.cores)


def _all_done(core: _Running) -> float:
    return max(core.cursor, *core.done.values())


def _advance(core: _Running, number: int, cross: _CrossFlags, chip: Chip, most_spans: int | None) -> bool:
    """Go on until the core ends or waits for others; whether it did anything."""
    begun = core.at
    while not core.ended and not core.waits_for_all:
        event = core.core.events[core.at]
        if event.op == "SyncAll":
            core.waits_for_all = True
            break
        if event.cross_wait and not cross.ready(number, event.cross_wait):
            break
        _do(core, number, event, cross, chip, most_spans)
        core.at += 1
    return core.at > begun


def _do(
    core: _Running, number: int, event: Event, cross: _CrossFlags, chip: Chip, most_spans: int | None
) -> None:
    cost = cost_of(event, chip)
    pipe = event.pipe
    ready = cross.take(number, event.cross_wait) if event.cross_wait else 0.0
    for flag in event.wait:
        waiting = core.flags[flag]
        if waiting:
            core.last[flag] = waiting.popleft()
        ready = max(ready, core.last.get(flag, 0.0))
    if event.op in BARRIERS:
        ready = max(ready, *core.done.values()) if pipe == "S" else max(ready, core.done[pipe])
    if event.op != "GetValue":
        core.cursor = max(core.cursor, core.loaded)
    if pipe == "S":
        start = max(core.cursor, ready)
        end = start + cost.busy
        if event.op == "GetValue":
            each = chip.scalar.load_use_clocks
            end += each * (event.count - 1)
            core.loaded = end + each
            finished = core.loaded
        else:
            finished = end
        core.cursor = end
    else:
        core.cursor += cost.issue
        start = max(core.cursor, core.free[pipe], ready)
        end = start + cost.busy
        # A flag tells that everything before it is done; a copy's unit is free before its bytes have arrived.
        finished = max(end, core.done[pipe]) if event.is_flag else end + cost.latency
    core.free[pipe] = end
    core.done[pipe] = max(core.done[pipe], finished)
    for flag in event.set:
        core.flags[flag].append(finished)
    for flag in event.cross_set:
        cross.times[flag].append(finished)
    if end > start and (most_spans is None or len(core.spans) < most_spans):
        core.spans.append(Span(pipe, event.op, start, end, event.line, event.bytes))


def _busy(events: tuple[Event, ...], chip: Chip) -> dict[str, float]:
    clocks = dict.fromkeys(PIPES, 0.0)
    for event in events:
        cost = cost_of(event, chip)
        clocks[event.pipe] += cost.busy
        clocks["S"] += cost.issue
        if event.op == "GetValue":
            clocks["S"] += cost.latency
    return {pipe: value / (chip.cores.clock_ghz * 1e3) for pipe, value in clocks.items() if value}
