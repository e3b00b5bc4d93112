"""What the memory holds for an entry, asked in the background after a verdict: the entry's hover shows it."""

import logging

from kernelwright_backends.interfaces.confinement import ConfinementError
from kernelwright_memory.agent.preview_worker import PreviewRequest
from kernelwright_memory.bank.store import StoreError
from kernelwright_memory.generators.base import Stage
from kernelwright_server.features.assignment import Work
from kernelwright_server.session.kernel_document import KernelDocument, key_of
from kernelwright_server.session.state import Session
from kernelwright_verifier.reference.client import TaskError
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.task.plan import Plan

logger = logging.getLogger(__name__)


def look_up_experiences(session: Session, kernel: KernelDocument, plan: Plan, verdict: Verdict) -> None:
    """Ask the memory, in the background, what it holds for an entry."""
    del verdict  # the document holds it, and perhaps a newer one by then
    if plan.task is not None and plan.entry_name is not None:
        session.tasks.spawn(_look_up(session, kernel, plan), "looking up experiences")


async def _look_up(session: Session, kernel: KernelDocument, plan: Plan) -> None:
    """Note what the memory would give the agent for an entry, drafting it or, where it is right, refining it."""
    outcome = kernel.outcome(plan)
    last = outcome.verdict if outcome is not None else None
    stage: Stage = "refine" if last is not None and last.feasible else "draft"
    try:
        work = await Work.prepare(session.verifiers.of(kernel), plan)
        kernel.retrieved[key_of(plan)] = await session.previews.ask(
            PreviewRequest(
                assignment=work.assignment,
                stage=stage,
                last=last,
                uri=plan.configuration.memory.uri,
                team=plan.configuration.memory.team,
                policy=plan.configuration.agent.policy,
            )
        )
    except (TaskError, ConfinementError, StoreError, ValueError) as error:
        logger.info("the memory cannot be shown: %s", error)
