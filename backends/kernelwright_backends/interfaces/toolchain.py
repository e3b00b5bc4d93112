"""The interface of a dialect: requests and results of building, running and costing one candidate."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from pydantic import Field

from kernelwright_backends.core.finding import Finding, Range
from kernelwright_backends.core.kernel import Form, SourceIndex
from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import Target
from kernelwright_backends.untrusted.handover import Output

if TYPE_CHECKING:
    from kernelwright_backends.syntax.tree import SyntaxTree


class Bottleneck(StrEnum):
    """What limits a kernel."""

    MEMORY_BANDWIDTH_SATURATED = "memory_bandwidth_saturated"
    MEMORY_LATENCY_BOUND = "memory_latency_bound"
    SHARED_MEMORY_BANK_CONFLICTS = "shared_memory_bank_conflicts"
    CACHE_INEFFICIENT = "cache_inefficient"
    COMPUTE_SATURATED = "compute_saturated"
    INSTRUCTION_MIX_SUBOPTIMAL = "instruction_mix_suboptimal"
    THREAD_DIVERGENCE_HIGH = "thread_divergence_high"
    LOW_OCCUPANCY_REGISTERS = "low_occupancy_registers"
    LOW_OCCUPANCY_SHARED_MEMORY = "low_occupancy_shared_memory"
    INSUFFICIENT_PARALLELISM = "insufficient_parallelism"
    LAUNCH_OVERHEAD_DOMINANT = "launch_overhead_dominant"
    BALANCED = "balanced"


# ---- what is called ------------------------------------------------------------------------------------------------


class ArgumentSlot(Model):
    """One C argument of an entry, in the entry's order: what kind of thing is passed there."""

    kind: Literal["tensor", "scalar", "workspace", "stream", "tiling", "alias", "number", "nothing"]
    c_type: str = Field(description="as spelled in the entry's signature")
    name: str = ""
    element: str | None = Field(
        None, description="'float32', ... of a tensor, or of a number that is passed in memory"
    )
    fields: tuple[tuple[str, str], ...] = Field((), description="tiling: C type and name of each field")
    words: tuple[tuple[str, str], ...] = Field((), description="tiling: attributes that are text, with it")
    same_as: str = Field("", description="alias: the slot whose address is passed here once more")
    member: int | None = Field(
        None, description="which element of a list of tensors; slots of one name are one argument then"
    )


class EntryCall(Model):
    """How an entry is called; no values, so that one build serves all sizes."""

    entry: str = Field(
        description="qualified and instantiated as the directive says: ns::softmax<float, 256>"
    )
    form: Form
    slots: tuple[ArgumentSlot, ...]
    returns: int = Field(
        0, description="tensor form: how many tensors the entry returns; 0 if it fills its arguments"
    )


class CompileOptions(Model):
    include: tuple[Path, ...] = ()
    define: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    std: str | None = None


# ---- the confinement that the verifier hands in ------------------------------------------------------------------


class Limits(Model):
    """Of one confined process tree."""

    time_s: float = 20.0
    memory_mb: int = 4096
    processes: int = 64
    output_bytes: int = 4 << 20
    file_mb: int = 2048
    disk_mb: int = Field(
        8192, description="by what all writable folders may grow on the disk; never less than file_mb"
    )
    disk_files: int = Field(50_000, description="how many files and folders may be added there")


class Completed(Model):
    """How a confined process ended."""

    status: int = Field(description="exit status; negative: the signal that ended it")
    stdout: bytes
    stderr: bytes
    reply: bytes = Field(b"", description="what it wrote on the reply descriptor")
    elapsed_s: float
    ended_by: Literal["exit", "time", "memory", "output", "processes", "disk", "cancelled"] = "exit"


