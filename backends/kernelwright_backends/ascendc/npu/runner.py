"""Runs one built kernel on an NPU through torch_npu: one JSON line in on standard input, one out on descriptor 3.

Run by path in an interpreter that has torch and torch_npu; imports nothing of Kernelwright. `"device": "cpu"` calls a host function
of the same form with tensors on the CPU: by that everything here but the calls of torch.npu is tested where no NPU is.
"""

import ctypes
import json
import mmap
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

GUARD_BYTES = 4096
# docs/development/verification.md, Timing: warm up at least 3 calls and 50 ms; at least 50 samples and 200 ms, at most 2 s.
WARM_UP_CALLS, WARM_UP_S = 3, 0.05
LEAST_SAMPLES, LEAST_S, MOST_S = 50, 0.2, 2.0
SHORT_US, CALLS_OF_A_SHORT_ONE = 10.0, 20


class Argument(ctypes.Structure):
    _fields_ = (("pointer", ctypes.c_void_p), ("real", ctypes.c_double), ("whole", ctypes.c_int64))


class EntryCall(ctypes.Structure):
    _fields_ = (
        ("blocks", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("arguments", ctypes.POINTER(Argument)),
        ("fields", ctypes.POINTER(Argument)),
    )


class Npu:
    """torch.npu; what it raises is reported as it says it."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._events = torch.npu.Event

    def bytes(self, count: int) -> Any:
        return self._torch.empty(count, dtype=self._torch.uint8, device="npu:0")

    def stream(self) -> Any:
        return self._torch.npu.current_stream().npu_stream

    def wait(self) -> None:
        self._torch.npu.synchronize()

    def timed(self, work: Callable[[], Any]) -> float:
        """Microseconds between two events of the stream around `work`."""
        begin, end = self._events(enable_timing=True), self._events(enable_timing=True)
        begin.record()
        work()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) * 1e3

    def name(self) -> str:
        return str(self._torch.npu.get_device_name(0))


class Cpu:
    """The same words for tensors on the CPU."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def bytes(self, count: int) -> Any:
        return self._torch.empty(count, dtype=self._torch.uint8)

    def stream(self) -> Any:
        return None

    def wait(self) -> None:
        pass

    def timed(self, work: Callable[[], Any]) -> float:
        begin = time.perf_counter()
        work()
        return (time.perf_counter() - begin) * 1e6

    def name(self) -> str:
        return "CPU"


Device = Npu | Cpu


class Buffer:
    """Memory on the device between two guards that nobody may write."""

    def __init__(self, device: Device, torch: Any, size: int) -> None:
        self._torch, self.size = torch, size
        self._all = device.bytes(2 * GUARD_BYTES + max(size, 1))
        self._all.fill_(0xA5)

    @property
    def data(self) -> Any:
        return self._all[GUARD_BYTES : GUARD_BYTES + self.size]

    @property
    def pointer(self) -> int:
        return int(self._all.data_ptr()) + GUARD_BYTES

    def put(self, content: bytes) -> None:
        if self.size:
            self.data.copy_(self._torch.frombuffer(bytearray(content), dtype=self._torch.uint8))

    def get(self) -> bytes:
        return bytes(self.data.cpu().numpy()) if self.size else b""

    def broken(self) -> str | None:
        """Which guard was written: 'before', 'behind', or None."""
        kept = self._all.cpu().numpy()
        if (kept[:GUARD_BYTES] != 0xA5).any():
            return "before"
        return "behind" if (kept[GUARD_BYTES + max(self.size, 1) :] != 0xA5).any() else None


def span(tensor: dict[str, Any], width: int) -> int:
    if any(extent == 0 for extent in tensor["shape"]):
        return 0
    last = sum((e - 1) * s for e, s in zip(tensor["shape"], tensor["strides"], strict=True))
    return (int(last) + 1) * width


class Runner:
    def __init__(self, request: dict[str, Any], torch: Any, device: Device) -> None:
        self._request, self._torch, self._device = request, torch, device
        library = ctypes.CDLL(request["object"])
        self._entry, self._fill = library.kernelwright_entry, library.kernelwright_tiling
        self._entry.restype, self._entry.argtypes = None, (ctypes.POINTER(EntryCall), ctypes.c_void_p)
        self._fill.restype = ctypes.c_uint64
        self._fill.argtypes = (ctypes.POINTER(EntryCall), ctypes.c_void_p, ctypes.c_uint64)

    def prepare(
        self, call: dict[str, Any], mapping: mmap.mmap | None, seed: int
    ) -> tuple[EntryCall, list[Buffer | None], list[Any]]:
        """Device memory of every argument, and the struct that the entry is called with."""
        arguments, fields = (Argument * max(1, len(call["arguments"])))(), (Argument * 64)()
        made = EntryCall(call["blocks"], len(call["arguments"]), arguments, fields)
        buffers: list[Buffer | None] = []
        kept: list[Any] = [arguments, fields]
        for slot, given in zip(arguments, call["arguments"], strict=False):
            buffer = None
            if given["kind"] == "tensor":
                size = span(given["tensor"], given["width"])
                buffer = Buffer(self._device, self._torch, size)
                offset = given["tensor"]["offset"]
                if given["role"] == "output" or mapping is None:
                    self._torch.manual_seed(seed)
                    high = 255 if given["role"] == "output" else given.get("below", 64)
                    noise = self._torch.randint(0, max(high, 1), (size,), dtype=self._torch.uint8)
                    buffer.put(bytes(noise.numpy()))
                else:
                    buffer.put(mapping[offset : offset + size])
            elif given["kind"] == "workspace":
                buffer = Buffer(self._device, self._torch, given["size_bytes"])
            elif given["kind"] == "scalar":
                slot.real, slot.whole = float(given["value"]), int(given["value"])
            elif given["kind"] == "tiling":
                for field, value in zip(fields, given["values"], strict=False):
                    field.real, field.whole = float(value), int(value)
                size = self._fill(ctypes.byref(made), None, 0)
                host = ctypes.create_string_buffer(max(1, size))
                self._fill(ctypes.byref(made), host, size)
                if given["by_value"]:
                    slot.pointer = ctypes.addressof(host)
                    kept.append(host)
                else:
                    buffer = Buffer(self._device, self._torch, size)
                    buffer.put(host.raw[:size])
            if buffer is not None:
                slot.pointer = buffer.pointer
            buffers.append(buffer)
        return made, buffers, kept

    def check(self, mapping: mmap.mmap) -> dict[str, Any]:
        results: list[dict[str, Any]] = []
        findings: list[dict[str, Any]] = []
        for number, call in enumerate(self._request["calls"]):
            begin = time.perf_counter()
            made, buffers, kept = self.prepare(call, mapping, number + 1)
            try:
                self._entry(ctypes.byref(made), self._device.stream())
                self._device.wait()
            except RuntimeError as error:
                results.append({"status": "failed", "message": str(error)})
                results += [{"status": "not_reached"}] * (len(self._request["calls"]) - number - 1)
                break
            for position, (given, buffer) in enumerate(zip(call["arguments"], buffers, strict=True)):
                if buffer is None:
                    continue
                side = buffer.broken()
                if side is not None:
                    name = given["tensor"]["name"] if given["kind"] == "tensor" else given["kind"]
                    findings.append({"argument": position, "name": name, "side": side, "call": number})
                if given["kind"] == "tensor":
                    offset = given["tensor"]["offset"]
                    mapping[offset : offset + buffer.size] = buffer.get()
            del kept
            results.append({"status": "ok", "elapsed_s": time.perf_counter() - begin})
        return {"status": "ok", "message": "", "calls": results, "guards": findings}

    def time(self) -> dict[str, Any]:
        """The protocol of every device: cold L2, events around the call, an empty pair beside it."""
        call = self._request["calls"][0]
        made, buffers, kept = self.prepare(call, None, 1)
        flushed = self._device.bytes(self._request["flush_bytes"])
        stream, value = self._device.stream(), [0]

        def once() -> None:
            self._entry(ctypes.byref(made), stream)

        def cold(work: Callable[[], Any], calls: int = 1) -> float:
            value[0] = (value[0] + 1) % 251
            flushed.fill_(value[0])
            return self._device.timed(lambda: [work() for _ in range(calls)]) / calls

        warm, begin = 0, time.perf_counter()
        while warm < WARM_UP_CALLS or time.perf_counter() - begin < WARM_UP_S:
            once()
            self._device.wait()
            warm += 1
        host = []
        for _ in range(5):
            started = time.perf_counter()
            once()
            host.append((time.perf_counter() - started) * 1e6)
            self._device.wait()
        empty = statistics.median(cold(lambda: None) for _ in range(11))
        first = statistics.median(cold(once) for _ in range(5))
        calls = CALLS_OF_A_SHORT_ONE if first < SHORT_US else 1
        samples: list[float] = []
        begin = time.perf_counter()
        while True:
            samples.append(cold(once, calls))
            passed = time.perf_counter() - begin
            if passed > MOST_S or (len(samples) >= LEAST_SAMPLES and passed >= LEAST_S):
                break
        del buffers, kept
        timing = {
            "samples_us": samples, "joined_us": [], "empty_us": empty, "host_us": statistics.median(host),
            "warm_up_calls": warm, "flushed_bytes": self._request["flush_bytes"], "calls_of_a_sample": calls,
            "device": self._device.name(),
        }  # fmt: skip
        return {"status": "ok", "message": "", "calls": [{"status": "ok"}], "guards": [], "timing": timing}


def main() -> None:
    request = json.loads(sys.stdin.readline())
    reply = os.fdopen(3, "w")
    answer = {"nonce": request["nonce"]}
    try:
        import torch

        if request["device"] == "npu":
            import torch_npu  # type: ignore[import-not-found]

            torch_npu.npu.set_device(0)
        device: Device = Npu(torch) if request["device"] == "npu" else Cpu(torch)
        runner = Runner(request, torch, device)
        if request["mode"] == "trace":
            answer |= runner.time()
        else:
            with Path(request["mapping"]).open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapping:
                answer |= runner.check(mapping)
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        answer |= {
            "status": "error",
            "message": f"{type(error).__name__}: {error}",
            "calls": [],
            "guards": [],
        }
    reply.write(json.dumps(answer))
    reply.flush()


main()
