"""The task's eager latency on a GPU, by the protocol that candidates are timed by (docs/development/verification.md, Timing).

Before each call the L2 is flushed by writing twice its size with another value, and a spin keeps the device busy until the
call's launches stand in its queue; two events around the call give its time. The spin's own time tells the clock.
"""

from __future__ import annotations

import inspect
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from .copies import copied
from .faults import TaskFault
from .instance import Instance
from .loading import LoadedTask
from .pipes import REPLY_DESCRIPTOR, write_all
from .process import TaskProcess

BLOCK = 10  # samples between two waits
LEAST_SAMPLES, MOST_SAMPLES = 50, 2000
LEAST_TOTAL_US, MOST_TOTAL_US = 200e3, 2e6
LEAST_WARM_UP, MOST_WARM_UP, WARM_UP_S = 3, 5000, 0.05
PATIENCE_S = 8.0
CLOCK_TOLERANCE = 0.02
# Events tell half a microsecond: so long a spin tells the clock to a two-hundredth.
LEAST_SPIN_US, MOST_SPIN_US = 100.0, 1000.0
SMALLEST_FLUSH = 16 << 20
MOST_COPIES = 16
USUAL_L2 = 64 << 20  # where torch does not tell
LONGEST_MESSAGE = 300

Call = Callable[[], Any]


def serve() -> None:
    """Answer the one request on standard input."""
    os.set_inheritable(REPLY_DESCRIPTOR, False)
    request = json.loads(sys.stdin.readline())
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    reply: dict[str, Any]
    try:
        reply = {"result": latency(request["task"], int(request["seed"]))}
    except BaseException as error:  # whatever a task's code throws, SystemExit too
        text = " ".join(str(error).split())[:LONGEST_MESSAGE]
        named = text if isinstance(error, TaskFault) else f"{type(error).__name__}: {text}"
        reply = {"error": {"message": named or type(error).__name__}}
    write_all(REPLY_DESCRIPTOR, json.dumps({"nonce": request["nonce"], **reply}).encode() + b"\n")


def latency(task: dict[str, Any], seed: int) -> dict[str, Any]:
    """Median and quartiles of one call of Model.forward at the task's full size, in microseconds."""
    if not torch.cuda.is_available():
        raise TaskFault("TASK_INVALID", f"torch {torch.__version__} finds no GPU")
    loaded = TaskProcess(task).load("full")
    with torch.no_grad():
        calls = calls_of(loaded, seed)
        timed = Timed(calls)
        timed.warm_up()
        return timed.measured()