class Confinement(Protocol):
    """Runs a program that nobody trusts. `verifier.sandbox` implements it."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        readable: Sequence[Path] = (),
        writable: Sequence[Output | Path] = (),
        cwd: PurePath | None = None,
        stdin: bytes = b"",
        reply: bool = False,
        environment: Mapping[str, str] | None = None,
        limits: Limits = Limits(),
        devices: Sequence[Path] = (),
        local_sockets: bool = False,
    ) -> Completed:
        """Run `argv` with no network, no home and an empty environment and wait for it.

        What it may write is an `Output`, out of which results are taken; a path only where one file of a known length is
        shared with it.

        Paths are bound where they are, so that messages name them as the user does. With `reply`, descriptor 3 of the
        child is a pipe whose content comes back as `Completed.reply`. Cancelling the task kills the whole tree.
        `devices` are device files, a GPU's, that it may use; none unless asked for. With `local_sockets` its processes may
        connect to each other, and to nobody else.

        Raises:
            SandboxUnavailable: (a ConfinementError) nothing here can confine a process.
            ConfinementError: this sandbox cannot keep local sockets inside.
        """
        ...


class ConfinementError(RuntimeError):
    """Nothing can be run: the message says why and what to do about it."""


class DeviceAccess(Model):
    """A device that its holder has to itself, as far as programs of ours go, and what reaches it and no other."""

    name: str = Field(description="as its driver calls it")
    driver: str
    files: tuple[Path, ...]
    environment: dict[str, str]


@runtime_checkable
class TracesValues(Protocol):
    """A toolchain whose traces depend on what the tensors hold."""

    def reads_values(self, call: "Call") -> bool:
        """Whether a trace of this call looks at the values of its tensors (`ArgumentValue.drawn`)."""
        ...


@runtime_checkable
class HoldsDevice(Protocol):
    """A toolchain whose device can be lent to another program: the reference's, to be timed there."""

    def hold(self, target: Target) -> AbstractAsyncContextManager[DeviceAccess]:
        """Wait until the target's device is free, and keep others of ours away from it.

        Raises:
            RuntimeError: it is not here any more.
        """
        ...


@runtime_checkable
class Sanitizes(Protocol):
    """A toolchain whose device has checking tools of its vendor's."""

    async def sanitize(
        self,
        built: "BuildResult",
        request: "RunRequest",
        target: Target,
        confinement: Confinement,
        tools: Sequence[str],
    ) -> "RunResult":
        """Run the calls once under each tool; what the tools report are the result's findings.

        Raises:
            ToolUnavailable: there is no such tool here, or it could not do its work.
            ConfinementError: nothing here can confine it.
        """
        ...


@runtime_checkable
class Profiles(Protocol):
    """A toolchain whose device has a profiler of its vendor's."""

    async def profile(
        self, built: "BuildResult", request: "RunRequest", target: Target, confinement: Confinement
    ) -> "DeviceProfile":
        """Run one call of full size under the profiler.

        Raises:
            ToolUnavailable: there is no profiler here, it may not read the device's counters, or it failed.
            ConfinementError: nothing here can confine it.
        """
        ...


class ToolUnavailable(RuntimeError):
    """A tool beside the compiler cannot be used; the message says why and what to do."""


# ---- build, run, cost ------------------------------------------------------------------------------------------------


class BuildResult(Model):
    """A built candidate, or the findings that say why there is none."""

    object: Path | None
    findings: tuple[Finding, ...] = ()
    symbols: "Symbols | None" = None
    resources: dict[str, Any] = Field(
        default_factory=dict, description="kernel name -> registers, shared_bytes, ..."
    )
    elapsed_s: dict[str, float] = Field(
        default_factory=dict, description="share of each step: rewrite, compile, link"
    )
    cached: bool = False
    context: dict[str, Any] = Field(default_factory=dict, description="the toolchain's own, for run and cost")


class Symbols(Model):
    """Of the linked object, for the symbol gate (checks A1 and A11 of docs/development/checks.md)."""

    undefined: tuple[str, ...] = ()
    needed: tuple[str, ...] = Field((), description="the undefined ones without which it cannot be loaded")
    exported: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    initialisers: tuple[str, ...] = ()
    includes: tuple[str, ...] = Field(
        (), description="headers read while compiling, outside of ours and the system's"
    )
    kernels: tuple[str, ...] = Field((), description="device kernels in the object, demangled")
    oddities: tuple[str, ...] = Field(
        (), description="what no compiler puts into an object unasked, in words"
    )
    replaced: tuple[str, ...] = Field(
        (), description="functions of the runtime that the object has of its own"
    )
    algorithms: tuple[str, ...] = Field(
        (), description="device-wide algorithms of header-only libraries in the object, with their namespace"
    )


