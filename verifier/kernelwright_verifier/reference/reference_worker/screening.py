"""The screen of the task itself (check A3, degenerate tasks), and what of it must be read (A5)."""

from __future__ import annotations

import copy
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import torch

from .evaluation import Evaluation, own_outputs
from .faults import TaskFault
from .instance import Instance
from .loading import LoadedTask, place_of_function
from .tables import DRAWS, unvaried
from .tracing import trace_of
from .trial import prepared, written
from .uses import FirstUses, used_elements
from .wider import Wider, widened_model, widened_tensor

# Below this share of the output's size, a derivative is rounding.
INFLUENCE = 1e-9
# A second evaluation for each tensor is made only of tasks that are quicker than this.
SCREEN_S = 0.2
# Selected elements of all trials together by which one ignored in a hundred is nearly certain to be seen; the most trials that
# are made for it, and the elements of all of them.
SELECTED = 384
MOST_IMPULSES, IMPULSE_ELEMENTS = 24, 1 << 20
# What gives one of many elements, or what one of them decides, and has no derivative.
DECIDES = frozenset(("argmax", "argmin", "any", "all"))
# What looks for the largest, or for the smallest: of these a search may begin with a number that is none of the input's.
# What only takes the largest away first (a softmax) may round as its numbers are large.
LARGEST = frozenset("amax max argmax cummax max_pool2d_with_indices max_pool3d_with_indices".split())
SMALLEST = frozenset(("amin", "min", "argmin", "cummin"))
# What puts them in order: of these a place that is none of the input's may be filled with such a number, at either end.
ORDERED = frozenset("sort argsort topk kthvalue median nanmedian".split())
# What takes the largest away, and exponentials of the rest: who takes nought for the largest has none left far below it.
EXPONENTIALS = frozenset("_softmax _log_softmax softmax log_softmax logsumexp".split())
# Of an output's places, the share that hold the same in each draw from which on other inputs are asked for.
STILL = 0.05
# What makes a tensor of another's shape, whatever its values.
SHAPE_ONLY = frozenset(
    "zeros_like ones_like full_like empty_like new_zeros new_ones new_full new_empty sym_size size "
    "rand_like randn_like".split()
)


def screen(task: LoadedTask, requires: dict[str, str], seed: int, output: str) -> dict[str, Any]:
    """A trial of the family "shifted" with what its outputs depend on, and the ways in which the task proves little."""
    started = time.thread_time()
    instance, evaluation, attempt = prepared(task, requires, seed, "shifted")
    quick = time.thread_time() - started < 4 * SCREEN_S
    influence = derivatives(instance, evaluation) if quick else {}
    needed = {
        name: share > INFLUENCE
        for name, share in influence.items()
        if bool((share > INFLUENCE).any()) and not may_be_computed(instance, name)
    }
    answer = written(instance, evaluation, attempt, output, needed)
    forward = [name for name, value in instance.inputs.items() if isinstance(value, torch.Tensor)]
    weak, families, uses = list[dict[str, Any]](), list[str](), dict[str, int]()
    fixed = list[str]()
    if quick:
        fixed = undeclared_tables(instance)
        given = [prepared(task, requires, seed + n, "given")[1] for n in range(2)]
        weak = weaknesses(task, requires, seed, instance, evaluation, influence, given)
        families = further_families(weak, len(evaluation.own), given)
        if all_constant(weak, len(evaluation.own)):
            uses = first_uses(instance, evaluation)
    trace = trace_of(task)
    floating = {name for name in forward if instance.inputs[name].is_floating_point()}
    families += searches(trace, floating)
    return {
        **answer,
        "forward": forward,
        "depends": reaches(trace, floating or set(forward)),
        "impulses": further_impulses(instance, evaluation, influence, floating, trace),
        "families": families,
        "fixed": fixed,
        "used": uses,
        "weak": weak,
    }


def may_be_computed(instance: Instance, name: str) -> bool:
    """Whether a tensor is declared to hold what the task makes, and this is always the same: a table that a formula may replace."""
    return name in instance.tables and name in unvaried(instance.task)


