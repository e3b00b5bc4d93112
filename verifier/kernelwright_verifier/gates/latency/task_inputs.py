"""What a traced candidate reads at the task's full size: which way a kernel goes, and where, may depend on the values."""

from pathlib import Path

from kernelwright_backends.core.kernel import ELEMENT_SIZE_BYTES
from kernelwright_backends.interfaces.run import Call
from kernelwright_verifier.binding import Binding
from kernelwright_verifier.reference.client import Reference, TaskError
from kernelwright_verifier.reference.trial import DrawnInputs
from kernelwright_verifier.task.task import Task, TaskDescription

# Of all inputs and parameters together: what the reference makes in about half a second, once for a task.
_MOST_BYTES = 256 << 20


async def with_task_inputs(
    call: Call, binding: Binding, task: Task, full: TaskDescription, reference: Reference
) -> tuple[Call, Path | None]:
    """The full-size call with the places of the task's own values, and the file that holds them.

    Where they would be too large, or the task cannot make them here, those of its reduced size stand for them: what reads
    them repeats them. None: the task makes none at either.
    """
    drawn = await _drawn(task, full, reference)
    if drawn is None:
        return call, None
    arguments = tuple(
        value.model_copy(update={"drawn": drawn.tensors.get(bound.tensor)})
        if bound.tensor and value.role in ("input", "parameter", "buffer", "inout")
        else value
        for bound, value in zip(binding.arguments, call.arguments, strict=True)
    )
    return call.model_copy(update={"arguments": arguments}), drawn.mapping


async def _drawn(task: Task, full: TaskDescription, reference: Reference) -> DrawnInputs | None:
    if _bytes(full) <= _MOST_BYTES:
        try:
            return await reference.inputs(task, full)
        except TaskError:
            pass  # its meta device makes what its memory does not bear
    try:
        reduced = await reference.describe(task)
        return await reference.inputs(task, reduced) if _bytes(reduced) <= _MOST_BYTES else None
    except TaskError:
        return None


def _bytes(description: TaskDescription) -> int:
    given = (argument.tensor for argument in description.forward if argument.tensor is not None)
    specs = (*given, *description.parameters, *description.buffers)
    return sum(spec.numel * ELEMENT_SIZE_BYTES[spec.dtype] for spec in specs)
