"""What the checks observed, besides their findings: stored with a verdict so that it can be reviewed."""

from typing import Any, Literal

from pydantic import Field

from kernelwright_backends.finding import Range
from kernelwright_backends.model import Model

Stage = Literal["smoke", "families", "determinism", "shapes", "undeclared"]


class OutputEvidence(Model):
    """One output of one trial against the reference."""

    name: str
    elements: int
    differing: int
    max_error: float
    allowed_error: float
    rms_error: float
    allowed_rms_error: float


class TrialEvidence(Model):
    """One call of the candidate: on what inputs, in what order of threads, and how its outputs compare."""

    number: int
    stage: Stage
    seed: int
    family: str
    attempt: str = Field(description="which of the family's inputs stayed within the task's domain")
    precision: str = Field(description="of the reference: float64, or float32 where the task cannot be")
    schedule: Literal["natural", "permuted"]
    sizes: dict[str, Any] = Field(
        default_factory=dict, description="constants; where they are the verdict's, empty"
    )
    outputs: tuple[OutputEvidence, ...] = ()


class Determinism(Model):
    """The same inputs twice, under two orders of the threads."""

    identical: bool
    largest_difference: float = 0.0


class Evidence(Model):
    """Everything that was looked at for one verdict."""

    stages: tuple[Stage, ...] = Field((), description="those that were reached, in order")
    trials: tuple[TrialEvidence, ...] = ()
    determinism: Determinism | None = None
    not_tried: tuple[str, ...] = Field((), description="what was left out, and why")
    requires: dict[str, str] = Field(default_factory=dict, description="preconditions that were kept")
    object: dict[str, Any] = Field(
        default_factory=dict, description="of the linked object: symbols, libraries, initialisers, kernels"
    )
    run: dict[str, Any] = Field(
        default_factory=dict, description="of all trials: who wrote the outputs, what became of the inputs"
    )


class Access(Model):
    """What the requests of one expression came to at full size, over the sampled blocks."""

    path: str
    range: Range
    how: Literal["load", "store", "atomic"]
    space: Literal["global", "shared"]
    tensor: str | None = None
    kernel: str
    requests: int
    per_request: float = Field(
        description="sectors of 32 bytes (global), passes (shared) of a warp's request"
    )
    ideal_per_request: float = Field(description="the least that would do for what was asked")


class KernelProfile(Model):
    """What one kernel takes and does at full size; bytes, operations and time are of all its launches together."""

    kernel: str
    launches: int
    grid: tuple[int, int, int] = Field(description="of the longest launch, as all that follows")
    block: tuple[int, int, int]
    time_us: float = Field(description="estimated")
    registers: int | None = Field(None, description="of a thread, by nvcc; null where nvcc was not heard")
    spill_bytes: int | None = Field(None, description="stored and loaded by a thread; by nvcc")
    shared_static_bytes: int
    shared_dynamic_bytes: int
    occupancy: float = Field(
        description="warps that fit on a processor over those it holds; an upper bound without registers"
    )
    occupancy_limiter: str
    loaded_bytes: int = Field(description="that the threads asked for from global memory")
    stored_bytes: int
    dram_bytes: int = Field(description="that cross the pins, after the caches")
    flops: int | None = Field(
        None, description="a fused product and sum is two; null where nothing counted them"
    )
    bottleneck: str
    terms_us: dict[str, float] = Field(description="the longest terms of the estimate")
