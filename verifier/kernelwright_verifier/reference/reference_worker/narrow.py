"""How far outputs of 8 and 16 bits may be off, element by element, where a kernel rounds as the task does or less often."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .copies import copied_call
from .dithering import Dithered, is_narrow, narrowest, rms, ulp
from .faults import TaskFault
from .instance import Instance
from .loading import seed_everything

DRAWS, DRAWS_OF_MUCH, MUCH = 8, 4, 1 << 22
# What the draws of an element show is held to be no less than this share of what those of its like do: a few draws may come out small.
LEAST_SHARE = 0.25
FLOAT32_STEP = 2.0**-20
# A dithered rounding errs so many times as much as a rounding; what is further off than so many deviations of others is an outlier, and
# a kernel may have so many times as many as a draw.
DITHERED_ROUNDINGS, DEVIATIONS, OUTLIERS = 5.0**0.5, 4.0, 3


@dataclass(frozen=True, slots=True)
class Spread:
    """How far one output moves where roundings in front of its last one are dithered."""

    elements: Any
    """float32, of each element: rms over the draws; None where no rounding comes before the last"""
    draws: int
    square: float
    """the largest mean square of a draw's errors, each as a share of what its element's may be"""
    scale: float
    """rms over the draws of the share by which all of an output is too large"""
    outliers: int
    """elements of a draw that are further off than the others tell: where a rounding decides which of two numbers is the larger"""
    outlier: float
    """the furthest that any element moves"""


def spreads(instance: Instance, exact: Sequence[Any], own: Sequence[Any], seed: int) -> list[Spread | None]:
    """Of each output; None where it is not narrow, or where nothing can be said."""
    if not any(map(is_narrow, own)):
        return [None] * len(own)
    size = sum(t.numel() for t in (*instance.tensors.values(), *own))
    wanted = DRAWS_OF_MUCH if size > MUCH else DRAWS
    drawn: list[tuple[list[Any], list[Any]]] = []
    for number in range(1, wanted + 1):
        draw = drawn_outputs(instance, number, seed)
        if draw is None or [o.shape for o in draw[0]] != [o.shape for o in own]:
            return [None] * len(own)
        drawn.append(draw)
        if number == 1 and not any(
            is_narrow(o) and moves(before, e) for o, before, e in zip(own, draw[1], exact, strict=True)
        ):
            break
    return [
        spread_of([(values[at], before[at]) for values, before in drawn], exact[at], own[at])
        if is_narrow(own[at])
        else None
        for at in range(len(own))
    ]


def drawn_outputs(
    instance: Instance, number: int, seed: int, inside: TorchDispatchMode | None = None
) -> tuple[list[Any], list[Any]] | None:
    """The outputs of one draw, and their float64 values before the last rounding; None where there are none. `inside` sees each
    operator first."""
    model, inputs = copied_call(instance)
    tensors = [
        *model.parameters(),
        *model.buffers(),
        *(v for v in inputs.values() if isinstance(v, torch.Tensor)),
    ]
    seed_everything(seed)
    try:
        dithered = Dithered(number, tensors, narrowest(tensors))
        with torch.no_grad(), decomposed_attention(), dithered as mode, inside or contextlib.nullcontext():
            outputs = instance.task.run(model, inputs)
    except TaskFault:
        return None
    return [o.detach() for o in outputs], [mode.unrounded(o) for o in outputs]


def decomposed_attention() -> contextlib.AbstractContextManager[Any]:
    """Attention as the products that it consists of."""
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel
    except ImportError:  # older ones fuse nothing on the CPU
        return contextlib.nullcontext()
    return sdpa_kernel(SDPBackend.MATH)


def moves(before: Any, exact: Any) -> bool:
    """Whether more than the rounding of float32 lies between an output before its last rounding and the exact one."""
    apart = (before.double() - exact.double()).abs()
    size = exact.double().abs()
    settled = torch.isfinite(apart)
    if not bool(settled.any()):
        return False
    return bool((apart[settled] > FLOAT32_STEP * (size[settled] + size[settled].max())).any())


def spread_of(drawn: Sequence[tuple[Any, Any]], exact: Any, own: Any) -> Spread:
    wide = torch.where(torch.isfinite(exact.double()), exact.double(), 0.0)
    half = 0.5 * ulp(wide, own.dtype)
    if len(drawn) == 1:
        return Spread(None, 1, 1.0, 0.0, 0, 0.0)
    moves = [settled(before.double() - wide) for _, before in [*drawn, (own, own)]]
    own_move = torch.clamp(moves.pop().abs() - half, min=0.0)
    squares = sum((move * move for move in moves), torch.zeros_like(wide))
    moved = at_least_usual((squares / len(drawn)).sqrt(), wide, half)
    found: list[tuple[float, float, int]] = []
    for (values, _), move in zip(drawn, moves, strict=True):
        # Held to what the others tell.
        others = at_least_usual(
            ((squares - move * move).clamp(min=0.0) / (len(drawn) - 1)).sqrt(), wide, half
        )
        due = half * half / 3 + others * others
        error = settled(values.double() - wide)
        size = float((wide * wide / due).sum())
        found.append(
            (
                float((error * error / due).mean()) if error.numel() else 0.0,
                float((error * wide / due).sum()) / size if size else 0.0,
                int((move.abs() / DITHERED_ROUNDINGS > DEVIATIONS * others + half).sum()),
            )
        )
    return Spread(
        torch.maximum(moved, own_move / 2).float().contiguous(),
        len(drawn),
        max(square for square, _, _ in found),
        rms(torch.tensor([scale for _, scale, _ in found], dtype=torch.float64)),
        OUTLIERS * max(count for _, _, count in found),
        max(float(move.abs().max()) if move.numel() else 0.0 for move in moves),
    )


def at_least_usual(moved: Any, wide: Any, half: Any) -> Any:
    """What elements move, none that moves by far less than those of its like."""
    moving = moved > FLOAT32_STEP * wide.abs()
    if not bool(moving.any()):
        return moved
    usual, share = moved[moving].median(), (moved[moving] / half[moving]).median()
    like = torch.maximum(LEAST_SHARE * share * half, torch.minimum(LEAST_SHARE * usual, 2 * share * half))
    return torch.where(moving, torch.maximum(moved, like), moved)


def settled(values: Any) -> Any:
    return torch.where(torch.isfinite(values), values, 0.0)
