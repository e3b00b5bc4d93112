"""The job that drafts or refines an entry, and what becomes of the candidate it finds."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from kernelwright_backends.core.finding import Severity
from kernelwright_backends.core.registry import index_of
from kernelwright_backends.interfaces.toolchain import ConfinementError
from kernelwright_memory.agent import (
    Event,
    Finished,
    Generated,
    Improved,
    Retrieved,
    Verified,
    draft,
    refine,
)
from kernelwright_memory.agent.preview_worker import PreviewRequest
from kernelwright_memory.bank.store import StoreError
from kernelwright_memory.generators.base import Generator, Stage
from kernelwright_memory.generators.choosing import choose_generator
from kernelwright_server.features.assignment import Work, device_of
from kernelwright_server.features.candidates import Offer
from kernelwright_server.session.jobs import Job
from kernelwright_server.session.kernel_document import KernelDocument, Outcome, key_of
from kernelwright_server.views.edits import CannotMerge, accepted, merged, workspace_edit
from kernelwright_server.views.verdicts import latency, verdict_line
from kernelwright_verifier.reference.client import TaskError
from kernelwright_verifier.results.cross_target import together, unsupported
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.task.plan import Plan, make_plans

if TYPE_CHECKING:
    from kernelwright_server.session.state import Session

logger = logging.getLogger(__name__)


async def rewrite(session: "Session", kernel: KernelDocument, job: Job, plan: Plan, stage: Stage) -> None:
    """Draft or refine the entry of `plan`, and offer the best candidate, also when the user stops it."""
    best: Improved | None = None
    finished: Finished | None = None
    try:
        async with aclosing(_events(session, kernel, plan, stage)) as events:
            async for event in events:
                if not job.current:
                    break
                if isinstance(event, Retrieved):
                    kernel.retrieved[key_of(plan)] = event.items
                elif isinstance(event, Improved):
                    best = event if best is None else since_start(best, event)
                elif isinstance(event, Finished):
                    finished = event
                if message := _said(event):
                    session.report_progress(job, message)
    except TaskError as error:
        session.client.show_warning("; ".join(f.message for f in error.findings))
    except (ConfinementError, ValueError) as error:
        session.client.show_warning(str(error))
    finally:
        session.end_progress_of(job)
        session.client.refresh_lenses()
        if best is not None and session.open_and_trusted(kernel):
            session.start_offer(kernel, plan, stage, best)
    if finished is not None and finished.text is None:
        session.client.show_information(f"{plan.entry_name}: {finished.reason}")


async def _events(
    session: "Session", kernel: KernelDocument, plan: Plan, stage: Stage
) -> AsyncGenerator[Event, None]:
    verifier = session.verifier(kernel)
    work = await Work.prepare(verifier, plan)
    last = _last(kernel, plan)
    agent = plan.configuration.agent

    async def verify(text: str) -> Verdict:
        async with session.turns:
            return await work.verify(text)

    async def verify_unseen(text: str) -> Verdict:
        async with session.turns:
            return await work.verify_unseen(text)

    generator = _generator(session, plan, work)
    memory = session.memory(kernel)
    events = (
        draft(
            work.assignment,
            verify=verify,
            generator=generator,
            memory=memory,
            policy=agent.policy,
            steps=agent.steps,
            last=last,
            outside_region_changed=work.outside_changed,
        )
        if stage == "draft"
        else refine(
            work.assignment,
            verify=verify,
            verify_again=verify_unseen,
            compare=work.compare,
            generator=generator,
            memory=memory,
            policy=agent.policy,
            steps=agent.steps,
            base=last,
            outside_region_changed=work.outside_changed,
        )
    )
    async with aclosing(events):
        async for event in events:
            yield event


def _last(kernel: KernelDocument, plan: Plan) -> Verdict | None:
    """What is known of an entry, on the same targets that its candidates are held to; None where a part of it is missing."""
    outcome, device = kernel.outcome(plan), device_of(plan)
    first = outcome.verdict if outcome is not None else None
    if first is None or device is None:
        return first
    other = kernel.outcome(plan.on(device))
    if other is None or other.verdict is None:
        return first if first.feasible is False and not unsupported(first) else None
    return together(first, other.verdict)


async def look_up(session: "Session", kernel: KernelDocument, plan: Plan) -> None:
    """Note what the memory would give the agent for an entry, drafting it or, where it is right, refining it."""
    outcome = kernel.outcome(plan)
    last = outcome.verdict if outcome is not None else None
    stage: Stage = "refine" if last is not None and last.feasible else "draft"
    try:
        work = await Work.prepare(session.verifier(kernel), plan)
        kernel.retrieved[key_of(plan)] = await session.previews.ask(
            PreviewRequest(
                assignment=work.assignment,
                stage=stage,
                last=last,
                uri=plan.configuration.memory.uri,
                policy=plan.configuration.agent.policy,
            )
        )
    except (TaskError, ConfinementError, StoreError, ValueError) as error:
        logger.info("the memory cannot be shown: %s", error)


def plan_for(plan: Plan, text: str) -> Plan:
    """The plan of the same entry in another text of the file."""
    candidate = plan.candidate.model_copy(update={"text": text})
    plans = make_plans(candidate, index_of(plan.index.dialect, text), plan.configuration)
    return next((p for p in plans if key_of(p) == key_of(plan)), plans[0])


def _generator(session: "Session", plan: Plan, work: Work) -> Generator:
    agent = plan.configuration.agent
    editor = session.client.complete if session.editor_models or agent.generator == "editor" else None
    return choose_generator(
        agent.generator or None,
        editor=editor,
        budget_usd=agent.budget_usd,
        confirmed=plan.configuration.confirmed,
        spans=work.spans,
    )


def since_start(before: Improved, now: Improved) -> Improved:
    """A later improvement, with what was gained since the user's own kernel and not since the candidate before."""
    if before.ratio is None or now.ratio is None:
        return now
    gained = {"ratio": before.ratio * now.ratio, "previous_latency_us": before.previous_latency_us}
    return now.model_copy(update=gained)


