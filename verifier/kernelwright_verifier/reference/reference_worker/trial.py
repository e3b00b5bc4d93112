"""A trial: inputs made, outputs expected, both written for the candidate."""

from __future__ import annotations

import copy
import ctypes
import math
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import torch

from .families import (
    FAMILIES,
    IMPULSES,
    LARGE,
    change_parameters,
    changed_input,
    declare_integers,
    keep_preconditions,
    keep_tables,
    lean_to_bounds,
    levelled,
    refilled,
    with_coincidences,
    with_equals,
    with_halves,
    with_long_divisions,
    with_others,
)
from .faults import TaskFault
from .instance import Instance, dtype_name, tensor_spec
from .loading import LoadedTask, seed_everything
from .places import become_integers, become_places
from .preconditions import Precondition
from .structure import Structure
from .tables import unvaried
from .ties import ORDERS_EQUALS, Order, Ties
from .tracing import lengths_of, trace_of
from .wider import run_in, with_rounded_numbers

# Of an impulse's outputs that are decisions, the share that must hang on it.
LEAST_DECIDED = 0.25
ALIGNMENT = 256
PAGE = 4096
# Other orders of equals that are tried at most, and how many must show no further place of theirs: the middle of three stays
# where it was in one of three.
MOST_ORDERS, ORDERS_WITHOUT_NEWS = 12, 4
MANY_TURNS = 1e6  # numbers near each other come to lie anywhere on a circle
TELLS_APART = frozenset(("eq", "ne"))
# Outputs that move by more than this share of the largest when a number is rounded were decided by it: no rounding error.
MOST_MOVED = 1e-3
MORE_BITS = 29  # of float64's fraction than of float32's
# Errors of so many numbers are no measure of rounding: each may happen to be none.
FEW = 64
# So often they are computed of other inputs, as long as these are no more numbers than that; a share by which these differ.
MORE_SAMPLES, MANY_INPUTS, A_LITTLE = 4, 1 << 22, 0.125
ASKS_FOR_NUMBERS = frozenset("nan_to_num isnan isfinite nansum nanmean nanmedian nanquantile".split())


