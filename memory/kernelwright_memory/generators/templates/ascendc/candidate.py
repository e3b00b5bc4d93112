"""A candidate in Ascend C: the kernel of a task, its entry, and its place in the file."""

import contextlib
from dataclasses import replace
from typing import Any

from kernelwright_backends.ascendc.syntax import index as index_of
from kernelwright_memory.generators.base import CannotGenerate, GenerationRequest
from kernelwright_memory.generators.templates.ascendc import launches
from kernelwright_memory.generators.templates.ascendc.argument import ArgumentKernel
from kernelwright_memory.generators.templates.ascendc.convolution import ConvolutionKernel
from kernelwright_memory.generators.templates.ascendc.pooling import PoolingKernel
from kernelwright_memory.generators.templates.ascendc.scan import ScanKernel
from kernelwright_memory.generators.templates.ascendc.tiles import DoesNotFit, KernelText, TileKernel
from kernelwright_memory.generators.templates.ascendc.transposed import TransposedConvolutionKernel
from kernelwright_memory.generators.templates.ascendc.writer import BYTES, Lines, Parameter, in_order
from kernelwright_memory.generators.templates.entry import Entry, directive_of, read_entry
from kernelwright_memory.generators.templates.graph.build import Graph
from kernelwright_memory.generators.templates.graph.graph import Buffer, Unsupported
from kernelwright_memory.generators.templates.graph.schedule import Schedule, Step
from kernelwright_memory.generators.templates.graph.size import Size, product
from kernelwright_memory.generators.templates.source import Parts, replace_entry

_TILES = (4096, 8192, 2048, 1024, 512, 256)
_FAMILIES: dict[str, type[TileKernel]] = {
    "scan": ScanKernel, "convolution": ConvolutionKernel, "pool": PoolingKernel,
}  # fmt: skip
# What a family varies beside tile, buffers and cores.
_OWN: dict[str, tuple[dict[str, int], ...]] = {
    "scan": ({},),
    "pool": ({},),
    "convolution": ({"channels": 8}, {"channels": 16}, {"channels": 4}, {"channels": 1}),
}

_READ_FIRST = """// A number that the vector unit computed, for the scalar unit; the flags make each wait for the other.
__aicore__ inline float kw_read_first(const LocalTensor<float>& tensor) {
    event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(done);
    WaitFlag<HardEvent::V_S>(done);
    const float first = tensor.GetValue(0);
    event_t read = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));
    SetFlag<HardEvent::S_V>(read);
    WaitFlag<HardEvent::S_V>(read);
    return first;
}

"""


def space(step: Step) -> list[dict[str, Any]]:
    """The parameter space: elements of a tile, buffers of each queue, cores, and for rows whether their results pass through the
    scalar unit or stay on the vector unit, for convolutions output channels at once; those that fit the unified buffer."""
    found = []
    bodies: set[tuple[str, int]] = set()
    plain = ({},) if _finds_places(step) else ({"spread": 0}, {"spread": 1})
    for own in _OWN.get(step.kind, plain):
        for buffers, cores in ((2, 40), (2, 48), (1, 40), (2, 20)):
            for tile in _TILES:
                parameters = {"tile": tile, "buffers": buffers, "cores": cores, **own}
                try:
                    body = _kernel(step, parameters).emit().body
                except DoesNotFit:
                    continue
                if (body, cores) not in bodies:
                    bodies.add((body, cores))
                    found.append(parameters)
    return found


def _kernel(step: Step, parameters: dict[str, Any]) -> TileKernel:
    family = _FAMILIES.get(step.kind, TileKernel)
    if _finds_places(step):
        family = ArgumentKernel
    elif step.kind == "convolution" and step.nodes[0].attributes["transposed"]:
        family = TransposedConvolutionKernel
    return family(step, parameters)


def _finds_places(step: Step) -> bool:
    """Where the largest or smallest element is, not what."""
    return step.kind == "rows" and any(node.operation in ArgumentKernel.reductions for node in step.nodes)


def passes(planned: Schedule) -> Schedule:
    """The schedule in steps that are each one pass over tiles.

    Raises:
        Unsupported: an operator that the templates do not write.
    """
    return launches.passes(planned, _check)


