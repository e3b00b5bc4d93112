"""Copies of what a task is called with: it may change its model, its inputs and its buffers in place."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any

import torch

from .instance import Instance


def copied_call(instance: Instance) -> tuple[Any, OrderedDict[str, Any]]:
    """Model and inputs of one call."""
    return (
        copy.deepcopy(instance.model),
        OrderedDict((name, copied(value)) for name, value in instance.inputs.items()),
    )


def copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else copy.deepcopy(value)