class Evaluation:
    """The task's outputs for one instance: in its own types, in float64, in float64 of numbers that are rounded to float32, and of
    tables one step away, which a kernel may compute; where these say little of rounding, of inputs one step away and of some further
    away as well, and those of a float64 task in float32."""

    def __init__(self, instance: Instance, seed: int) -> None:
        self.own = own_outputs(instance, seed)
        for dtype, self.precision in ((torch.float64, "float64"), (torch.float32, "float32")):
            self.ties = Ties(narrowest_type(instance))
            with self.ties if any(hanging_on_orders(instance.task)) else nullcontext():
                exact = self.wide(instance, dtype, seed)
            if exact is not None:
                break
        self.exact = [computable(o) for o in self.own] if exact is None else exact
        self.rounded = self.exact
        if self.precision == "float64" and any(o.is_floating_point() for o in self.own):
            other = self.with_rounded_numbers(instance, seed)
            self.rounded = self.exact if other is None else other
        self.narrow: list[Any] | None = None
        self.nearby: list[Any] | None = None
        self.tabled: list[Any] | None = None
        # In the task's own types and in float64
        self.further: list[tuple[list[Any], list[Any]]] = []
        wide_inputs = torch.finfo(narrowest_type(instance)).bits >= 32
        if self.precision == "float64" and wide_inputs and any(map(says_little_of_rounding, self.own)):
            self.nearby = self.wide(stepped(instance, by_a_step_either_way), torch.float64, seed)
            if any(o.dtype is torch.float64 for o in self.own):
                self.narrow = self.wide(instance, torch.float32, seed)
            if any(o.dtype is torch.float32 for o in self.own):
                self.further = self.of_inputs_further_away(instance, seed)
        if self.precision == "float64" and (tables := instance.tables & unvaried(instance.task)):
            seed_everything(seed)
            self.tabled = self.wide(stepped(instance, by_a_step_either_way, tables), torch.float64, seed)
        self.tied: list[Any] = [None] * len(self.own)
        self.orders: list[Order | None] = [None] * len(self.own)

    def of_inputs_further_away(self, instance: Instance, seed: int) -> list[tuple[list[Any], list[Any]]]:
        """The outputs of inputs so far away that other numbers are rounded, in the task's own types and in float64."""
        found: list[tuple[list[Any], list[Any]]] = []
        if sum(v.numel() for v in instance.inputs.values() if isinstance(v, torch.Tensor)) > MANY_INPUTS:
            return found
        for number in range(MORE_SAMPLES):
            seed_everything(seed + number)
            moved = stepped(instance, scaled_a_little)
            try:
                own = own_outputs(moved, seed)
            except TaskFault:  # not this task's domain
                break
            exact = self.wide(moved, torch.float64, seed)
            if exact is None or [o.shape for o in own] != [o.shape for o in self.own]:
                break
            found.append((own, exact))
        return found

    def settle_ties(self, instance: Instance, seed: int) -> None:
        """Set `tied`: for each output of integers that depends on an order, the places which equals fill as they come, None where
        there are none. Where no place went on into something else, set `orders` as well, which tell what may stand there;
        otherwise equals are drawn in other orders until no more are found."""
        if not self.ties.found:
            return
        ordered = [
            hangs and not own.is_floating_point()
            for hangs, own in zip(hanging_on_orders(instance.task), self.own, strict=True)
        ]
        orders = [
            self.ties.in_output(exact) if at else None for at, exact in zip(ordered, self.exact, strict=True)
        ]
        self.tied = [None if order is None else order.tied for order in orders]
        if len(self.ties.found) == 1 and all(
            o is not None for o, at in zip(orders, ordered, strict=True) if at
        ):
            self.orders = orders
            return
        without_news = 0
        for number in range(MOST_ORDERS):
            seed_everything(seed + max(0, number - 1))
            sign = -1 if number == 1 else 1
            moved = stepped(instance, partial(slightly_moved, sign=sign))
            outputs = self.wide(moved, torch.float64, seed)
            if outputs is None:
                return
            without_news = without_news + 1 if self.add_ties(outputs, ordered) == 0 else 0
            if without_news >= ORDERS_WITHOUT_NEWS:
                return

    def add_ties(self, outputs: Sequence[Any], ordered: Sequence[bool]) -> int:
        """Adds the places that another order of equals has filled otherwise; how many of them are new."""
        news = 0
        for at, (other, exact) in enumerate(zip(outputs, self.exact, strict=True)):
            places = other != exact if ordered[at] else None
            if places is None or not bool(places.any()):
                continue
            before = self.tied[at]
            self.tied[at] = places if before is None else before | places
            news += int(self.tied[at].sum()) - (0 if before is None else int(before.sum()))
        return news

    def undecided(self, at: int) -> int:
        """The elements of an output of integers that float64 gives differently, beside those that equals decide."""
        own, tied = self.own[at], self.tied[at]
        if own.is_floating_point():
            return 0
        different = own != self.exact[at]
        return int((different if tied is None else different & ~tied).sum())

    def with_rounded_numbers(self, instance: Instance, seed: int) -> list[Any] | None:
        changed = with_rounded_numbers(instance.model, instance.inputs)
        if changed is None:
            return None
        other = copy.copy(instance)
        other.model, other.inputs = changed
        return self.wide(other, torch.float64, seed)

    def wide(self, instance: Instance, dtype: Any, seed: int) -> list[Any] | None:
        seed_everything(seed)
        try:
            outputs = run_in(dtype, instance.task, instance.model, instance.inputs)
        except TaskFault:
            return None
        same = len(outputs) == len(self.own) and all(
            wide.shape == own.shape
            and wide.is_floating_point() == own.is_floating_point()
            and (not wide.is_floating_point() or wide.dtype is dtype)
            for wide, own in zip(outputs, self.own, strict=True)
        )
        return [o.detach() for o in outputs] if same else None

    def non_finite(self) -> int:
        return non_finite(self.own)

    def hangs_on_rounding(self, given: float) -> bool:
        """Whether float32 itself is so far from float64 that another algorithm may come to anything: systems that are nearly
        singular, steps of an iteration that does not settle. `given` is the rms of the inputs, beside which nought is near."""
        return self.precision == "float64" and any(
            own.is_floating_point()
            and own.element_size() >= 4
            and largest_finite(own.double() - exact.double()) > MOST_MOVED * max(given, largest_finite(exact))
            for own, exact in zip(self.own, self.exact, strict=True)
        )

    def consistent(self) -> bool:
        """Both evaluations are finite at the same places: nothing overflowed the task's own type."""
        return all(
            torch.equal(finite(own), finite(exact))
            for own, exact in zip(self.own, self.exact, strict=True)
            if own.is_floating_point()
        )