def calls_of(task: LoadedTask, seed: int) -> list[Call]:
    """Calls of the model on several copies of its inputs, so that the next finds nothing of the last in a cache."""
    gpu = torch.device("cuda")
    try:
        with gpu:  # made where they are used, where the task lets them
            instance = Instance(task, seed)
    except TaskFault:
        instance = Instance(task, seed)
    model = instance.model.to(gpu)
    inputs = {name: moved(value, gpu) for name, value in instance.inputs.items()}
    size = sum(v.numel() * v.element_size() for v in inputs.values() if isinstance(v, torch.Tensor))
    l2 = l2_bytes()
    free, _ = torch.cuda.mem_get_info()
    count = max(4, -(-2 * l2 // max(size, 1)))
    count = max(1, min(count, MOST_COPIES, int(free // 3 // max(size, 1))))
    sets = [inputs, *({n: copied(v) for n, v in inputs.items()} for _ in range(count - 1))]
    parameters = inspect.signature(model.forward).parameters
    by_name = all(name in parameters for name in inputs) and not any(
        p.kind is p.VAR_POSITIONAL for p in parameters.values()
    )

    def call(given: dict[str, Any]) -> Call:
        if by_name:
            return lambda: model(**given)
        listed = list(given.values())
        return lambda: model(*listed)

    made = [call(given) for given in sets]
    try:
        made[0]()
    except Exception:
        # It makes tensors where torch makes them unless told otherwise.
        torch.set_default_device(gpu)
        made[0]()
    torch.cuda.synchronize()
    return made


def l2_bytes() -> int:
    return int(getattr(torch.cuda.get_device_properties(0), "L2_cache_size", USUAL_L2))


def moved(value: Any, device: Any) -> Any:
    return value.detach().to(device) if isinstance(value, torch.Tensor) else value


class Timed:
    """Samples of one call."""

    def __init__(self, calls: list[Call]) -> None:
        self.calls, self.turn = calls, 0
        properties = torch.cuda.get_device_properties(0)
        self.device = str(properties.name)
        self.flushed = max(2 * l2_bytes(), SMALLEST_FLUSH)
        self.flush = torch.empty(self.flushed // 4, dtype=torch.int32, device="cuda")
        self.value = self.warm_up_calls = 0
        self.host_us = 0.0
        self.cycles = self.cycles_of_a_microsecond()
        self.spin_cycles = 0
        self.samples: list[float] = []
        self.clocks: list[float] = []

    def cycles_of_a_microsecond(self) -> float:
        cycles = 1_000_000
        found: list[float] = []
        for _ in range(3):
            start, end = event(), event()
            start.record()
            torch.cuda._sleep(cycles)  # type: ignore[no-untyped-call]
            end.record()
            torch.cuda.synchronize()
            found.append(cycles / (start.elapsed_time(end) * 1e3))
        return statistics.median(found)

    def next(self) -> Call:
        self.turn += 1
        return self.calls[self.turn % len(self.calls)]

    def warm_up(self) -> None:
        """Calls before any that counts; what the host needs for one says how long the spin must be."""
        host: list[float] = []
        began = time.monotonic()
        while self.warm_up_calls < LEAST_WARM_UP or (
            time.monotonic() - began < WARM_UP_S and self.warm_up_calls < MOST_WARM_UP
        ):
            call = self.next()
            started = time.perf_counter()
            call()
            host.append((time.perf_counter() - started) * 1e6)
            torch.cuda.synchronize()
            self.warm_up_calls += 1
        self.host_us = statistics.median(host)
        spin_us = min(max(20 + 1.5 * self.host_us, LEAST_SPIN_US), MOST_SPIN_US)
        self.spin_cycles = int(spin_us * self.cycles)

    def sample(self, count: int) -> None:
        """So many calls in a row, without waiting in between."""
        events = [(event(), event(), event()) for _ in range(count)]
        for spun, start, end in events:
            call = self.next()
            self.value += 1
            self.flush.fill_(self.value)
            spun.record()
            torch.cuda._sleep(self.spin_cycles)  # type: ignore[no-untyped-call]
            start.record()
            call()
            end.record()
        torch.cuda.synchronize()
        for spun, start, end in events:
            self.samples.append(start.elapsed_time(end) * 1e3)
            self.clocks.append(self.spin_cycles / max(spun.elapsed_time(start) * 1e3, 1e-3))

    def measured(self) -> dict[str, Any]:
        began = time.monotonic()
        while len(self.samples) < MOST_SAMPLES and time.monotonic() - began < PATIENCE_S:
            total = sum(self.samples)
            if len(self.samples) >= LEAST_SAMPLES and total >= LEAST_TOTAL_US:
                break
            if len(self.samples) >= LEAST_WARM_UP and total >= MOST_TOTAL_US:
                break
            long = total / max(len(self.samples), 1) > MOST_TOTAL_US / 20
            self.sample(1 if long else BLOCK)
        clock = statistics.median(self.clocks)
        steady = [
            time_us
            for time_us, seen in zip(self.samples, self.clocks, strict=True)
            if abs(seen - clock) <= CLOCK_TOLERANCE * clock
        ]
        kept = steady if 2 * len(steady) >= len(self.samples) else self.samples
        low, middle, high = statistics.quantiles(kept, n=4, method="inclusive") if len(kept) > 1 else kept * 3
        return {
            "latency_us": middle,
            "low_us": low,
            "high_us": high,
            "samples": len(kept),
            "dropped": len(self.samples) - len(kept),
            "warm_up_calls": self.warm_up_calls,
            "host_us": self.host_us,
            "clock_mhz": clock,
            "flushed_bytes": self.flushed,
            "copies": len(self.calls),
            "device": self.device,
            "torch": str(torch.__version__),
        }


def event() -> Any:
    return torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
