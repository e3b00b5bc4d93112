"""The job that verifies a document: every entry walks the gates, and what a gate says is shown at once."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING

from kernelwright_backends.target import TargetError
from kernelwright_server.jobs import Job
from kernelwright_server.kernel_document import KernelDocument, Outcome, key_of
from kernelwright_verifier.plan import Plan
from kernelwright_verifier.verdict import GateResult, Verdict
from kernelwright_verifier.verifier import verdict_for

if TYPE_CHECKING:
    from kernelwright_server.session import Session


async def verify_document(
    session: "Session",
    kernel: KernelDocument,
    job: Job,
    entry: str | None,
    target: str | None,
    *,
    again: bool,
) -> None:
    """Verify all entries of a document's text as it is now, or one of them."""
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
                group.create_task(_verify(session, kernel, job, plan, again=again))
    finally:
        session.end_progress(token)
        session.client.refresh_lenses()


def _chosen(kernel: KernelDocument, entry: str | None, target: str | None) -> list[Plan]:
    plan = kernel.plan(entry, target)
    return [plan] if plan is not None else []


def _known(kernel: KernelDocument, plan: Plan) -> bool:
    outcome = kernel.outcome(plan)
    return outcome is not None and outcome.verdict is not None and outcome.verdict.feasible is not None


async def recall(session: "Session", kernel: KernelDocument) -> None:
    """Take what the cache holds for the entries of a document as it is now; nothing is run."""
    verifier = session.verifier(kernel)
    found = False
    for plan in kernel.plans():
        if _known(kernel, plan):
            continue
        record = await verifier.known(plan)
        if record is None or kernel.document.text != plan.candidate.text or _known(kernel, plan):
            continue
        outcome = Outcome(plan, 0)
        outcome.add(verdict_for(record, plan))
        kernel.outcomes[key_of(plan)] = outcome
        kernel.keep(outcome)
        found = True
    if found and session.open_and_trusted(kernel):
        session.publish(kernel)
        session.client.refresh_lenses()


async def _verify(session: "Session", kernel: KernelDocument, job: Job, plan: Plan, *, again: bool) -> None:
    outcome = Outcome(plan, job.generation)
    name = plan.entry_name or kernel.path.name
    async with session.turns, aclosing(session.verifier(kernel).verify(plan, again=again)) as steps:
        async for step in steps:
            if not job.current:
                return
            outcome.add(step)
            kernel.outcomes[key_of(plan)] = outcome
            session.publish(kernel)
            if isinstance(step, GateResult):
                session.report_progress(job, f"{name}: {step.gate} {step.status}")
            elif isinstance(step, Verdict):
                kernel.keep(outcome)
                session.client.refresh_lenses()
                session.look_up(kernel, plan)
                session.try_mends(kernel, plan, step)
