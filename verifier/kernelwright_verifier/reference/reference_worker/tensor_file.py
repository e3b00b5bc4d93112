"""A file of tensors, written for the candidate."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from .instance import tensor_spec

ALIGNMENT = 256


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
