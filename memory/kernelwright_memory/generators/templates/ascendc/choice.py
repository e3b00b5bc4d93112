"""Which variant of an Ascend C template is written next."""

import random
from typing import Any

from kernelwright_memory.generators.base import CannotGenerate, GenerationRequest
from kernelwright_memory.generators.templates.ascendc.candidate import space
from kernelwright_memory.generators.templates.graph.schedule import Step

# Which parameters are worth trying first, by what limits the kernel (docs/development/agent.md, Bottlenecks).
_REMEDIES: dict[str, tuple[tuple[str, Any], ...]] = {
    "memory_bandwidth_saturated": (("tile", 8192), ("cores", 48)),
    "memory_latency_bound": (("spread", 1), ("buffers", 2), ("tile", 8192), ("cores", 48)),
    "insufficient_parallelism": (("tile", 256), ("cores", 48), ("tile", 512)),
    "launch_overhead_dominant": (("cores", 20), ("tile", 8192)),
    "instruction_mix_suboptimal": (("spread", 1), ("cores", 48), ("tile", 8192)),
    "compute_saturated": (("cores", 48), ("buffers", 2)),
}


def choose(request: GenerationRequest, step: Step) -> dict[str, Any]:
    """The next variant: what memory found fast first, then what answers the bottleneck, then in the family's order.

    Raises:
        CannotGenerate: every variant was tried.
    """
    variants = [{"template": step.kind, **variant} for variant in space(step)]
    tried = list(request.tried)
    if request.start_point is not None:
        tried += [request.start_point.parameters, *(p for p, _ in request.start_point.children)]
    waiting = [variant for variant in variants if variant not in tried]
    if not waiting:
        raise CannotGenerate(f"all {len(variants)} variants of the template '{step.kind}' were tried")
    if request.stage == "draft":
        return waiting[0]
    remembered = [e for e in request.context if e.parameters.get("template") == step.kind and e.latency_us]
    bottleneck = request.last.bottleneck if request.last is not None else None
    remedies = _REMEDIES.get(bottleneck or "", ())
    noise = random.Random(request.seed)
    order = {id(variant): noise.random() for variant in waiting}

    def rank(variant: dict[str, Any]) -> tuple[float, float, float, float]:
        known = [e.latency_us for e in remembered if e.parameters == variant and e.latency_us]
        best = min((e.latency_us for e in remembered if e.latency_us), default=0.0)
        answers = sum(variant.get(key) == value for key, value in remedies)
        # Known fast variants first, unknown ones by remedy and by the family's order, known slow ones last.
        memory = 0.0 if known and min(known) <= 1.05 * best else 1.0 if not known else 2.0
        return memory, -answers, variants.index(variant), order[id(variant)]

    return min(waiting, key=rank)
