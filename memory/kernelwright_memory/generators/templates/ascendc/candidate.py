"""A candidate in Ascend C: the kernel of a task, its entry, and its place in the file."""

from typing import Any

from kernelwright_backends.ascendc.syntax import index as index_of
from kernelwright_memory.generators.base import CannotGenerate, GenerationRequest
from kernelwright_memory.generators.templates.ascendc.argument import ArgumentKernel
from kernelwright_memory.generators.templates.ascendc.convolution import ConvolutionKernel
from kernelwright_memory.generators.templates.ascendc.scan import ScanKernel
from kernelwright_memory.generators.templates.ascendc.tiles import DoesNotFit, KernelText, TileKernel
from kernelwright_memory.generators.templates.ascendc.writer import Parameter
from kernelwright_memory.generators.templates.build import Graph
from kernelwright_memory.generators.templates.entry import Entry, directive_of, read_entry
from kernelwright_memory.generators.templates.graph import Unsupported
from kernelwright_memory.generators.templates.schedule import Schedule, Step
from kernelwright_memory.generators.templates.source import Parts, replace_entry

_TILES = (4096, 8192, 2048, 1024, 512, 256)
_FAMILIES: dict[str, type[TileKernel]] = {"scan": ScanKernel, "convolution": ConvolutionKernel}
# What a family varies beside tile, buffers and cores.
_OWN: dict[str, tuple[dict[str, int], ...]] = {
    "scan": ({},),
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
    family = ArgumentKernel if _finds_places(step) else _FAMILIES.get(step.kind, TileKernel)
    return family(step, parameters)


def _finds_places(step: Step) -> bool:
    """Where the largest or smallest element is, not what."""
    return step.kind == "rows" and any(node.operation in ArgumentKernel.reductions for node in step.nodes)


def candidate(
    request: GenerationRequest, graph: Graph, planned: Schedule, parameters: dict[str, Any]
) -> tuple[str, str]:
    """(text of the file, what it does).

    Raises:
        CannotGenerate: the entry's parameters do not tell what the kernel needs.
        Unsupported: the task takes several launches.
    """
    if len(planned.steps) != 1:
        raise Unsupported("a task of several launches is not written in Ascend C")
    kernel = _kernel(planned.steps[0], parameters).emit()
    name = request.entry or "forward"
    index = index_of(request.text.encode())
    function = index.find(name)
    block_dim = _block_dim(kernel, parameters["cores"])
    code = _body(kernel, name)
    if function is None:
        entry_code, args = _new_entry(kernel, name)
    else:
        directive = directive_of(index, name, str(request.path))
        outputs = tuple(b.shape for b in planned.outputs)
        entry = read_entry(
            function, request.text, directive, request.description, graph.extents, outputs, str(request.path)
        )
        entry_code, args = _given_entry(kernel, entry, planned), None
    parts = Parts(code + entry_code, ('"kernel_operator.h"',), block_dim=block_dim, args=args)
    return replace_entry(request.text, index, name, parts), kernel.comment


def _block_dim(kernel: KernelText, cores: int) -> str:
    pieces = kernel.work.written()
    if kernel.each != 1:
        pieces = f"ceil_div({pieces}, {kernel.each})"
    return f"max(1, min({cores}, {pieces}))"


def _declaration(parameter: Parameter) -> str:
    return f"GM_ADDR {parameter.name}" if parameter.buffer is not None else f"uint32_t {parameter.name}"


def _body(kernel: KernelText, name: str) -> str:
    """The device functions that the entry calls."""
    prefix = name.rsplit("::", 1)[-1]
    read = _READ_FIRST.replace("kw_read_first", f"{prefix}_read_first") if kernel.needs_read else ""
    parameters = ", ".join(map(_declaration, kernel.scope.ordered))
    body = kernel.body.replace("kw_read_first", f"{prefix}_read_first")
    text = f"{read}// {kernel.comment}\n__aicore__ inline void {prefix}_body({parameters}) {{\n{body}\n}}\n\n"
    return _qualified(text)


_NAMES = (
    "TPipe", "TQueBind", "TQue", "TBuf", "TPosition", "LocalTensor", "GlobalTensor", "GetBlockIdx", "GetBlockNum", "DataCopyPad",
    "DataCopyExtParams", "DataCopyPadExtParams", "RoundMode", "Cast", "Duplicate", "Adds", "Muls", "Maxs", "Mins", "Add", "Sub", "Mul",
    "Div", "Max", "Min", "Exp", "Ln", "Sqrt", "Abs", "ReduceSum", "ReduceMax", "ReduceMin", "GetTPipePtr", "HardEvent", "SetFlag",
    "WaitFlag", "Brcb", "BinaryRepeatParams", "Gather", "Axpy", "ArithProgression",
    "Compare", "Select", "CMPMODE", "SELMODE",
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


def _new_entry(kernel: KernelText, name: str) -> tuple[str, str]:
    ordered = kernel.scope.ordered
    args = ", ".join(
        p.buffer.name if p.buffer is not None else p.size.written() if p.size else "" for p in ordered
    )
    parameters = ", ".join(map(_declaration, ordered))
    values = ", ".join(p.name for p in ordered)
    return (
        f'extern "C" __global__ __aicore__ void {name}({parameters}) {{\n    {name}_body({values});\n}}\n',
        args,
    )


def _given_entry(kernel: KernelText, entry: Entry, planned: Schedule) -> str:
    values = []
    for parameter in kernel.scope.ordered:
        if parameter.size is not None:
            values.append(f"static_cast<uint32_t>({entry.write(parameter.size)})")
            continue
        buffer = parameter.buffer
        assert buffer is not None
        place = planned.outputs.index(buffer) if buffer in planned.outputs else None
        given = entry.outputs.get(place) if place is not None else entry.tensors.get(buffer.name)
        if given is None:
            raise CannotGenerate(
                f"the entry '{entry.name}' does not take '{buffer.name}', which the result depends on"
            )
        kind = entry.parameter_types.get(given, "")
        values.append(given if kind.replace(" ", "") == "GM_ADDR" else f"reinterpret_cast<GM_ADDR>({given})")
    return f"{entry.head} {{\n    {entry.name}_body({', '.join(values)});\n}}\n"
