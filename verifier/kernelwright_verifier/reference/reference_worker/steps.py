"""Inputs moved by a little, to see what an evaluation makes of it."""

from __future__ import annotations

import copy
import math
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Any

import torch

from .families import refilled
from .instance import Instance
from .structure import Structure

MANY_TURNS = 1e6  # numbers near each other come to lie anywhere on a circle
A_LITTLE = 0.125  # the share by which other inputs differ


def stepped(instance: Instance, step: Callable[[Any], Any], names: Collection[str] | None = None) -> Instance:
    """An instance whose inputs have moved, those of `names` alone where these are given."""
    moved = copy.copy(instance)
    moved.inputs = OrderedDict(
        (name, step(value) if names is None or name in names else value)
        for name, value in instance.inputs.items()
    )
    return moved


def slightly_moved(value: Any, sign: int) -> Any:
    """In float64, each number by an amount of its own, far below what any type of fewer bits tells apart."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return value
    wide = value.detach().double()
    size = wide[torch.isfinite(wide)].abs().max() if bool(torch.isfinite(wide).any()) else torch.zeros(())
    return wide + sign * 2.0**-40 * size * torch.rand(wide.shape, dtype=torch.float64)


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