def own_outputs(instance: Instance, seed: int) -> list[Any]:
    """The outputs in the task's own types; inputs and buffers that it changes in place are copies."""
    model = copy.deepcopy(instance.model)
    inputs = OrderedDict((name, copied(value)) for name, value in instance.inputs.items())
    seed_everything(seed)
    with torch.no_grad():
        return [output.detach() for output in instance.task.run(model, inputs)]


def non_finite(outputs: Sequence[Any]) -> int:
    return sum(int((~finite(o)).sum()) for o in outputs if o.is_floating_point())


def finite(tensor: Any) -> Any:
    return torch.isfinite(computable(tensor))


def computable(tensor: Any) -> Any:
    """The tensor; in float64 where it holds real numbers of one byte, of which PyTorch computes nothing."""
    return tensor.double() if tensor.is_floating_point() and tensor.element_size() == 1 else tensor


def copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else copy.deepcopy(value)


def trial(task: LoadedTask, requires: dict[str, str], seed: int, family: str, output: str) -> dict[str, Any]:
    """Inputs, parameters, buffers and expected outputs of one trial, written to `output`."""
    instance, evaluation, attempt = prepared(task, requires, seed, family)
    return written(instance, evaluation, attempt, output)


def own_inputs(task: LoadedTask, seed: int, output: str) -> dict[str, Any]:
    """Inputs, parameters and buffers alone, as the task makes them; each begins a page, so that it can be mapped."""
    with torch.no_grad():
        instance = Instance(task, seed)
    with Mapping(output, PAGE) as mapping:
        return {"tensors": {name: mapping.put(name, tensor) for name, tensor in instance.tensors.items()}}


def prepared(
    task: LoadedTask, requires: dict[str, str], seed: int, family: str
) -> tuple[Instance, Evaluation, str]:
    """The strongest attempt of a family that stays within the task's domain, and its outputs."""
    conditions = [Precondition(text, name) for name, text in requires.items()]
    tables = frozenset[str]().union(*(condition.tables for condition in conditions))
    places = become_places(task)
    left_out = (set() if heeds_gaps(task) else {"gaps"}) | ({"infinite"} if become_integers(task) else set())
    attempts = tuple(attempt for attempt in FAMILIES[family] if attempt not in left_out)
    with torch.no_grad():
        for position, attempt in enumerate(attempts):
            instance = Instance(task, seed, tables)
            if attempt == "nonnegative" and not begins_with_zeros(instance):
                continue
            seed_everything(seed)
            for name, value in instance.inputs.items():
                if isinstance(value, torch.Tensor):
                    of_its_own = "in range" if name in places and attempt != "given" else attempt
                    instance.inputs[name] = instance.tensors[name] = changed_input(value, of_its_own)
            if attempt == "signed":
                declare_integers(instance, conditions)
            if attempt == LARGE[0]:
                lean_to_bounds(instance, conditions)
            if attempt in ("signed", "nonnegative", "scaled"):
                for name, numbers in told_apart(task).items():
                    if isinstance(instance.inputs.get(name), torch.Tensor):
                        other = with_others(instance.inputs[name], numbers)
                        instance.inputs[name] = instance.tensors[name] = other
            if attempt == "signed" and rounds(task):
                change_inputs(instance, with_halves)
            if attempt == "negative":
                if orders_stably(task):
                    change_inputs(instance, with_equals)
                instance.inputs = OrderedDict(with_long_divisions(with_coincidences(instance.inputs)))
                instance.tensors.update({n: v for n, v in instance.inputs.items() if n in instance.tensors})
            if family != "given":
                change_parameters(instance, attempt, gentle=position > 0)
                keep_tables(instance, tables)
            keep_preconditions(instance, conditions, own=family == "given")
            last = position == len(attempts) - 1
            try:
                evaluation = Evaluation(instance, seed)
            except TaskFault:
                if last:
                    raise
                continue  # lengths that must add up, offsets that must rise: not this task's domain
            if (
                attempt in IMPULSES
                and position < len(IMPULSES)
                and not decides(instance, evaluation, attempt, seed)
            ):
                continue
            if last or (
                in_domain(evaluation, task, seed)
                and not evaluation.hangs_on_rounding(input_rms(instance))
                and (position or same_shapes(evaluation, task, seed))
                and not equals_decide(instance, evaluation, seed)
            ):
                break
        evaluation.settle_ties(instance, seed)
    return instance, evaluation, attempt


