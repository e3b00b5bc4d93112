"""The constants of chips, as every dialect keeps them: a folder with one table a product, `PRODUCT.toml`."""

import tomllib
from pathlib import Path
from typing import Generic, TypeVar

from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import Target

T = TypeVar("T", bound=Model)


class ChipTables(Generic[T]):
    """The tables of one dialect; each is read when it is first asked for."""

    def __init__(self, folder: Path, kind: type[T]) -> None:
        self._folder, self._kind = folder, kind
        self._read: dict[str, T | None] = {}

    def find(self, target: Target) -> T | None:
        """The table of the target's product; None where there is none."""
        product = target.product
        if product not in self._read:
            file = self._folder / f"{product}.toml"
            self._read[product] = (
                self._kind.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
                if file.is_file()
                else None
            )
        return self._read[product]

    def products(self) -> tuple[str, ...]:
        """Every product with a table."""
        return tuple(sorted(file.stem for file in self._folder.glob("*.toml")))
