"""What happened, in sentences."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kernelwright_backends.cuda.cpu.analysis.unsupported import explain
from kernelwright_backends.cuda.cpu.report.gxx_diagnostics import Places
from kernelwright_backends.cuda.cpu.report.locations import call_at, located

WAITS_FOR_HOST = "a kernel that waits for what the host does after its launch"


def _triple(value: Sequence[int]) -> str:
    return f"({', '.join(str(v) for v in value)})"


def _bytes(count: int) -> str:
    return f"{count} byte" if count == 1 else f"{count} bytes"


def of_allocation(record: Mapping[str, Any]) -> bool:
    """Is what came before, in another stream, the allocation itself?"""
    return (
        record["kind"] == "race_stream"
        and record.get("other_place") == record.get("object_place") is not None
    )


def other_access(record: Mapping[str, Any]) -> str:
    where = f"thread {_triple(record['other_thread'])}"
    if not record["same_block"]:
        where += f" of block {_triple(record['other_block'])}"
    if record["kind"] == "uninitialised_read":
        return "copied to the host here"
    if record["kind"] == "race_stream":
        return f"{'written' if record['other_write'] else 'read'} here, and that may not be over"
    if record["kind"] == "read_only_load":
        return "stored here"
    if record["kind"] == "missed_barrier":
        return f"{where} is missing"
    if record["kind"] == "pending_copy":
        return f"{where} copies here"
    if record["kind"] == "inactive_lane":
        return "what comes of it is stored here"
    if record["kind"] in ("race_shared", "race_global"):
        return f"{where} {'writes' if record['other_write'] else 'reads'} here"
    return f"{where} waits here"


def _who(record: Mapping[str, Any]) -> str:
    return (
        f"thread {_triple(record['thread'])} of block {_triple(record['block'])}"
        if record["on_device"]
        else "the host"
    )


# What a program calls the memory that it allocates: `x` of `cudaMalloc((void**)&x, bytes)`.
_ALLOCATED = re.compile(
    rb"(?:\([^()]*\)|(?:reinterpret|static)_cast<[^<>]*>\()?\s*&?\s*([A-Za-z_][\w.\[\]>-]*)\)?\s*$"
)
_ENQUEUED = {
    "cudaMemcpy": "the copy",
    "cudaMemset": "the fill",
    "cudaFree": "its release",
    "cudaMalloc": "the allocation",
}


def _allocated_name(record: Mapping[str, Any], places: Places) -> str:
    call = call_at(record.get("object_place"), places)
    arguments = call[1].child_by_field_name("arguments") if call is not None else None
    if call is None or arguments is None or not re.match(r"cuda(Malloc|HostAlloc)", call[0]):
        return ""
    first = next(iter(arguments.named_children), None)
    named = (
        _ALLOCATED.match(call[2].original[first.start_byte : first.end_byte]) if first is not None else None
    )
    return named[1].decode("utf-8", "replace") if named is not None else ""


def _user(record: Mapping[str, Any], places: Places) -> str:
    """Who uses memory beside a stream: a thread, the host, or what the host enqueued."""
    if record["on_device"]:
        return _who(record)
    call = call_at(record.get("place"), places)
    enqueued = (what for name, what in _ENQUEUED.items() if call is not None and call[0].startswith(name))
    return next(enqueued, "the host")


def _element(offset: int, size: int) -> str:
    """Which element lies at an offset in bytes, where accesses of `size` bytes have one."""
    if size not in (2, 4, 8, 16) or offset <= 0 or offset % size:
        return ""
    return f", element {offset // size} of {_bytes(size)}"


def _object(record: Mapping[str, Any], places: Places) -> str:
    name = str(record["object"])
    if record["space"] == "shared":
        return name if name == "dynamic shared memory" else f"shared '{name}'"
    if record["space"] in ("constant", "device variable"):
        return f"{record['space']} '{name}'"
    if name:
        return f"'{name}'"
    allocated = _allocated_name(record, places)
    if allocated:
        return f"the allocation '{allocated}'"
    return "the allocation" if record["object_size"] else "device memory"


def message_of(record: Mapping[str, Any], places: Places, unwritten: Sequence[str]) -> str:
    """What happened, in a sentence; `unwritten` names the variables of which one has no value."""
    kind, extra, who = record["kind"], str(record["message"]), _who(record)
    verb = "writes" if record["write"] else "reads"
    size, offset, whole = record["size"], record["offset"], record["object_size"]
    what, element = _object(record, places), _element(offset, size)
    match kind:
        case "out_of_bounds" if record["space"] == "array":
            return f"index {offset} is outside of {record['object'].strip(chr(39))}; {who}"
        case "out_of_bounds" if extra:
            return f"{who} {verb} {_bytes(size)} of {extra}"
        case "out_of_bounds" if whole and offset >= 0:
            past = offset - whole
            where = (
                f"{_bytes(past)} past the end"
                if past > 0
                else "at the end"
                if past == 0
                else "across the end"
            )
            return (
                f"{who} {verb} {_bytes(size)} {where} of {what} ({_bytes(whole)}, offset {offset}{element})"
            )
        case "out_of_bounds" if whole:
            return f"{who} {verb} {_bytes(size)} {_bytes(-offset)} before {what} ({_bytes(whole)})"
        case "out_of_bounds":
            return (
                f"{who} {verb} {_bytes(size)} outside of every allocation, at address {record['address']:#x}"
            )
        case "misaligned":
            return f"{who} {verb} {_bytes(size)} at an address that is not a multiple of {size} (offset {offset} of {what})"
        case "use_after_free":
            return f"{who} {verb} {_bytes(size)} of {what} after it was freed"
        case "invalid_free":
            return f"an invalid free: {extra}"
        case "host_pointer" if extra:
            return extra
        case "host_pointer" if record["object"]:
            return f"{who} {verb} the host's variable '{record['object']}'"
        case "host_pointer":
            return f"{who} {verb} host memory: the pointer does not point into device memory"
        case "device_pointer":
            where = "" if what == "device memory" else f" ({what})"
            return extra or f"the host {verb} device memory{where}: copy it with cudaMemcpy"
        case "read_only":
            return f"{who} stores into {what}, which kernels can only read"
        case "read_only_load":
            return (
                f"{who} reads {_bytes(size)} of {what} (offset {offset}{element}) through the cache for what nobody writes while the kernel "
                "runs, after the same launch has stored there: it may be given what stood there before; use a plain load"
            )
        case "stack_overflow":
            return f"the stack of {who} overflowed: recursion without end, or local arrays that are too large"
        case "uninitialised_read" if extra:
            return f"what is stored here was never written: {extra}"
        case "uninitialised_read" if record["space"] == "local":
            which = (
                f"'{unwritten[0]}', or a part of it, has no"
                if len(unwritten) == 1
                else "a local variable without a"
            )
            return f"what is stored here was never written: {which} value on the road taken"
        case "uninitialised_read":
            return f"{who} reads {_bytes(size)} of {what} that nobody has written (offset {offset}{element})"
        case "race_shared" | "race_global":
            other = "writes" if record["other_write"] else "reads"
            elsewhere = "" if record["same_block"] else f" of block {_triple(record['other_block'])}"
            lanes = "lanes of one warp without __syncwarp() between" if record["same_warp"] else (
                "no __syncthreads() between" if kind == "race_shared" else "nothing that orders them"
            )  # fmt: skip
            return f"{who} {verb} {what} at offset {offset}{element} while thread {_triple(record['other_thread'])}{elsewhere} {other} it: {lanes}"
        case "race_stream" if of_allocation(record):
            return (
                f"{_user(record, places)} {verb} {what} at offset {offset}, which is allocated in the order of another stream: it is not there "
                "before that stream has got so far; wait for it by an event"
            )
        case "race_stream" if record.get("overtakes"):
            other = "writes" if record["other_write"] else "reads"
            return (
                f"{_user(record, places)} {verb} {what} at offset {offset}{element}, which kernel {extra} {other} in the launch before, "
                "which this one may overtake: call cudaGridDependencySynchronize() first"
            )
        case "race_stream":
            other = "writes" if record["other_write"] else "reads"
            earlier = f"kernel {extra}" if extra else "a copy enqueued before"
            missing = (
                "another stream"
                if _user(record, places) != "the host"
                else "a stream the host has not waited for"
            )
            return (
                f"{_user(record, places)} {verb} {what} at offset {offset}{element}, which {earlier} {other} in {missing}: "
                "wait for it, by an event or by synchronising"
            )
        case "order":
            return f"{what} differs at offset {offset} when warps and lanes run in another order"
        case "unchecked":
            return f"this call fails with {extra}, and nobody looks at its result"
        case "missed_barrier":
            return (
                f"thread {_triple(record['other_thread'])} of block {_triple(record['block'])} returned without reaching "
                "this barrier: the device does not wait for it, but it takes no part in what the barrier orders"
            )
        case "exited_lanes":
            if record["indexed"]:
                return (
                    f"lane {record['operand']} of the group has returned: what all of its threads are to make together is made without "
                    "it; let every thread come here, or take cooperative_groups::coalesced_threads()"
                )
            return f"mask {record['mask']:#010x} names lane {record['operand']}, which has returned without coming here"
        case "pending_copy":
            return (
                f"{who} {verb} {what} at offset {offset} before the asynchronous copy of thread "
                f"{_triple(record['other_thread'])} has arrived: wait for its group, then synchronise the threads"
            )
        case "divergent_barrier":
            place = located(record.get("other_place"), places)
            line = f" in line {place[1].line}" if place else ""
            return f"{who} waits at this barrier while thread {_triple(record['other_thread'])} waits at another{line}"
        case "deadlock":
            return f"no thread of block {_triple(record['block'])} can go on: {extra}"
        case "invalid_mask":
            return (
                extra
                if record["operand"] == 0 and "mask" in extra
                else f"mask {record['mask']:#010x} does not fit: {extra}"
            )
        case "inactive_lane":
            return (
                f"{who} reads lane {record['operand']}, which does not take part (mask {record['mask']:#010x}): the value is undefined"
                + (", and what comes of it is stored" if record.get("other_place") else "")
            )
        case "configuration":
            what = f"the launch of {record['kernel']}" if record["kernel"] else "what this begins"
            return f"{what} is refused: {extra}"
        case "trap":
            return f"{extra} ({who})" if record["on_device"] else extra
        case "time":
            return f"it did not end in time; it was here when stopped ({who})" + (
                f"; {extra}" if extra else ""
            )
        case "crash":
            return f"{extra} ({who})"
        case "sampled":
            return (
                f"races and unwritten shared memory were looked for in the first {extra}: more of a program this long takes "
                "more time than it has; bounds, alignment and unwritten global memory were looked at everywhere"
            )
        case "waits_for_host":
            return explain(WAITS_FOR_HOST) + (
                "; here a launch is put off until the host waits for it, but it was to store something before the work behind it"
                if extra
                else "; here a launch is put off only where nothing was stored before it waits"
            )
        case "leak":
            return f"{_bytes(size)} of device memory allocated here are never freed"
        case _:
            return extra or str(kind).replace("_", " ")