class TensorData(Model):
    """A tensor in the shared mapping: raw little-endian bytes."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] = Field(description="in elements")
    offset: int = Field(description="in bytes from the start of the mapping")

    @property
    def numel(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count


class ArgumentValue(Model):
    """What goes into one slot of one call."""

    kind: Literal["tensor", "scalar", "workspace", "stream", "tiling"]
    role: Literal["input", "parameter", "buffer", "output", "inout", ""] = ""
    tensor: TensorData | None = None
    value: int | float | bool | None = None
    values: tuple[int | float | bool, ...] = Field((), description="tiling: of each field")
    size_bytes: int | None = None
    drawn: TensorData | None = Field(
        None, description="of a trace: where in `RunRequest.values` the task's own values lie, if anywhere"
    )


class Call(Model):
    """One call of the entry with its values. Outputs are poisoned before it, whatever they held."""

    arguments: tuple[ArgumentValue, ...]
    returned: tuple[TensorData, ...] = Field(
        (), description="tensor form: where each returned tensor is to be put"
    )
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    smem_bytes: int = 0
    schedule_seed: int = Field(0, description="0: lanes, warps in natural order; else a seeded permutation")
    reuse: int | None = Field(
        None,
        description="number of an earlier call at whose addresses the tensors are to lie; None: at new ones",
    )
    coverage: bool = Field(False, description="say which elements of inputs and parameters the device loaded")
    probe: bool = Field(
        False, description="asked to look at the candidate, not at its result: failing is no finding"
    )
    perturb: bool = Field(
        False, description="results are perturbed when the host copies them from the device"
    )
    captured: bool = Field(False, description="each stream claims to be captured")
    placement: Literal["", "apart", "together"] = Field(
        "",
        description="of new addresses: far from each other and the last first; next to each other in their order",
    )
    rounding: Literal["", "up", "down"] = Field(
        "", description="of a CPU target: round results this way, not to the nearest"
    )
    advance: int = Field(0, description="advance call counters by this number before the call")
    again: bool = Field(
        False, description="it has the inputs of the call before: what changes meanwhile changes by itself"
    )
    warm_up_calls: int = Field(0, description="at most so many warm-up calls, which are not reported")
    when: Literal["", "host_read", "counted", "drifting", "capture_asked", "address_kept"] = Field(
        "",
        description="run it only if the call before gave the host enough to read, if something counts calls, if something "
        "changes from call to call by itself, if the candidate asked whether a stream is captured, or if it keeps addresses of "
        "tensors beyond a call",
    )
    host_read_bytes: int = Field(0, description="what is enough for `host_read`")


class RunRequest(Model):
    """Calls of one candidate in one runner, used once."""

    mapping: Path = Field(description="the shared mapping: a file that holds all tensors")
    values: Path | None = Field(
        None,
        description="of a trace: a file of the task's own values, each tensor at the beginning of a page",
    )
    calls: tuple[Call, ...]
    mode: Literal["check", "trace"] = Field(
        "check",
        description="check: every access checked; trace: what the latency needs at full size: on a CPU sampled blocks and "
        "counters, on a device its time",
    )
    limits: Limits = Limits()
    arguments: tuple[str, ...] = Field((), description="of a program, behind its name")
    folder: Path | None = Field(
        None, description="of a program: where it is started; it reads there, what it writes is thrown away"
    )
    idle: Literal["all", "every first", "every second"] | None = Field(
        None,
        description="of a program: which of its kernels, by their first launches, are launched and compute nothing; 'every "
        "first' or 'every second' of two where the run told of several (`coverage['kernels']`)",
    )
    results: Literal["", "changed beyond", "changed inside", "changed much", "no numbers"] = Field(
        "",
        description="of a program: what its host is given of what kernels stored: others behind the first and before the last "
        "elements of each copy; those alone that lie far inside very long copies; all of long copies, numbers by half of the largest at least; no numbers, where they are idle",
    )
    every_launch: bool = Field(
        False,
        description="of a program: launches that repeat an earlier one are executed too, and every access is looked at; what is "
        "timed must be done",
    )
    root: Path | None = Field(
        None, description="of a program: a folder around `folder` that it may read too; none: `folder` alone"
    )


class Spot(Model):
    """A place in the user's source."""

    path: str
    range: Range


