"""What inputs a task takes, and which of them say something of a candidate."""

from __future__ import annotations

import copy
from collections import OrderedDict
from functools import partial

import torch

from .evaluation import Evaluation, hanging_on_orders, non_finite, own_outputs
from .families import levelled
from .instance import Instance
from .loading import LoadedTask
from .rounding import decided_otherwise
from .steps import by_one_step, equals_by_one_step, slightly_moved, stepped
from .ties import ORDERS_EQUALS
from .tracing import trace_of

# Of an impulse's outputs that are decisions, the share that must hang on it.
LEAST_DECIDED = 0.25
TELLS_APART = frozenset(("eq", "ne"))
ASKS_FOR_NUMBERS = frozenset("nan_to_num isnan isfinite nansum nanmean nanmedian nanquantile".split())


def begins_with_zeros(instance: Instance) -> bool:
    """Whether an input holds nothing but zeros: a state, which may have to stay above them."""
    values = (v for v in instance.inputs.values() if isinstance(v, torch.Tensor) and v.is_floating_point())
    return any(value.numel() > 0 and not bool(value.any()) for value in values)


def told_apart(task: LoadedTask) -> dict[str, list[float]]:
    """For each value the numbers with which the task compares it, or by which its loss is told: labels that it may hold."""
    trace = trace_of(task)
    found: dict[str, list[float]] = {name: [1.0, -1.0] for name in trace["signs"]}
    for operator in trace["operators"]:
        number = operator["attributes"].get("other")
        if operator["name"] in TELLS_APART and isinstance(number, int | float):
            found.setdefault(operator["inputs"][0], []).append(float(number))
    return found


def rounds(task: LoadedTask) -> bool:
    """Whether the task goes to the nearest whole number: only then does it matter where a half goes."""
    return any(operator["name"] == "round" for operator in trace_of(task)["operators"])


def orders_stably(task: LoadedTask) -> bool:
    """Whether the task says which of equals comes first."""
    return any(
        operator["name"] in ORDERS_EQUALS and operator["attributes"].get("stable")
        for operator in trace_of(task)["operators"]
    )


def heeds_gaps(task: LoadedTask) -> bool:
    """Whether the task asks which of its values are numbers: only then does it matter to a kernel."""
    return any(operator["name"] in ASKS_FOR_NUMBERS for operator in trace_of(task)["operators"])


def decides(instance: Instance, evaluation: Evaluation, attempt: str, seed: int) -> bool:
    """Whether outputs that are decisions hang on what stands out of an impulse, and not on the numbers around."""
    if any(output.is_floating_point() for output in evaluation.own):
        return True
    without = copy.copy(instance)
    without.inputs = OrderedDict((name, levelled(value, attempt)) for name, value in instance.inputs.items())
    others = own_outputs(without, seed)
    changed = sum(int((one != other).sum()) for one, other in zip(evaluation.own, others, strict=True))
    return bool(changed >= LEAST_DECIDED * sum(output.numel() for output in others))


def equals_decide(instance: Instance, evaluation: Evaluation, seed: int) -> bool:
    """Whether places in the outputs hang on which of equals an operator takes first, where PyTorch does not say."""
    if not any(hanging_on_orders(instance.task)):
        return False
    moved = stepped(instance, equals_by_one_step if orders_stably(instance.task) else by_one_step)
    if any(map(decided_otherwise, evaluation.own, own_outputs(moved, seed))):
        return True
    real = [o.is_floating_point() for o in evaluation.own]
    if not evaluation.ties.found or not any(real):
        return False
    # What is computed of equals may be equal still.
    moved = stepped(instance, partial(slightly_moved, sign=1))
    others = evaluation.wide(moved, torch.float64, seed) or evaluation.exact
    return any(
        at and decided_otherwise(one, other)
        for at, one, other in zip(real, evaluation.exact, others, strict=True)
    )


def in_domain(evaluation: Evaluation, task: LoadedTask, seed: int) -> bool:
    """Whether the outputs are numbers wherever the task's own inputs give numbers."""
    if not evaluation.consistent():
        return False
    count = evaluation.non_finite()
    return count == 0 or count <= non_finite(own_outputs(Instance(task, seed), seed))


def same_shapes(evaluation: Evaluation, task: LoadedTask, seed: int) -> bool:
    """Whether integers that were varied leave the outputs the shapes that the task's own give."""
    instance = Instance(task, seed)
    if all(v.is_floating_point() for v in instance.inputs.values() if isinstance(v, torch.Tensor)):
        return True
    return [o.shape for o in evaluation.own] == [o.shape for o in own_outputs(instance, seed)]
