"""Who earned a step's reward: the events that a verdict leaves behind."""

from collections.abc import Sequence
from typing import NamedTuple

from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import Dialect
from kernelwright_memory.agent.assignment import Assignment
from kernelwright_memory.bank.bank import Retrieval, now
from kernelwright_memory.bank.retrieval import state_of
from kernelwright_memory.bank.reward import NULL_ARM, Reward, Role
from kernelwright_memory.generators.base import Generation, Stage
from kernelwright_verifier.results.verdict import Verdict

# What the generator says it did not use still stood in the prompt.
UNUSED_SHARE = 0.25
# A start point earns from its children's children, less with every generation.
ANCESTOR_DISCOUNT = 0.5
_GENERATIONS = 3


class Circumstances(Model):
    """What all events of a step have in common."""

    run: str
    step: int
    stage: Stage
    task: str
    dialect: Dialect
    family: str
    state: str
    policy: str
    verifier: str
    toolchain: str
    target: str
    date: str

    @classmethod
    def of(
        cls, assignment: Assignment, run: str, step: int, stage: Stage, last: Verdict | None, *, task_hash: str, family: str,
        policy: str,
    ) -> "Circumstances":  # fmt: skip
        """Of a step that answers the verdict `last`, as of now."""
        return cls(
            run=run,
            step=step,
            stage=stage,
            task=task_hash,
            dialect=assignment.target.dialect,
            family=family,
            state=state_of(last),
            policy=policy,
            verifier=assignment.verifier,
            toolchain=assignment.toolchain,
            target=str(assignment.target),
            date=now(),
        )


class Lineage(NamedTuple):
    """The start point that a candidate was made from, and the start points that this one came from, nearest
    first.
    """

    start: str
    propensity: float
    latency_us: float | None
    ancestors: tuple[str, ...] = ()


def events(
    circumstances: Circumstances,
    recall: Retrieval,
    generation: Generation,
    verdict: Verdict,
    *,
    reward: float,
    lineage: Lineage | None = None,
    parent_gain: float | None = None,
    best_us: float | None = None,
    born: str | None = None,
) -> tuple[Reward, ...]:
    """One event for each experience of the context that the generator was shown (or for the null arm), the start point, its ancestors, and
    the new one.

    Args:
        parent_gain: log of the start point's latency over the candidate's, 0 where not significant.
        best_us: the best latency before this step.
        born: the id under which the candidate joins the start points.
    """

    def event(
        role: Role, experience: str, slot: int, propensity: float, credit: float, similarity: float | None
    ) -> Reward:
        return Reward(
            **circumstances.model_dump(),
            id=f"{circumstances.run}-{circumstances.stage}-{circumstances.step}-{role}-{slot}",
            experience=experience,
            role=role,
            slot=slot,
            start_point=lineage.start if lineage else None,
            propensity=min(propensity, 1.0),
            similarity=similarity,
            credit=credit,
            feasible=bool(verdict.feasible),
            reward=reward,
            parent_gain=parent_gain,
            latency_us=verdict.latency_us,
            parent_latency_us=lineage.latency_us if lineage else None,
            best_latency_us=best_us,
            latency_source=verdict.latency_source,
            model=generation.generator,
        )

    rewards: list[Reward] = []
    if recall.null:
        rewards.append(event("null", NULL_ARM, 0, recall.propensity, 1.0, None))
    for choice, share in zip(recall.choices, shares(recall, generation.used), strict=True):
        match = choice.match
        # What the question left out has no part in the answer.
        if generation.shown is not None and match.experience.id not in generation.shown:
            continue
        rewards.append(
            event("context", match.experience.id, choice.slot, choice.propensity, share, match.similarity)
        )
    if lineage is not None:
        rewards.append(event("start", lineage.start, 0, lineage.propensity, 1.0, None))
        for generations, ancestor in enumerate(lineage.ancestors[:_GENERATIONS], 1):
            rewards.append(
                event("ancestor", ancestor, generations, 1.0, ANCESTOR_DISCOUNT**generations, None)
            )
    if born is not None:
        rewards.append(event("birth", born, 0, 1.0, 1.0, None))
    return tuple(rewards)


def shares(recall: Retrieval, used: Sequence[str] | None) -> tuple[float, ...]:
    """Each item's share of the reward: whole if the generator used it or does not say, else a quarter."""
    return tuple(
        1.0 if used is None or choice.match.experience.id in used else UNUSED_SHARE
        for choice in recall.choices
    )