def undeclared_tables(instance: Instance) -> list[str]:
    """Inputs and buffers that the task makes alike in every draw, of several values, and of which it does not say that this is all
    they hold."""
    names = (unvaried(instance.task) & {*instance.inputs, *instance.buffers}) - instance.tables
    if not names:
        return []
    # Buffers were changed in place.
    as_made = (
        {**Instance(instance.task, DRAWS[0]).buffers, **instance.own}
        if names - instance.inputs.keys()
        else instance.own
    )
    return [
        name
        for name in sorted(names)
        if (own := as_made[name]).numel() and bool((own != own.flatten()[0]).any())
    ]


def all_constant(weak: list[dict[str, Any]], outputs: int) -> bool:
    return len({w["name"] for w in weak if w["what"] == "constant" and w["everywhere"]}) == outputs


def further_families(weak: list[dict[str, Any]], outputs: int, given: list[Evaluation]) -> list[str]:
    """Families beside the usual ones that a task needs: where an output is the same whatever is drawn, in whole or in part, what is
    written there without being computed is right at all of them.

    Args:
        given: of the task's own inputs, drawn twice; whether another family moves what stands still depends on its draw.
    """
    if all_constant(weak, outputs):
        return ["endless", "far"]
    for position in range(outputs):
        one, other = (draw.own[position] for draw in given)
        if not one.is_floating_point() or one.numel() < 64 or one.shape != other.shape:
            continue
        if float((one == other).double().mean()) >= STILL:
            return ["unit"]
    return []


def searches(trace: dict[str, Any], floating: set[str]) -> list[str]:
    """Families for the largest and the smallest of what is given, where nothing else is, and these are the answer, or what
    exponentials are held against."""
    if len(floating) != 1:
        return []
    answers = set(trace["outputs"])
    searched = {
        o["name"]
        for o in trace["operators"]
        if floating.intersection(o["inputs"][:1]) and answers.intersection(o["outputs"])
    }
    softened = {o["name"] for o in trace["operators"] if floating.intersection(o["inputs"][:1])}
    asked = (
        ("below", searched & (LARGEST | ORDERED)),
        ("above", searched & (SMALLEST | ORDERED)),
        ("sunk", softened & EXPONENTIALS),
    )
    return [name for name, found in asked if found]