class Activity(Model):
    """What one call did beside its result, as far as the target sees it."""

    launches: int = 0
    threads: int = 0
    accesses: int = Field(0, description="of the device to its memory")
    host_read_bytes: int = Field(
        0, description="of device memory that the host was given, integers of the task left out"
    )
    host_read_at: Spot | None = None
    poison_read: bool = Field(False, description="the host read an output before anything was stored in it")
    poison_read_at: Spot | None = None
    work_left_behind: bool = Field(False, description="in a stream that was never waited for")
    work_left_behind_at: Spot | None = None


class CallResult(Model):
    status: Literal["ok", "failed", "not_reached", "skipped"]
    message: str = ""
    returned: tuple[TensorData, ...] = Field((), description="shape and dtype that the entry really returned")
    aliases: tuple[str, ...] = Field((), description="names of inputs in whose memory a returned tensor lies")
    elapsed_s: float = 0.0
    warmed_up: int = Field(0, description="warm-up calls that were made")
    hurried: bool = Field(
        False, description="left out, or warmed up less, for lack of wall-clock time, not of processor time"
    )
    activity: Activity | None = Field(None, description="None where the target does not see it")


class Writer(Model):
    """A place in the source that stored output elements."""

    kind: Literal["device", "host_copy", "device_copy", "memset", "library_copy"]
    path: str = ""
    line: int = 0
    column: int = 0
    kernel: str = ""


class RunResult(Model):
    """What one runner did. Outputs, and inputs as they came back, lie in the mapping."""

    status: Literal["ok", "crashed", "timeout", "memory", "output", "error"]
    message: str = ""
    findings: tuple[Finding, ...] = ()
    calls: tuple[CallResult, ...] = ()
    provenance: dict[str, Any] = Field(
        default_factory=dict,
        description="call index -> output name -> offset in the mapping of one uint16 per element: "
        "0 nobody, k the k-th of `writers` (from 1)",
    )
    writers: tuple[Writer, ...] = ()
    coverage: dict[str, Any] = Field(
        default_factory=dict,
        description="'launches': how many; 'loaded': call index -> tensor name -> for each argument that holds it "
        "the offset in the mapping of one byte per element, 1 where the device loaded it",
    )
    counters: dict[str, Any] = Field(
        default_factory=dict, description="mode trace: a list of launches under 'launches'"
    )
    log: str = Field("", description="what the candidate printed")
    exit_status: int | None = Field(None, description="of a program that was run")
    elapsed_s: float = 0.0


class CostEstimate(Model):
    """Latency of the task's full size: estimated from counts, never a time of the emulation, or measured on the device."""

    source: Literal["estimated", "measured"] = "estimated"
    latency_us: float | None
    low_us: float | None = None
    high_us: float | None = None
    parts: dict[str, float] = Field(default_factory=dict, description="term -> microseconds")
    bottleneck: Bottleneck | None = None
    findings: tuple[Finding, ...] = ()
    detail: dict[str, Any] = Field(default_factory=dict)