def _said(event: Event) -> str:
    """An event as a line of progress."""
    step = f"step {event.step + 1}"
    if isinstance(event, Retrieved):
        return f"{step}: {len(event.items)} experiences" if event.items else f"{step}: no memory used"
    if isinstance(event, Generated):
        if event.refused is not None:
            return f"{step}: no candidate: {event.refused}"
        return (
            f"{step}: tried before" if event.repeated else f"{step}: {event.summary or 'written'}, verifying"
        )
    if isinstance(event, Verified):
        failed = next((f for f in event.verdict.findings if f.severity is Severity.ERROR), None)
        return f"{step}: {verdict_line(event.verdict)}" + (
            f": {failed.message}" if failed is not None else ""
        )
    if isinstance(event, Improved):
        return f"{step}: {verdict_line(event.verdict)}"
    return event.reason


# ---- the candidate


async def offer(session: "Session", kernel: KernelDocument, plan: Plan, stage: Stage, best: Improved) -> None:
    """Show a candidate for review, or have the editor apply it where it has no review."""
    entry = plan.entry_name or ""
    found = session.candidates.add(
        uri=kernel.uri,
        entry=entry,
        stage=stage,
        version=plan.candidate.version,
        base=plan.candidate.text,
        text=best.text,
        plan=plan_for(plan, best.text),
        verdict=best.verdict,
        title=_title(entry, stage, best),
    )
    if not session.review:
        refusal = await apply(session, found, None)
        if refusal is not None:
            session.client.show_warning(f"{entry}: the candidate was not applied: {refusal}")
        return
    verdict = best.verdict
    ratio = best.ratio if stage == "refine" else None
    base = "the previous kernel" if ratio is not None else None
    if ratio is None and verdict.reference_latency_us and verdict.latency_us:
        ratio = verdict.reference_latency_us / verdict.latency_us
        base = "PyTorch's operators" if verdict.latency_source == "estimated" else "eager PyTorch"
    session.client.offer(
        {
            "uri": found.uri,
            "entry": entry,
            "stage": stage,
            "candidateUri": found.candidate_uri,
            "version": found.version,
            "title": found.title,
            "latency_us": verdict.latency_us,
            "latency_source": verdict.latency_source,
            "reference_latency_us": verdict.reference_latency_us,
            "ratio": ratio,
            "ratio_base": base,
        }
    )


def _title(entry: str, stage: Stage, best: Improved) -> str:
    line = f"{verdict_line(best.verdict)} on {best.verdict.target}"
    if stage == "refine" and best.ratio is not None and best.previous_latency_us is not None:
        before = latency(best.previous_latency_us, best.verdict.latency_source)
        return f"{entry}: {best.ratio:.2f}x as fast as the previous {before} · {line}"
    return f"{entry}: {line}"


async def apply(session: "Session", offered: Offer, text: str | None) -> str | None:
    """Bring a candidate, or the part of it that the user took, into the buffer; None, or why it was not done."""
    document = session.documents.find(offered.uri)
    kernel = await session.find(offered.uri)
    if document is None or kernel is None:
        return "the document is no longer open"
    current = document.text
    try:
        result = merged(offered.base, current, offered.text, offered.entry, kernel.dialect)
        if text is not None:
            result = accepted(current, result, _with_endings_of(current, text))
    except CannotMerge as error:
        return str(error)
    if result == current:
        session.candidates.remove(offered.candidate_uri)
        return None
    client = session.client
    confirm = client.confirms_edits and not session.review
    edit = workspace_edit(document, result, offered.title, versions=client.versions_edits, confirm=confirm)
    refusal = await client.apply_edit(edit, f"Kernelwright: {offered.stage} {offered.entry}")
    if refusal is not None:
        return refusal
    session.candidates.remove(offered.candidate_uri)
    if result == offered.text and offered.verdict.target == str(offered.plan.target):
        # This very text was verified, there alone.
        outcome = Outcome(offered.plan, 0)
        outcome.add(offered.verdict)
        kernel.keep(outcome)
        kernel.outcomes[key_of(offered.plan)] = outcome
        session.publish(kernel)
        client.refresh_lenses()
    else:
        session.verify_when(kernel, result)
    return None


def _with_endings_of(current: str, text: str) -> str:
    """Editors that show a candidate may give it back with line endings of their own."""
    return (
        text.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in current else text.replace("\r\n", "\n")
    )
