"""What the checks observed, besides their findings: stored with a verdict so that it can be reviewed."""

from typing import Any, Literal

from pydantic import Field

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.model import Model

Stage = Literal["smoke", "families", "determinism", "shapes", "undeclared"]


Precision = Literal["strict", "as_reference"]
"""strict: float32 accuracy; as_reference: no worse than what the reference itself computes on a device under its own flags"""


class OutputEvidence(Model):
    """One output of one trial against the reference."""

    name: str
    elements: int
    differing: int
    max_error: float
    allowed_error: float
    rms_error: float
    allowed_rms_error: float
    level: Precision = Field("strict", description="precision that the output satisfies")


class TrialEvidence(Model):
    """One call of the candidate: on what inputs, in what order of threads, and how its outputs compare."""

    number: int
    stage: Stage
    seed: int
    family: str
    attempt: str = Field(description="which of the family's inputs are within the task's domain")
    precision: str = Field(
        description="precision of the reference: float64, or float32 if the task does not support it"
    )
    schedule: Literal["natural", "permuted"]
    sizes: dict[str, Any] = Field(
        default_factory=dict, description="constants; empty if they are the verdict's"
    )
    outputs: tuple[OutputEvidence, ...] = ()


class Determinism(Model):
    """The same inputs twice, under two orders of the threads."""

    identical: bool
    largest_difference: float = 0.0


class Evidence(Model):
    """Everything that was looked at for one verdict."""

    stages: tuple[Stage, ...] = Field((), description="stages that were reached, in order")
    trials: tuple[TrialEvidence, ...] = ()
    determinism: Determinism | None = None
    not_tried: tuple[str, ...] = Field((), description="what was left out, and why")
    requires: dict[str, str] = Field(
        default_factory=dict, description="preconditions that the inputs satisfied"
    )
    object: dict[str, Any] = Field(
        default_factory=dict, description="symbols, libraries, initialisers and kernels of the linked object"
    )
    run: dict[str, Any] = Field(
        default_factory=dict, description="over all trials: writers of the outputs and changes of the inputs"
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
    per_request: float = Field(description="sectors of 32 bytes (global) or passes (shared) per warp request")
    ideal_per_request: float = Field(description="the minimum for the requested bytes")


class KernelProfile(Model):
    """What one kernel takes and does at full size; bytes, operations and time are of all its launches together."""

    kernel: str
    launches: int
    grid: tuple[int, int, int] = Field(description="of the longest launch, like all fields below")
    block: tuple[int, int, int]
    time_us: float = Field(description="estimated")
    registers: int | None = Field(None, description="registers of a thread by nvcc; null without nvcc")
    spill_bytes: int | None = Field(None, description="bytes that a thread spills and reloads, by nvcc")
    shared_static_bytes: int
    shared_dynamic_bytes: int
    occupancy: float = Field(
        description="resident warps as a share of the maximum; an upper bound without register counts"
    )
    occupancy_limiter: str
    loaded_bytes: int = Field(description="bytes that the threads load from global memory")
    stored_bytes: int
    dram_bytes: int = Field(description="bytes of device memory traffic, after the caches")
    flops: int | None = Field(
        None,
        description="floating-point operations; a fused multiply-add counts as two; null if they were not counted",
    )
    bottleneck: str
    terms_us: dict[str, float] = Field(description="the longest terms of the estimate")
