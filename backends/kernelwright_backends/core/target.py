"""Where a verdict is obtained: `dialect:chip@where`, on a device with `:number` where one is meant."""

import re
from typing import Literal

from kernelwright_backends.core.model import Model

Dialect = Literal["cuda", "ascendc"]
Where = Literal["cpu", "gpu", "npu"]

_PATTERN = re.compile(
    r"(?P<dialect>cuda|ascendc):(?P<chip>[a-z0-9_-]+)@(?P<where>cpu|gpu|npu)(?::(?P<number>\d{1,3}))?"
)
_DEVICE: dict[str, Where] = {"cuda": "gpu", "ascendc": "npu"}
# An architecture stands for its default product.
DEFAULT_PRODUCT = {"sm_80": "a100-80", "sm_90": "h200", "sm_100": "b200", "910b": "910b2"}
ARCHITECTURE = {
    "a100": "sm_80", "a100-80": "sm_80", "a100-40": "sm_80", "h100": "sm_90", "h200": "sm_90", "b200": "sm_100",
    "910b1": "910b", "910b2": "910b", "910b3": "910b", "910b4": "910b",
}  # fmt: skip


class TargetError(ValueError):
    """A target that cannot be understood; the message names it and shows the form."""


class Target(Model):
    """`cuda:sm_90@cpu`, `cuda:h200@gpu`, `cuda:sm_90@gpu:1`, `ascendc:910b@npu`, ..."""

    dialect: Dialect
    chip: str
    where: Where
    number: int | None = None
    """of the device, as its driver's tools count them; None: whichever is the chip"""

    def __str__(self) -> str:
        number = "" if self.number is None else f":{self.number}"
        return f"{self.dialect}:{self.chip}@{self.where}{number}"

    def on_cpu(self) -> "Target":
        """The same chip, executed on the CPU."""
        return Target(dialect=self.dialect, chip=self.chip, where="cpu")

    @property
    def product(self) -> str:
        """The product whose constants are used: `h200` for `sm_90`; the chip itself where it names one."""
        return DEFAULT_PRODUCT.get(self.chip, self.chip)

    @property
    def architecture(self) -> str:
        """`sm_90` for `h200`; the chip itself where it names an architecture."""
        return ARCHITECTURE.get(self.chip, self.chip)

    @classmethod
    def parse(cls, text: str) -> "Target":
        """Read `dialect:chip@where`, with `:number` after it where a device is meant by its number.

        Raises:
            TargetError: the text does not have that form, or names a chip nobody has heard of.
        """
        match = _PATTERN.fullmatch(text.strip())
        if match is None:
            raise TargetError(f"'{text}' is not a target; write dialect:chip@where, such as cuda:sm_90@cpu")
        dialect, chip, where = match["dialect"], match["chip"], match["where"]
        if where not in ("cpu", _DEVICE[dialect]):
            raise TargetError(f"'{text}': {dialect} runs on cpu or {_DEVICE[dialect]}, not on {where}")
        if where == "cpu" and match["number"] is not None:
            raise TargetError(f"'{text}': only devices have numbers; write {dialect}:{chip}@cpu")
        architecture = ARCHITECTURE.get(chip, chip)
        if architecture.startswith("sm_") != (dialect == "cuda") or not (
            re.fullmatch(r"sm_\d{2,3}a?", architecture) or architecture == "910b"
        ):
            known = ", ".join(sorted({*DEFAULT_PRODUCT, *ARCHITECTURE}))
            raise TargetError(f"'{text}': unknown chip '{chip}' for {dialect}; known are {known} and sm_NN")
        number = int(match["number"]) if match["number"] is not None else None
        return cls(dialect=dialect, chip=chip, where=where, number=number)


DEFAULT_TARGETS: dict[Dialect, Target] = {
    "cuda": Target(dialect="cuda", chip="sm_90", where="cpu"),
    "ascendc": Target(dialect="ascendc", chip="910b", where="cpu"),
}


class AvailableDevice(Model):
    """Of one dialect: the device that is here."""

    target: Target | None = None
    """the device as a target; None: there is none, or it cannot be used"""
    name: str = ""
    """as its driver calls it"""
    problem: str = ""
    """why a device that is here cannot be used, and what to do about it; empty where there is none"""