def further_impulses(
    instance: Instance,
    evaluation: Evaluation,
    influence: dict[str, Any],
    floating: set[str],
    trace: dict[str, Any],
) -> int:
    """How many more trials it takes until `SELECTED` elements were selected, where each output shows one of many: who looks at
    all elements but some is found by chance alone."""
    elements = sum(int(instance.inputs[name].numel()) for name in floating)
    if influence:
        selected = sum(int((influence[name] > INFLUENCE).sum()) for name in floating & influence.keys())
    elif any(operator["name"] in DECIDES for operator in trace["operators"]):
        selected = sum(int(output.numel()) for output in evaluation.own)
    else:
        return 0
    if not selected or 2 * selected > elements:
        return 0
    return max(0, min(math.ceil(SELECTED / selected) - 5, MOST_IMPULSES, IMPULSE_ELEMENTS // elements))


def reaches(trace: dict[str, Any], names: set[str]) -> bool:
    """Whether an output is computed from a value of `names`."""
    known = set(names)
    for operator in trace["operators"]:
        if operator["name"] not in SHAPE_ONLY and known.intersection(operator["inputs"]):
            known.update(operator["outputs"])
    return bool(known.intersection(trace["outputs"]))


def derivatives(instance: Instance, evaluation: Evaluation) -> dict[str, Any]:
    """For each floating tensor the size of what one element does to the outputs, as a share of the outputs' own size, by a
    derivative in float64; nothing where there is none (integers, rounding, what works in place)."""
    return in_float64(differentiated, instance) if evaluation.precision == "float64" else {}


def first_uses(instance: Instance, evaluation: Evaluation) -> dict[str, int]:
    """For each floating input of forward how many of its elements the task makes anything of; see `uses`."""
    return in_float64(used, instance) if evaluation.precision == "float64" else {}


def in_float64(differentiate: Callable[[Instance], dict[str, Any]], instance: Instance) -> dict[str, Any]:
    """Nothing where there are no derivatives."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.enable_grad(), Wider(torch.float64):
            return differentiate(instance)
    except Exception:
        return {}
    finally:
        torch.set_default_dtype(before)


def used(instance: Instance) -> dict[str, int]:
    model, leaves, arguments = with_leaves(instance)
    own = {name: leaf for name, leaf in leaves.items() if name in arguments}
    with FirstUses(arguments[name] for name in own) as uses:
        instance.task.run(model, arguments)
    return used_elements(uses, own)


def with_leaves(instance: Instance) -> tuple[Any, dict[str, Any], OrderedDict[str, Any]]:
    """Model and arguments in float64, and of what in them the outputs are to be differentiated by, by name."""
    model = widened_model(instance.model, torch.float64)
    leaves: dict[str, Any] = {}
    arguments: OrderedDict[str, Any] = OrderedDict()
    for name, value in instance.inputs.items():
        wide = widened_tensor(value, torch.float64)
        if isinstance(wide, torch.Tensor) and wide.is_floating_point():
            leaves[name] = wide.contiguous().requires_grad_(True)
            wide = leaves[name] * 1.0  # what the task does in place is done to a copy
        arguments[name] = wide
    for name, parameter in zip(instance.parameters, model.parameters(), strict=True):
        if parameter.is_floating_point():
            leaves[name] = parameter.requires_grad_(True)
    return model, leaves, arguments


def differentiated(instance: Instance) -> dict[str, Any]:
    model, leaves, arguments = with_leaves(instance)
    outputs = instance.task.run(model, arguments)
    generator = torch.Generator().manual_seed(0)
    total: Any = 0.0
    size = count = 0.0
    for out in outputs:
        if not out.is_floating_point() or not out.requires_grad:
            continue
        out = out.double()  # also of types of one byte, of which PyTorch computes nothing
        kept = torch.where(torch.isfinite(out), out, torch.zeros_like(out))
        weights = torch.randn(out.shape, generator=generator, dtype=torch.float64)
        total = total + (kept * weights).sum()
        size, count = size + float(kept.detach().square().sum()), count + kept.numel()
    if not count:
        return {}
    scale = math.sqrt(size / count) or 1.0
    slopes = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    shares: dict[str, Any] = {}
    for (name, leaf), slope in zip(leaves.items(), slopes, strict=True):
        own = float(leaf.detach().square().mean().sqrt()) if leaf.numel() else 0.0
        slope = torch.zeros_like(leaf) if slope is None else slope
        shares[name] = slope.detach().abs().nan_to_num(0.0) * ((own or 1.0) / scale)
    return shares


def weaknesses(
    task: LoadedTask,
    requires: dict[str, str],
    seed: int,
    instance: Instance,
    evaluation: Evaluation,
    influence: dict[str, Any],
    given: list[Evaluation],
) -> list[dict[str, Any]]:
    """Each way in which a wrong kernel could pass for right.

    Args:
        evaluation: of shifted inputs.
        given: of the task's own, drawn twice.
    """
    place = place_of_function(task.namespace["Model"], "forward") or {}
    names = instance.output_names(len(evaluation.own))
    found: list[dict[str, Any]] = []
    constant = set()

    @cache
    def others() -> tuple[Evaluation, ...]:
        # What a threshold decides alike for all that is drawn, another family may show.
        return tuple(prepared(task, requires, seed, family)[1] for family in ("tiny", "negative", "impulse"))

    for position, name in enumerate(names):
        one, other = (evaluated.exact[position] for evaluated in given)
        if one.numel() == 0 or one.shape != other.shape:
            continue
        if alike(one, other, given[0].own[position]):
            everywhere = all(
                other.exact[position].shape == one.shape
                and alike(one, other.exact[position], given[0].own[position])
                for other in (evaluation, *others())
            )
            constant.add(name)
            found.append({"what": "constant", "name": name, "everywhere": everywhere, **place})
            continue
        found += [{**weak, "name": name, **place} for weak in uniformity(one, other)]
        if one.is_floating_point():
            found += [{**weak, "name": name, **place} for weak in smallness(one, given[0].own[position])]
    if len(constant) < len(names):
        found += [
            {"what": "unused", "name": n, **place}
            for n in unused(task, instance, evaluation, influence, seed)
        ]
    return found


def alike(one: Any, other: Any, own: Any) -> bool:
    """The same within what rounding in the task's own type may do."""
    if not one.is_floating_point():
        return bool(torch.equal(one, other))
    one, other, own = one.double(), other.double(), own.double()
    settled = torch.isfinite(one) & torch.isfinite(other)
    if not torch.equal(torch.isfinite(one), torch.isfinite(other)):
        return False
    if not bool(settled.any()):
        return True
    apart = float((one - other)[settled].square().mean().sqrt())
    rounding = float((own - one)[settled].square().mean().sqrt())
    return apart <= 16 * max(rounding, 6e-8 * float(one[settled].square().mean().sqrt()))


def uniformity(one: Any, other: Any) -> Iterator[dict[str, Any]]:
    for axis, extent in enumerate(one.shape):
        if extent > 1 and all(bool(torch.equal(o, o.narrow(axis, 0, 1).expand_as(o))) for o in (one, other)):
            yield {"what": "axis", "axis": axis}
            return
    if one.numel() >= 64:
        value = one.flatten().median()
        share = float((one == value).double().mean())
        if share > 0.99:
            yield {"what": "saturated", "share": share, "value": float(value)}


def smallness(exact: Any, own: Any) -> Iterator[dict[str, Any]]:
    values = exact.double()
    settled = torch.isfinite(values) & torch.isfinite(own.double())
    if not bool(settled.any()):
        yield {"what": "not finite"}
        return
    size = float(values[settled].square().mean().sqrt())
    rounding = float((own.double() - values)[settled].square().mean().sqrt())
    if size and 16 * rounding > 0.5 * size:
        yield {"what": "rounding", "size": size}
    elif float(values[settled].abs().max()) < 1e-3:
        yield {"what": "small", "size": size}


def unused(
    task: LoadedTask, instance: Instance, evaluation: Evaluation, influence: dict[str, Any], seed: int
) -> Iterator[str]:
    """Inputs and parameters that may hold anything: their derivative is nought, and other values change nothing."""
    other = Instance(task, seed + 7)
    tried = 0
    for name, tensor in (*instance.inputs.items(), *instance.parameters.items()):
        if not isinstance(tensor, torch.Tensor) or tensor.numel() == 0 or tried >= 8:
            continue
        if name in influence and bool((influence[name] > INFLUENCE).any()):
            continue
        replaced = other.tensors[name]
        if replaced.shape != tensor.shape:
            continue
        if torch.equal(replaced, tensor) and tensor.is_floating_point():
            replaced = tensor.detach() * 1.5 + 0.25
        if torch.equal(replaced, tensor):
            continue
        tried += 1
        changed = with_tensor(instance, name, replaced)
        try:
            again = own_outputs(changed, seed)
        except TaskFault:
            continue
        if all(alike(before, after, before) for before, after in zip(evaluation.own, again, strict=True)):
            yield name


def with_tensor(instance: Instance, name: str, values: Any) -> Instance:
    """The same instance with other values in one input or parameter."""
    changed = copy.copy(instance)
    if name in instance.inputs:
        changed.inputs = OrderedDict(instance.inputs)
        changed.inputs[name] = values.to(instance.inputs[name].dtype)
        return changed
    changed.model = copy.deepcopy(instance.model)
    position = list(instance.parameters).index(name)
    parameter = list(changed.model.parameters())[position]
    with torch.no_grad():
        parameter.copy_(values)
    return changed