def change_inputs(instance: Instance, change: Callable[[Any], Any]) -> None:
    """Put other tensors in the place of those that forward is given."""
    for name, value in instance.inputs.items():
        if isinstance(value, torch.Tensor):
            instance.inputs[name] = instance.tensors[name] = change(value)


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


def hanging_on_orders(task: LoadedTask) -> list[bool]:
    """For each output, whether it depends on an operator that may order tied elements freely."""
    trace, hanging = trace_of(task), set[str]()
    for operator in trace["operators"]:
        orders = operator["name"] in ORDERS_EQUALS and not operator["attributes"].get("stable")
        if orders or hanging.intersection(operator["inputs"]):
            hanging.update(operator["outputs"])
    return [name in hanging for name in trace["outputs"]]


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


def decided_otherwise(one: Any, other: Any) -> bool:
    """Whether an output differs from another by more than rounding. Places of an order may have become real numbers."""
    if not one.is_floating_point():
        return not torch.equal(one, other)
    one, other = one.double(), other.double()
    both = torch.isfinite(one) & torch.isfinite(other)
    if not bool(both.any()):
        return False
    return float((one - other)[both].abs().max()) > MOST_MOVED * float(one[both].abs().max())


def narrowest_type(instance: Instance) -> Any:
    """The narrowest type of real numbers among forward's tensors, parameters and buffers; float32 where there is none."""
    types = {t.dtype for t in instance.tensors.values() if t.is_floating_point()} or {torch.float32}
    return max(types, key=lambda dtype: torch.finfo(dtype).eps)


def slightly_moved(value: Any, sign: int) -> Any:
    """In float64, each number by an amount of its own, far below what any type of fewer bits tells apart."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return value
    wide = value.detach().double()
    size = wide[torch.isfinite(wide)].abs().max() if bool(torch.isfinite(wide).any()) else torch.zeros(())
    return wide + sign * 2.0**-40 * size * torch.rand(wide.shape, dtype=torch.float64)


def stepped(instance: Instance, step: Callable[[Any], Any], names: Collection[str] | None = None) -> Instance:
    """An instance whose inputs have moved, those of `names` alone where these are given."""
    moved = copy.copy(instance)
    moved.inputs = OrderedDict(
        (name, step(value) if names is None or name in names else value)
        for name, value in instance.inputs.items()
    )
    return moved


def by_one_step(value: Any) -> Any:
    """Half of the numbers moved to the next of their type."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    up = torch.nextafter(value, torch.full_like(value, math.inf))
    return torch.where(torch.rand(value.shape) < 0.5, up, value)


def equals_by_one_step(value: Any) -> Any:
    """Half of the numbers moved to the next of their type, equal ones alike."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    up = torch.nextafter(value, torch.full_like(value, math.inf))
    return torch.where(torch.sin(value.double() * MANY_TURNS) < 0, up, value)


def by_a_step_either_way(value: Any) -> Any:
    """Each number moved to the next of its type above or below: moves that cancel in sums, as roundings do."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    way = torch.where(torch.rand(value.shape) < 0.5, math.inf, -math.inf).to(value.dtype)
    return torch.nextafter(value, way)