class KernelMetrics(Model):
    """What a device's counters say of one launch. A share is of the device's peak; None where the counter was not had."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    time_us: float
    dram_bytes: float | None = None
    dram_throughput_percent: float | None = None
    l2_throughput_percent: float | None = None
    l1_throughput_percent: float | None = None
    compute_throughput_percent: float | None = None
    issue_active_percent: float | None = None
    occupancy_percent: float | None = Field(
        None, description="warps that were active over those a processor holds"
    )
    theoretical_occupancy_percent: float | None = None
    l1_hit_percent: float | None = None
    l2_hit_percent: float | None = None
    sectors_per_load_request: float | None = None
    lanes_per_instruction: float | None = Field(
        None, description="of 32: threads that take part in an instruction"
    )
    shared_conflicts: float | None = Field(
        None, description="wavefronts of shared memory that bank conflicts add"
    )
    shared_wavefronts: float | None = None
    l2_sectors: float | None = None
    atomic_sectors: float | None = None
    reduction_sectors: float | None = None
    """of the L2's, like those of atomic operations that give back what was there"""
    registers: int | None = None
    shared_bytes: int | None = Field(None, description="of a block, static and dynamic")
    blocks_by_registers: int | None = Field(
        None, description="that fit on a processor, were registers all that counts"
    )
    blocks_by_shared: int | None = None
    waves: float | None = None
    bottleneck: Bottleneck | None = None


class DeviceProfile(Model):
    """One call under the device's own profiler, launch by launch."""

    source: str = Field(description="the profiler and its version")
    launches: tuple[KernelMetrics, ...]
    bottleneck: Bottleneck | None = Field(None, description="of the launch that takes longest")


class Toolchain(Protocol):
    """Builds, runs and costs the candidates of one dialect on one kind of place."""

    def describe(self) -> dict[str, str]:
        """What answers here: compiler and its version, runtime version. Part of every cache key."""
        ...

    async def prepare(self, confinement: Confinement) -> None:
        """Build ahead what every candidate needs, if the cache does not hold it."""
        ...

    async def build(
        self,
        text: str,
        path: Path,
        index: SourceIndex,
        call: EntryCall | None,
        target: Target,
        confinement: Confinement,
        options: CompileOptions = CompileOptions(),
    ) -> BuildResult:
        """Compile and link. `call` None: compile only (a header, a file without a task) or, with `main`, a program."""
        ...

    async def run(
        self, built: BuildResult, request: RunRequest, target: Target, confinement: Confinement
    ) -> RunResult:
        """Run the calls in one confined process, once."""
        ...

    def cost(self, result: RunResult, target: Target, sizes: Mapping[str, Any]) -> CostEstimate:
        """Estimate the latency from the counters of a run in mode `trace`."""
        ...

    def operators_us(self, works: Sequence[tuple[float, float, bool]], target: Target) -> float | None:
        """Estimated latency of a library's operators run one launch each.

        Args:
            works: for each operator its arithmetic operations, the bytes it moves, and whether it multiplies matrices.

        Returns:
            Microseconds; None where there is no table for the chip.
        """
        ...

    def floor_us(self, moved_bytes: float, target: Target) -> float | None:
        """The least time in which the chip could move so many bytes; None where there is no table for it."""
        ...


@runtime_checkable
class TracesPrograms(Protocol):
    """A toolchain whose mode `trace` takes a program with a `main` too: its launches are executed, and counted launch by
    launch."""

    traces_programs: bool


@runtime_checkable
class TimesInTurns(Protocol):
    """A toolchain of a device that can time two candidates against each other."""

    async def run_in_turns(
        self,
        first: BuildResult,
        second: BuildResult,
        calls: tuple[Call, Call],
        target: Target,
        confinement: Confinement,
    ) -> tuple[RunResult, RunResult]:
        """Time them by turns, each in a process of its own: first, second, second, first, and so on.

        `counters["timing"]["turns"]` of each result lists its turns, each with `samples_us` and `clock_mhz`.
        """
        ...


class Indexer(Protocol):
    """The index of one open document, kept while it is edited."""

    @property
    def index(self) -> SourceIndex: ...

    @property
    def syntax(self) -> "SyntaxTree":
        """The syntax tree that the index was read from, of the text as it is now."""
        ...

    def edit(self, start_byte: int, old_end_byte: int, new_end_byte: int, new_text: bytes) -> None:
        """Replace bytes [start_byte, old_end_byte) of the document by the new text's [start_byte, new_end_byte).

        `new_text` is the whole document after the edit, in UTF-8.
        """
        ...

    def replace(self, text: bytes) -> None: ...
