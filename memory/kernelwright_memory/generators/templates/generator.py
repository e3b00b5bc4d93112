"""The built-in templates as a generator: no key, no network, no guessing."""

import random
import re
from collections.abc import Mapping
from typing import Any

from kernelwright_backends.cuda.syntax import index as index_of
from kernelwright_memory.generators.base import CannotGenerate, Generation, GenerationRequest
from kernelwright_memory.generators.templates import (
    ascendc,
    convolution,
    elementwise,
    matmul,
    pooling,
    reduction,
    scan,
)
from kernelwright_memory.generators.templates.build import Graph, tensor_inputs
from kernelwright_memory.generators.templates.classify import main_step, plan
from kernelwright_memory.generators.templates.emit import KernelText
from kernelwright_memory.generators.templates.entry import Entry, directive_of, new_tensor_entry, read_entry
from kernelwright_memory.generators.templates.graph import Apply, Constant, Expression, Unsupported, loads
from kernelwright_memory.generators.templates.operators import FLOATING
from kernelwright_memory.generators.templates.schedule import Schedule, Step
from kernelwright_memory.generators.templates.source import new_file, replace_entry, write_entry
from kernelwright_verifier.task import TaskDescription

NAME = "templates"
_FAMILIES: dict[str, Any] = {
    "elementwise": elementwise, "rows": reduction, "matmul": matmul, "convolution": convolution, "pool": pooling, "scan": scan,
}  # fmt: skip
Remedies = Mapping[str, tuple[tuple[str, Any], ...]]
# Which parameters are worth trying first, by what limits the kernel (evokernel.md section 8).
_ASCENDC_REMEDIES: Remedies = {
    "memory_bandwidth_saturated": (("tile", 8192), ("cores", 48)),
    "memory_latency_bound": (("spread", 1), ("buffers", 2), ("tile", 8192), ("cores", 48)),
    "insufficient_parallelism": (("tile", 256), ("cores", 48), ("tile", 512)),
    "launch_overhead_dominant": (("cores", 20), ("tile", 8192)),
    "instruction_mix_suboptimal": (("spread", 1), ("cores", 48), ("tile", 8192)),
    "compute_saturated": (("cores", 48), ("buffers", 2)),
}
_REMEDIES: Remedies = {
    "memory_bandwidth_saturated": (("cache", True), ("vector", 4)),
    "memory_latency_bound": (("vector", 4), ("each", 4), ("threads", 512)),
    "insufficient_parallelism": (("row", "column"), ("threads", 256), ("each", 1), ("block", 128)),
    "cache_inefficient": (("cache", True), ("rows", 128), ("columns", 128)),
    "launch_overhead_dominant": (("vector", 4), ("each", 4)),
    "instruction_mix_suboptimal": (("vector", 4), ("patch_rows", 8), ("channels", 8)),
    "compute_saturated": (("patch_rows", 8), ("channels", 8)),
}


class TemplateGenerator:
    """Writes kernels from the operator trace of a task; refines by going through the parameters of its templates."""

    @property
    def name(self) -> str:
        return NAME

    async def generate(self, request: GenerationRequest) -> Generation:
        """Write a candidate that was not tried yet.

        Raises:
            CannotGenerate: no template covers the task or fits its entry, or every variant was tried.
        """
        try:
            graph, planned = plan(request.description)
            step = main_step(planned.steps)
            if request.target.dialect == "ascendc":
                parameters = self._choice(request, step, ascendc.space(step), _ASCENDC_REMEDIES)
                text, said = ascendc.candidate(request, graph, planned, parameters)
                used = _used(request, parameters)
                summary = f"{parameters['template']}: {said.rstrip('.')}"
                return Generation(
                    text=text, generator=NAME, parameters=parameters, used=used, summary=summary
                )
            parameters = self._choice(request, step, _FAMILIES[step.kind].variants(step), _REMEDIES)
            return _candidate(request, graph, planned, step, parameters)
        except Unsupported as reason:
            raise CannotGenerate(f"no built-in template fits: {reason}") from reason

    def _choice(
        self, request: GenerationRequest, step: Step, variants: list[dict[str, Any]], answers_to: Remedies
    ) -> dict[str, Any]:
        """The next variant: what memory found fast first, then what answers the bottleneck, then in the family's order."""
        space = [{"template": step.kind, **variant} for variant in variants]
        if request.form == "kernel":
            # A bare kernel is one launch.
            space = [variant for variant in space if variant.get("row") != "split"]
        tried = list(request.tried)
        if request.start_point is not None:
            tried += [request.start_point.parameters, *(p for p, _ in request.start_point.children)]
        waiting = [variant for variant in space if variant not in tried]
        if not waiting:
            raise CannotGenerate(f"all {len(space)} variants of the template '{step.kind}' were tried")
        if request.stage == "draft":
            return waiting[0]
        remembered = [
            e for e in request.context if e.parameters.get("template") == step.kind and e.latency_us
        ]
        bottleneck = request.last.bottleneck if request.last is not None else None
        remedies = answers_to.get(bottleneck or "", ())
        noise = random.Random(request.seed)
        order = {id(variant): noise.random() for variant in waiting}

        def rank(variant: dict[str, Any]) -> tuple[float, float, float, float]:
            known = [e.latency_us for e in remembered if e.parameters == variant and e.latency_us]
            best = min((e.latency_us for e in remembered if e.latency_us), default=0.0)
            answers = sum(variant.get(key) == value for key, value in remedies)
            # Known fast variants first, unknown ones by remedy and by the family's order, known slow ones last.
            memory = 0.0 if known and min(known) <= 1.05 * best else 1.0 if not known else 2.0
            return memory, -answers, space.index(variant), order[id(variant)]

        return min(waiting, key=rank)