def _check(step: Step) -> None:
    for own in _OWN.get(step.kind, ({},)):
        for tile in reversed(_TILES):
            with contextlib.suppress(DoesNotFit):
                _kernel(step, {"tile": tile, "buffers": 1, "cores": 1, **own}).emit()
                return
    raise Unsupported("what is computed for each element needs more room than the unified buffer has")


def candidate(
    request: GenerationRequest, graph: Graph, planned: Schedule, main: Step, parameters: dict[str, Any]
) -> tuple[str, str]:
    """(text of the file, what it does).

    Args:
        planned: in passes over tiles.
        main: the step that `parameters` are for; the others take the first of their family.

    Raises:
        CannotGenerate: the entry's parameters do not tell what the kernel needs.
    """
    name = request.entry or "forward"
    prefix = name.rsplit("::", 1)[-1]
    cores = {"cores": parameters["cores"]}
    kernels = [
        _kernel(step, parameters if step is main else {**space(step)[0], **cores}).emit()
        for step in planned.steps
    ]
    body = Body(prefix, kernels)
    index = index_of(request.text.encode())
    function = index.find(name)
    if function is None:
        entry_code, args = _new_entry(body, name, planned), _args(body, planned)
    else:
        directive = directive_of(index, name, str(request.path))
        outputs = tuple(b.shape for b in planned.outputs)
        entry = read_entry(
            function, request.text, directive, request.description, graph.extents, outputs, str(request.path)
        )
        entry_code, args = _given_entry(body, entry, planned), None
    block_dim = _block_dim(kernels, parameters["cores"])
    parts = Parts(body.text + entry_code, ('"kernel_operator.h"',), block_dim=block_dim, args=args)
    comment = kernels[planned.steps.index(main)].comment
    if len(kernels) > 1:
        comment = f"{comment.rstrip('.')} ({len(kernels)} passes)"
    return replace_entry(request.text, index, name, parts), comment


def _block_dim(kernels: list[KernelText], cores: int) -> str:
    pieces = []
    for kernel in kernels:
        text = kernel.work.written()
        pieces.append(text if kernel.each == 1 else f"ceil_div({text}, {kernel.each})")
    most = pieces[0]
    for text in dict.fromkeys(pieces[1:]):
        most = f"max({most}, {text})"
    return f"max(1, min({cores}, {most}))"


def _declaration(parameter: Parameter) -> str:
    return f"GM_ADDR {parameter.name}" if parameter.buffer is not None else f"uint32_t {parameter.name}"


class Body:
    """The device functions that an entry calls: one for each pass, and one that calls these where there are several.

    `parameters` are those of the last of them, which the entry calls.
    """

    def __init__(self, prefix: str, kernels: list[KernelText]) -> None:
        self.name = f"{prefix}_body"
        needs_read = any(kernel.needs_read for kernel in kernels)
        read = _READ_FIRST.replace("kw_read_first", f"{prefix}_read_first")
        self.text = _qualified(read) if needs_read else ""
        names = [self.name] if len(kernels) == 1 else [f"{prefix}_pass{n}" for n in range(len(kernels))]
        for name, kernel in zip(names, kernels, strict=True):
            body = kernel.body.replace("kw_read_first", f"{prefix}_read_first")
            self.text += _qualified(_function(name, kernel.scope.ordered, body, kernel.comment))
        if len(kernels) == 1:
            self.parameters = kernels[0].scope.ordered
            return
        joined, calls = _joined(kernels)
        self.parameters = joined
        lines = Lines()
        for place, (name, call) in enumerate(zip(names, calls, strict=True)):
            if place:
                lines.add("AscendC::SyncAll();")
            lines.add(f"{name}({', '.join(call)});")
        self.text += _function(
            self.name, joined, lines.text, "The cores wait for each other between the passes."
        )


def _function(name: str, parameters: list[Parameter], body: str, comment: str) -> str:
    declared = ", ".join(map(_declaration, parameters))
    return f"// {comment}\n__aicore__ inline void {name}({declared}) {{\n{body}\n}}\n\n"


