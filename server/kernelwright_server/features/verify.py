"""The job that verifies a document: every entry walks the gates, and what a gate says is shown at once."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING

from kernelwright_backends.core.target import TargetError
from kernelwright_server.session.jobs import Job
from kernelwright_server.session.kernel_document import KernelDocument, Key, Outcome, key_of
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.results.cross_target import worth_elsewhere
from kernelwright_verifier.results.verdict import EarlyFindings, GateResult, Verdict
from kernelwright_verifier.task.plan import Plan

if TYPE_CHECKING:
    from kernelwright_server.session.state import Session


async def verify_document(
    session: "Session",
    kernel: KernelDocument,
    job: Job,
    entry: str | None,
    target: str | None,
    *,
    again: bool,
    options: VerifyOptions = VerifyOptions(),
) -> None:
    """Verify all entries of a document's text as it is now, or one of them."""
    await session.looked_for_devices()
    try:
        plans: Iterable[Plan] = (
            kernel.plans() if entry is None and target is None else _chosen(kernel, entry, target)
        )
    except TargetError as error:
        session.client.show_warning(str(error))
        return
    waiting = [p for p in plans if again or not _known(kernel, p)]
    if not waiting:
        session.publish(kernel)
        return
    token = await session.begin_progress(job, None)
    try:
        session.client.refresh_lenses()
        async with asyncio.TaskGroup() as group:
            for plan in waiting:
                group.create_task(_verify(session, kernel, job, plan, options, again=again))
    finally:
        session.end_progress(token)
        session.client.refresh_lenses()


def _chosen(kernel: KernelDocument, entry: str | None, target: str | None) -> list[Plan]:
    plan = kernel.plan(entry, target)
    return [plan] if plan is not None else []


def _known(kernel: KernelDocument, plan: Plan) -> bool:
    """On all of its targets that could say anything else."""
    first = _verdict_of(kernel, plan)
    if first is None:
        return False
    others = (_verdict_of(kernel, other) for other in plan.on_further_targets())
    return not worth_elsewhere(first) or all(other is not None for other in others)


def _verdict_of(kernel: KernelDocument, plan: Plan) -> Verdict | None:
    """None where it could not be judged, too."""
    outcome = kernel.outcome(plan)
    judged = outcome is not None and outcome.verdict is not None and outcome.verdict.feasible is not None
    return outcome.verdict if outcome is not None and judged else None


async def recall(session: "Session", kernel: KernelDocument) -> None:
    """Take what the cache holds for the entries of a document as it is now; nothing is run."""
    verifier = session.verifier(kernel)
    found = False
    for first in kernel.plans():
        if _known(kernel, first):
            continue
        async for plan, verdict in verifier.recalled(first):
            if kernel.document.text != plan.candidate.text or kernel.outcome(plan) is not None:
                break
            outcome = Outcome(plan, 0)
            outcome.add(verdict)
            kernel.outcomes[key_of(plan)] = outcome
            kernel.keep(outcome)
            found = True
    if found and session.open_and_trusted(kernel):
        session.publish(kernel)
        session.client.refresh_lenses()


async def _verify(
    session: "Session",
    kernel: KernelDocument,
    job: Job,
    plan: Plan,
    options: VerifyOptions,
    *,
    again: bool,
) -> None:
    outcomes: dict[Key, Outcome] = {}
    name = plan.entry_name or kernel.path.name
    async with (
        session.turns,
        aclosing(session.verifier(kernel).verify_everywhere(plan, options, again=again)) as steps,
    ):
        async for of, step in steps:
            if not job.current:
                return
            outcome = outcomes.setdefault(key_of(of), Outcome(of, job.generation))
            outcome.add(step)
            kernel.outcomes[key_of(of)] = outcome
            session.publish(kernel)
            where = f" on {of.target}" if of is not plan else ""
            session.client.refresh_lenses()
            if isinstance(step, EarlyFindings):
                session.report_progress(job, f"{name}{where}: wrong at reduced size, verifying at full size")
            elif isinstance(step, GateResult) and (gate := outcome.current_gate) is not None:
                session.report_progress(job, f"{name}{where}: {gate}")
            elif isinstance(step, Verdict):
                kernel.keep(outcome)
                if of is plan:
                    session.look_up(kernel, plan)
                    session.verify_fixes(kernel, plan, step)