def _candidate(
    request: GenerationRequest, graph: Graph, planned: Schedule, main: Step, parameters: dict[str, Any]
) -> Generation:
    description = request.description
    index = index_of(request.text.encode())
    directive = directive_of(index, request.entry, str(request.path))
    function = index.find(request.entry) if request.entry is not None else None
    name = request.entry or "forward"
    if parameters.get("row") == "split":
        planned = reduction.split(planned, main, parameters)
    read = _inputs(planned)
    needed = [name for name, *_ in tensor_inputs(description) if name in read]
    outputs = tuple(b.shape for b in planned.outputs)
    if function is not None:
        entry = read_entry(
            function, request.text, directive, description, graph.extents, outputs, str(request.path)
        )
    else:
        if request.form == "kernel":
            raise CannotGenerate(f"the kernel '{name}' does not exist; give it a signature first")
        # Where the directive stands already it says nothing of the arguments: the default binding gives all tensors.
        taken = needed if request.entry is None else _default_binding(description)
        entry = new_tensor_entry(name, description, taken, _numbers(description, planned))
    kernels = _kernels(planned, main, parameters, name, dict(entry.scalars))
    dtypes = {a.buffer.dtype for kernel in kernels for a in kernel.parameters if a.buffer is not None}
    parts = write_entry(entry, planned, kernels, dtypes)
    if function is None and request.entry is None:
        text = new_file(_task_file(request), entry, parts, _args(description, needed, entry))
    else:
        text = replace_entry(request.text, index, name, parts)
    place = next(
        n for n, step in enumerate(planned.steps) if step is main or step.target.name.startswith("partial")
    )
    summary = f"{parameters['template']}: {kernels[place].comment.rstrip('.')}"
    if len(kernels) > 1:
        summary += f" ({len(kernels)} launches)"
    return Generation(
        text=text, generator=NAME, parameters=parameters, used=_used(request, parameters), summary=summary
    )


def _used(request: GenerationRequest, parameters: dict[str, Any]) -> tuple[str, ...]:
    return tuple(e.id for e in request.context if e.parameters == parameters)


def _task_file(request: GenerationRequest) -> str:
    return request.path.name if request.path.suffix == ".py" else request.path.with_suffix(".py").name


def _kernels(
    planned: Schedule, main: Step, parameters: dict[str, Any], entry: str, scalars: dict[float, str]
) -> list[KernelText]:
    """One kernel a step. Steps of the main step's kind share its parameters where they have them, the others take their
    family's first."""
    plain = re.sub(r"\W", "_", entry)
    chosen = {key: value for key, value in parameters.items() if key != "template"}
    kernels = []
    for number, step in enumerate(planned.steps):
        family = _FAMILIES[step.kind]
        space = family.variants(step)
        if chosen.get("row") == "split":
            # Those of other steps that end in one row would need a split of their own: they take a block a row.
            partial = step.target.name.startswith("partial")
            own = {**chosen, "row": "part"} if partial else next(v for v in space if v.get("row") != "split")
        else:
            own = chosen if step is main or (step.kind == main.kind and chosen in space) else space[0]
            if own.get("row") == "split":
                own = next(v for v in space if v["row"] != "split")
        prefix = f"{plain}_kernel" if len(planned.steps) == 1 else f"{plain}_kernel{number + 1}"
        kernels.append(family.emit(step, own, prefix, scalars))
    return kernels


def _expressions(planned: Schedule) -> list[Expression]:
    return [v.expression for s in planned.steps for v in (s.value, *(i for group in s.inputs for i in group))]


def _inputs(planned: Schedule) -> list[str]:
    """Names of the task's tensors that the kernels read."""
    made = {*planned.temporaries, *planned.outputs}
    found = [x.buffer for e in _expressions(planned) for x in loads(e) if x.buffer.node is None]
    return list(dict.fromkeys(b.name for b in found if b not in made))


def _numbers(description: Any, planned: Schedule) -> list[str]:
    """Numbers among forward's arguments that the kernels hold as constants: they become parameters."""
    constants: set[float] = set()

    def walk(e: Expression) -> None:
        if isinstance(e, Constant) and e.dtype in FLOATING:
            constants.add(float(e.value))
        if isinstance(e, Apply):
            for argument in e.arguments:
                walk(argument)

    for expression in _expressions(planned):
        walk(expression)
    return [
        a.name
        for a in description.forward
        if a.kind == "scalar" and isinstance(a.value, float) and a.value in constants
    ]


def _default_binding(description: TaskDescription) -> list[str]:
    """The tensors that an entry takes where no directive says which (contracts.md section 1)."""
    buffers = [s.name for s in description.buffers if s.dtype in FLOATING]
    forward = [a.name for a in description.forward if a.tensor is not None]
    return [*forward, *(s.name for s in description.parameters), *buffers]


def _args(description: TaskDescription, needed: list[str], entry: Entry) -> str | None:
    """The directive's args where the default binding would give something else."""
    if needed == _default_binding(description):
        return None
    return ", ".join([*needed, *entry.scalars.values()])