def _joined(kernels: list[KernelText]) -> tuple[list[Parameter], list[list[str]]]:
    """The parameters of all passes, each once, and what each pass is called with."""
    found: dict[Buffer | Size, Parameter] = {}
    taken: set[str] = set()
    calls: list[list[str]] = []
    for kernel in kernels:
        call = []
        for own in kernel.scope.ordered:
            key = own.buffer if own.buffer is not None else own.size
            assert key is not None
            if key not in found:
                name, counter = own.name, 2
                while name in taken:
                    name, counter = f"{own.name}{counter}", counter + 1
                taken.add(name)
                found[key] = replace(own, name=name)
            call.append(found[key].name)
        calls.append(call)
    return in_order(found.values()), calls


def _args(body: Body, planned: Schedule) -> str:
    """What the directive gives to the parameters."""
    texts = []
    for parameter in body.parameters:
        if parameter.size is not None:
            texts.append(parameter.size.written())
        elif parameter.buffer in planned.temporaries:
            count = product(parameter.buffer.shape) * BYTES[parameter.buffer.dtype]
            texts.append(f"workspace({count.written()})")
        else:
            assert parameter.buffer is not None
            texts.append(parameter.buffer.name)
    return ", ".join(texts)


_NAMES = (
    "TPipe", "TQueBind", "TQue", "TBuf", "TPosition", "LocalTensor", "GlobalTensor", "GetBlockIdx", "GetBlockNum", "DataCopyPad",
    "DataCopyExtParams", "DataCopyPadExtParams", "RoundMode", "Cast", "Duplicate", "Adds", "Muls", "Maxs", "Mins", "Add", "Sub", "Mul",
    "Div", "Max", "Min", "Exp", "Ln", "Sqrt", "Abs", "ReduceSum", "ReduceMax", "ReduceMin", "GetTPipePtr", "HardEvent", "SetFlag",
    "WaitFlag", "Brcb", "BinaryRepeatParams", "Gather", "Axpy", "ArithProgression",
    "Compare", "CompareScalar", "Select", "CMPMODE", "SELMODE", "UnaryRepeatParams",
)  # fmt: skip


def _qualified(text: str) -> str:
    """With the namespace before every name of the interface, so that the file needs no `using`."""
    import re

    pattern = re.compile(r"(?<![\w:.>])(" + "|".join(_NAMES) + r")(?=\s*[<(:{]|\s+\w)")
    lines = [
        line if line.lstrip().startswith("//") else pattern.sub(r"AscendC::\1", line)
        for line in text.split("\n")
    ]
    return "\n".join(lines)


# Cores that wait for each other have to start together.
_TOGETHER = "    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);\n"


def _new_entry(body: Body, name: str, planned: Schedule) -> str:
    declared = ", ".join(map(_declaration, body.parameters))
    values = ", ".join(p.name for p in body.parameters)
    together = _TOGETHER if len(planned.steps) > 1 else ""
    return f'extern "C" __global__ __aicore__ void {name}({declared}) {{\n{together}    {body.name}({values});\n}}\n'


def _given_entry(body: Body, entry: Entry, planned: Schedule) -> str:
    values = []
    for parameter in body.parameters:
        if parameter.size is not None:
            values.append(f"static_cast<uint32_t>({entry.write(parameter.size)})")
            continue
        buffer = parameter.buffer
        assert buffer is not None
        if buffer in planned.temporaries:
            raise CannotGenerate(
                f"the kernel needs a workspace of its own for what it hands from pass to pass; leave the entry '{entry.name}' to "
                "the draft (a directive without a function)"
            )
        place = planned.outputs.index(buffer) if buffer in planned.outputs else None
        given = entry.outputs.get(place) if place is not None else entry.tensors.get(buffer.name)
        if given is None:
            raise CannotGenerate(
                f"the entry '{entry.name}' does not take '{buffer.name}', which the result depends on"
            )
        kind = entry.parameter_types.get(given, "")
        values.append(given if kind.replace(" ", "") == "GM_ADDR" else f"reinterpret_cast<GM_ADDR>({given})")
    together = _TOGETHER if len(planned.steps) > 1 else ""
    return f"{entry.head} {{\n{together}    {body.name}({', '.join(values)});\n}}\n"