def scaled_a_little(value: Any) -> Any:
    """Each number larger or smaller by a share of it; labels stay, and so does an order."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return value
    structure = Structure(value)
    if structure.labels:
        return value
    factors = 1 + A_LITTLE * (torch.rand(value.shape, dtype=torch.float64) - 0.5)
    return refilled(value, structure.ordered(value.detach().double() * factors))


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


def written(
    instance: Instance,
    evaluation: Evaluation,
    attempt: str,
    output: str,
    needed: dict[str, Any] | None = None,
) -> dict[str, Any]:
    with Mapping(output) as mapping:
        marked = {name: mapping.put(name, marks.contiguous()) for name, marks in (needed or {}).items()}
        tensors = {name: mapping.put(name, tensor) for name, tensor in instance.tensors.items()}
        names = instance.output_names(len(evaluation.own))
        lengths = lengths_of(instance.task)
        given = input_rms(instance)
        expected = [
            {
                **with_further_errors(
                    expected_output(mapping, name, own, exact, length), own, exact, evaluation, at, given
                ),
                **moved_by_rounding(own, exact, rounded),
                "undecided": evaluation.undecided(at),
                "tied": None
                if tied is None
                else mapping.put(f"places of equals in {name}", tied.contiguous()),
                "ranks": None
                if order is None
                else mapping.put(f"ranks of what {name} orders", order.ranks.contiguous()),
                "ranked_dim": None if order is None else order.dim,
            }
            for at, (name, own, exact, rounded, length, tied, order) in enumerate(
                zip(
                    names,
                    evaluation.own,
                    evaluation.exact,
                    evaluation.rounded,
                    lengths,
                    evaluation.tied,
                    evaluation.orders,
                    strict=True,
                )
            )
        ]
    scalars: dict[str, Any] = dict(instance.task.constants)
    for listed in (instance.init_arguments, instance.forward_arguments):
        scalars.update({a["name"]: a["value"] for a in listed if a["kind"] in ("scalar", "tuple")})
    return {
        "tensors": tensors,
        "scalars": scalars,
        "expected": expected,
        "attempt": attempt,
        "precision": evaluation.precision,
        "input_rms": given,
        "needed": marked,
    }


def input_rms(instance: Instance) -> float:
    """Over all finite real numbers of forward's tensors, 0 where there are none."""
    given = (v for v in instance.inputs.values() if isinstance(v, torch.Tensor) and v.is_floating_point())
    squares, count = 0.0, 0
    for tensor in given:
        values = tensor.double()  # which types of one byte need for anything
        own = squared(values)
        if not math.isfinite(own):  # rare, and several times as long
            values = values[torch.isfinite(values)]
            own = squared(values)
        squares += own
        count += values.numel()
    return (squares / count) ** 0.5 if count else 0.0


def squared(values: Any) -> float:
    """The sum of the squares of float64 values."""
    flat = values.reshape(-1)
    return float(torch.dot(flat, flat))


def expected_output(mapping: Mapping, name: str, own: Any, exact: Any, length: int) -> dict[str, Any]:
    """One expected output: float64 values and how far the task's own type is off; integers as they are."""
    facts: dict[str, Any] = {"dtype": dtype_name(own.dtype), "reduction": length}
    if not own.is_floating_point():
        facts.update(rms=0.0, rms_error=0.0, max_error=0.0)
        return {"tensor": mapping.put(name, own.contiguous()), **facts}
    values, exact = own.double(), exact.double()
    error = values - exact
    largest = float(error.abs().max()) if error.numel() else 0.0
    finite = exact
    if not math.isfinite(largest):
        settled = torch.isfinite(values) & torch.isfinite(exact)
        # Where one of them is not finite, the task's own type decides: that is what PyTorch would answer.
        exact = torch.where(settled, exact, values)
        error, finite = error[settled], exact[settled]
        largest = float(error.abs().max()) if error.numel() else 0.0
    count = max(1, error.numel())
    facts["rms"] = (squared(finite) / count) ** 0.5
    facts["rms_error"] = (squared(error) / count) ** 0.5
    facts["max_error"] = largest
    return {"tensor": mapping.put(name, exact.contiguous()), **facts}


