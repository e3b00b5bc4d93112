"""What one step of a run leaves to those who asked for it."""

from typing import NamedTuple

from kernelwright_memory.agent import credit
from kernelwright_memory.bank.experience import Experience
from kernelwright_memory.bank.views import Retrieval
from kernelwright_memory.generators.base import Generation
from kernelwright_verifier.results.verdict import Verdict


class Stop(Exception):
    """The run ends; the message says why in one line. `tried`: something was judged before."""

    def __init__(self, reason: str, *, tried: bool) -> None:
        super().__init__(reason)
        self.tried = tried


class Attempt(NamedTuple):
    """A candidate that was verified."""

    text: str
    verdict: Verdict
    generation: Generation
    trace: Experience | None
    """Under which it is remembered; None if it is not feasible."""


class Judgement(NamedTuple):
    """What a verdict is worth to the loop that asked for it."""

    reward: float | None
    parent_gain: float | None = None


class Unsettled(NamedTuple):
    """A step whose candidate was judged, before anything is credited for it."""

    number: int
    generation: Generation
    verdict: Verdict
    judgement: Judgement
    recall: Retrieval
    last: Verdict | None
    last_text: str | None
    lineage: credit.Lineage | None
    best_us: float | None
