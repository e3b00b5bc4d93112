"""What a question says of the task besides its text: shapes at both sizes, names for `args`, the accuracy that is asked for."""

from kernelwright_memory.generators.base import GenerationRequest
from kernelwright_memory.generators.prompts.filling import data, text_of
from kernelwright_memory.generators.skeletons.arguments import arguments_of
from kernelwright_verifier.task.task import Argument, TaskDescription, TensorSpec

_NARROW = ("float16", "bfloat16")
_LONGEST = 300


def sizes(request: GenerationRequest) -> str:
    """Shapes at the full sizes, which are the sizes; those that the CPU target runs under their own name."""
    full = request.full or request.description
    tensors = data("shapes", "\n".join(_shapes(full)))
    said = f"Shapes, at the task's sizes. These are what the kernel is for, and what its latency is of:\n{tensors}\n"
    if full is not request.description and request.description.sizes:
        reduced = data("reduced shapes", "\n".join(_shapes(request.description)))
        constants = ", ".join(f"{name} = {value}" for name, value in request.description.sizes.items())
        said += (
            "\nTo compare results, the CPU target runs the same kernel at reduced sizes, and then traces it at the full ones. Do not "
            f"write for these: choose tiles, launches and algorithms for the sizes above ({constants} when reduced):\n{reduced}\n"
        )
    return said


def bindable(request: GenerationRequest) -> str:
    """Every item that `args` of this task may hold, in one line each kind."""
    found = arguments_of(request.description, sizes=True)
    kinds = {
        "tensors": [a.source for a in found if a.kind == "tensor"],
        "outputs": [a.source for a in found if a.kind == "output"],
        "numbers": [a.source for a in found if a.kind == "number"],
        "sizes, among others": [a.source for a in found if a.kind == "size"],
    }
    lines = [f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names]
    return data("items for args", "\n".join(lines))


def precision(request: GenerationRequest) -> str:
    """The accuracy that the correctness gate asks for, by the element types of the outputs."""
    dtypes = dict.fromkeys(o.dtype for o in request.description.outputs)
    said = []
    if any(d in ("float32", "float64") for d in dtypes):
        said.append(text_of(f"precision/{'float64' if 'float64' in dtypes else 'float32'}"))
    if any(d in _NARROW or d.startswith("float8") for d in dtypes):
        said.append(text_of("precision/narrow"))
    if any(not d.startswith(("float", "bfloat", "complex")) for d in dtypes):
        said.append(text_of("precision/whole"))
    return "\n".join(text.strip() for text in said)


def _shapes(description: TaskDescription) -> list[str]:
    lines = [f"forward: {_argument(a)}" for a in description.forward]
    lines += [f"__init__: {_argument(a)}" for a in description.init]
    lines += [f"parameter: {_tensor(t)}" for t in description.parameters]
    lines += [f"buffer: {_tensor(t)}" for t in description.buffers]
    return lines + [f"output: {_tensor(t)}" for t in description.outputs]


def _argument(argument: Argument) -> str:
    if argument.tensor is not None:
        return _tensor(argument.tensor)
    text = f"{argument.name} = {argument.value}"
    return text if len(text) <= _LONGEST else f"{argument.name}: a value of {len(text):,} characters"


def _tensor(tensor: TensorSpec) -> str:
    return f"{tensor.name}: {tensor.dtype}{list(tensor.shape)}"