def says_little_of_rounding(own: Any) -> bool:
    """Whether the difference of an output to float64 is none, or that of a few numbers, which may happen to be small."""
    return own.dtype is torch.float64 or (own.dtype is torch.float32 and 0 < own.numel() <= FEW)


def with_further_errors(
    facts: dict[str, Any], own: Any, exact: Any, evaluation: Evaluation, at: int, given: float
) -> dict[str, Any]:
    """How far an output is off at least: as far as it moves where tables move by one step of theirs; where it says little of rounding,
    as far as it moves where all inputs do, as far as that of other inputs is, or, of float64, as much less than in float32 as it has more bits. None of it counts where it came to decide otherwise,
    or left its range.

    Args:
        given: the rms of the inputs.
    """
    ways: list[tuple[Any, Any, float]] = []
    if evaluation.tabled is not None and own.is_floating_point():
        ways.append((evaluation.tabled[at], exact, 1.0))
    if says_little_of_rounding(own):
        ways += ways_of_little(own, exact, evaluation, at)
    if not ways:
        return facts
    size = max(given, largest_finite(exact))
    for one, other, share in ways:
        moved = rounding_between(one, other, size)
        if moved is not None:
            rms, largest = moved
            facts["rms_error"] = max(facts["rms_error"], share * rms)
            facts["max_error"] = max(facts["max_error"], share * largest)
    return facts


def ways_of_little(own: Any, exact: Any, evaluation: Evaluation, at: int) -> Iterator[tuple[Any, Any, float]]:
    """Pairs of evaluations between which lies what rounding does where an output says little of it, and the share that counts."""
    for other, wide in evaluation.further:
        yield other[at], wide[at], 1.0
    if evaluation.nearby is not None:
        yield evaluation.nearby[at], exact, 1.0
    if own.dtype is torch.float64 and evaluation.narrow is not None:
        yield evaluation.narrow[at], exact, 2.0**-MORE_BITS


def moved_by_rounding(own: Any, exact: Any, rounded: Any) -> dict[str, float]:
    """How far an output moves where the task's plain numbers are rounded to float32, as a kernel's parameters are."""
    if rounded is exact or not own.is_floating_point() or own.dtype is torch.float64:
        return {}
    moved = rounding_between(rounded, exact, largest_finite(exact))
    return {} if moved is None else {"moved_rms": moved[0], "moved_largest": moved[1]}


def rounding_between(one: Any, other: Any, size: float) -> tuple[float, float] | None:
    """How far finite numbers of two evaluations are apart, rms and at most; None where there are none, or where a larger share of
    `size` than rounding makes was decided otherwise."""
    apart = one.double() - other.double()
    apart = apart[torch.isfinite(apart)]
    if not apart.numel():
        return None
    largest = float(apart.abs().max())
    return None if largest > MOST_MOVED * size else ((squared(apart) / apart.numel()) ** 0.5, largest)


def largest_finite(values: Any) -> float:
    finite = values[torch.isfinite(values)]
    return float(finite.abs().max()) if finite.numel() else 0.0


class Mapping:
    """A file of tensors: raw little-endian bytes, each tensor aligned to 256 bytes unless more is asked for."""

    def __init__(self, path: str, alignment: int = ALIGNMENT) -> None:
        self.alignment = alignment
        self.file = Path(path).open("wb")  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Mapping:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()

    def put(self, name: str, tensor: Any) -> dict[str, Any]:
        """Append the stretch of storage that the tensor spans, so that its strides stay as they are."""
        tensor = tensor.detach()
        offset = -(-self.file.tell() // self.alignment) * self.alignment
        self.file.write(b"\0" * (offset - self.file.tell()))
        if tensor.numel():
            span = 1 + sum(
                (extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.stride(), strict=True)
            )
            data = (ctypes.c_char * (span * tensor.element_size())).from_address(tensor.data_ptr())
            self.file.write(memoryview(data))
        return {**tensor_spec(name, tensor), "offset": offset}
