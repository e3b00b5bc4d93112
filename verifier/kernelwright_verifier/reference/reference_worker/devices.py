"""Tasks that name a device which this process does not have: their tensors are made on the CPU, which the reference runs on.

What a task asks of the device itself (a stream, its memory) is not answered, and fails as it would without a GPU.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
import types
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_NAMED = re.compile(r"\b(?:cuda|npu)\b")
_NPU = re.compile(r"\bnpu\b|torch_npu")
_DEVICE = re.compile(r"(?:cuda|npu)(?::\d+)?")
_METHODS = ("cuda", "npu")


class OnTheCpu(TorchFunctionMode):
    """Whatever is to lie on a GPU or an NPU lies on the CPU."""

    def __torch_function__(
        self, function: Any, kinds: Any, arguments: tuple[Any, ...] = (), named: dict[str, Any] | None = None
    ) -> Any:
        if function is torch.Tensor.cuda:
            return arguments[0]
        named = {name: here(value) if name == "device" else value for name, value in (named or {}).items()}
        if function is torch.Tensor.to:
            arguments = (arguments[0], *map(here, arguments[1:]))
        return function(*arguments, **named)


def here(value: Any) -> Any:
    """`value`, and the CPU where it names an accelerator."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type in _METHODS else value
    return "cpu" if isinstance(value, str) and _DEVICE.fullmatch(value) else value


class _Empty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds torch_npu and its modules, with nothing in them: many tasks import them and use none."""

    def find_spec(self, name: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        if name.split(".")[0] != "torch_npu":
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def map_devices(text: str) -> None:
    """Let the task of this text name devices that are not here. For the rest of this process, which serves one task."""
    if torch.cuda.is_available() or (_NAMED.search(text) is None and "torch_npu" not in text):
        return
    # A task is loaded at several sizes, and a stub has no specification to be found by.
    missing = "torch_npu" not in sys.modules and importlib.util.find_spec("torch_npu") is None
    if missing and _NPU.search(text) is not None:
        sys.meta_path.append(_Empty())
        importlib.import_module("torch_npu")
        torch.utils.rename_privateuse1_backend("npu")  # type: ignore[attr-defined]
        for kind in (torch.Tensor, torch.nn.Module):
            kind.npu = lambda self, *_, **__: self  # type: ignore[union-attr]
    # It acts below every mode, where ours no longer sees it.
    usual = torch.set_default_device
    torch.set_default_device = lambda device: None if here(device) != device else usual(device)
    OnTheCpu().__enter__()  # type: ignore[no-untyped-call]
