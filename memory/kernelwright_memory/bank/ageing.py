"""What was learned with other tools, or on another chip, counts less than what was learned here."""

import math
from typing import Protocol

from kernelwright_memory.bank.values import Posterior

# Ours: half for another toolchain, half for another chip.
_OTHER_TOOLCHAIN = 0.5
_OTHER_CHIP = 0.5


class _Asked(Protocol):
    @property
    def target(self) -> str: ...
    @property
    def toolchain(self) -> str: ...


def aged(posterior: Posterior, provenance: tuple[str | None, str | None], query: _Asked) -> Posterior:
    """The posterior of an experience as far as it still tells something.

    Args:
        provenance: target and toolchain that the experience was found with; None: it holds for all, as what is packaged.
    """
    target, toolchain = provenance
    share = 1.0
    if toolchain and query.toolchain and toolchain != query.toolchain:
        share *= _OTHER_TOOLCHAIN
    if target and query.target and _chip(target) != _chip(query.target):
        share *= _OTHER_CHIP
    if share == 1.0:
        return posterior
    return Posterior(
        posterior.mean * share, posterior.deviation / math.sqrt(share), posterior.samples * share
    )


def _chip(target: str) -> str:
    return target.split("@", 1)[0]
