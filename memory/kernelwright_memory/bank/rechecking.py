"""Verifies remembered kernels again from their proofs, with new seeds and the current verifier and toolchain.

What is refused now is retired: it stays in the store, with the event that says why, and is no longer retrieved nor started
from. What passes again later comes back. What was imported is a claim until it passes here: under this machine's limits, at the
strict level, on the task as its text says, whatever its proof says of all these.
"""

from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Literal, NamedTuple

from kernelwright_backends.core.registry import index_of
from kernelwright_backends.core.target import Target, TargetError
from kernelwright_backends.storage.folders import working_folder
from kernelwright_memory.bank.bank import Memory, now
from kernelwright_memory.bank.embedding_text import task_hash
from kernelwright_memory.bank.experience import Experience
from kernelwright_memory.bank.proof import Proof, ProofError
from kernelwright_memory.bank.reward import Reward, Step
from kernelwright_verifier.project.config import Configuration, HackSettings
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.task.plan import make_plans
from kernelwright_verifier.task.task import Candidate
from kernelwright_verifier.verifier import Verifier

Outcome = Literal["confirmed", "refused", "not judged", "no proof"]


class Rechecked(NamedTuple):
    """What became of one experience."""

    experience: Experience
    outcome: Outcome
    said: str
    """one line: what was found, or why there is nothing to say"""
    verdict: Verdict | None = None
    earlier: Verdict | None = None


async def recheck(
    memory: Memory,
    verifier: Verifier,
    *,
    ids: Collection[str] = (),
    limit: int | None = None,
    note: bool = True,
) -> AsyncIterator[Rechecked]:
    """Verify remembered kernels again, those first whose last check is longest ago.

    Args:
        verifier: one that keeps no verdicts, or everything would be confirmed by what it said before.
        ids: beginnings of ids; all traces unless given.
        limit: so many at most.
        note: store what was found; without, nothing is changed.

    Raises:
        StoreError: the memory cannot be read or written.
        KeyError: no trace's id begins so.
    """
    for experience in memory.traces(ids)[:limit]:
        result = await _recheck(memory, verifier, experience)
        if note and result.outcome in ("confirmed", "refused"):
            memory.remember(Step(rewards=(_event(result),)), important=True)
        yield result


async def _recheck(memory: Memory, verifier: Verifier, experience: Experience) -> Rechecked:
    if experience.origin.record is None:
        return Rechecked(experience, "no proof", "it was stored without its task and cannot be verified here")
    try:
        content = memory.store.record(experience.origin.record)
        if content is None:
            return Rechecked(experience, "no proof", "this memory does not contain its proof")
        proof = Proof.read(experience.origin.record, content)
        if proof.text != experience.text:
            raise ProofError("the proof belongs to another text")
        imported = experience.origin.source == "import"
        if imported:
            _hold_to_claim(proof, experience)
        with working_folder("recheck") as folder:
            verdict = await _verify(verifier, proof, folder, imported=imported)
    except (ProofError, TargetError, OSError) as error:
        return Rechecked(experience, "not judged", f"its proof is invalid: {error}")
    if verdict.feasible is None or (verdict.feasible is False and proof.missing):
        why = next((f"{f.code} {f.message}" for g in verdict.gates for f in g.findings), "no gate could run")
        if proof.missing:
            why = f"headers are missing ({', '.join(proof.missing)}): {why}"
        return Rechecked(experience, "not judged", why, verdict, proof.verdict)
    if verdict.feasible is False:
        first = next((f for f in verdict.findings if f.severity == "error"), None)
        said = f"{first.code} {first.message}" if first else "a gate failed"
        return Rechecked(experience, "refused", said, verdict, proof.verdict)
    earlier = verdict if imported else proof.verdict
    return Rechecked(experience, "confirmed", _latencies(earlier, verdict), verdict, earlier)


def _hold_to_claim(proof: Proof, experience: Experience) -> None:
    """
    Raises:
        ProofError: it is of another task or target than the imported experience is filed under.
    """
    if task_hash(proof.task_text) != experience.task_hash:
        raise ProofError("the proof belongs to another task")
    if proof.target != experience.origin.target or Target.parse(proof.target).dialect != experience.dialect:
        raise ProofError("the proof is for another target")


async def _verify(verifier: Verifier, proof: Proof, folder: Path, *, imported: bool) -> Verdict:
    path, task = proof.unpack(folder)
    configuration = proof.configuration
    if imported:
        configuration = Configuration(hack=HackSettings(level="strict"), limits=verifier.configuration.limits)
        task = task.model_copy(update={"small": None, "requires": {}, "shapes": ()})
    target = Target.parse(proof.target)
    candidate = Candidate(path=path, text=proof.text, name=proof.name)
    index = index_of(target.dialect, proof.text)
    plans = make_plans(candidate, index, configuration, target, task)
    plan = next((p for p in plans if p.entry_name == proof.entry), plans[0])
    return await verifier.verdict(plan, ignore_cache=True)


def _latencies(before: Verdict, after: Verdict) -> str:
    if before.latency_us is None or after.latency_us is None:
        return "correct"
    text = f"correct, {after.latency_us:.3g} us {after.latency_source}"
    low, high = before.latency_low_us, before.latency_high_us
    if low is not None and high is not None and not low <= after.latency_us <= high:
        text += f", outside of the earlier interval [{low:.3g}, {high:.3g}]"
    return text


def _event(result: Rechecked) -> Reward:
    """The check as an event. It earns nobody anything: its credit is 0, and values do not move."""
    experience, date = result.experience, now()
    verdict = result.verdict
    return Reward(
        id=f"recheck-{experience.id}-{date}",
        run=f"recheck-{date}",
        step=0,
        stage="draft",
        task=experience.task_hash or "",
        dialect=experience.dialect,
        family=experience.family or "",
        state="" if result.outcome == "confirmed" else result.said.split(" ", 1)[0],
        experience=experience.id,
        role="recheck",
        policy="recheck",
        propensity=1.0,
        credit=0.0,
        feasible=result.outcome == "confirmed",
        reward=1.0 if result.outcome == "confirmed" else -1.0,
        latency_us=verdict.latency_us if verdict else None,
        latency_source=verdict.latency_source if verdict else None,
        target=verdict.target or "" if verdict else "",
        date=date,
    )
