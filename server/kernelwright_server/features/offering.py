"""A verified candidate: shown for review, and brought into the buffer when the user takes it."""

from kernelwright_memory.agent import Improved
from kernelwright_memory.generators.base import Stage
from kernelwright_server.features.verify import verify_when
from kernelwright_server.reports.comparison import reference_ratio
from kernelwright_server.session.candidates import Offer
from kernelwright_server.session.kernel_document import KernelDocument, Outcome, key_of, plan_for
from kernelwright_server.session.state import Session
from kernelwright_server.views.edits import CannotMerge, accepted, merged, workspace_edit
from kernelwright_server.views.verdicts import latency, verdict_line
from kernelwright_verifier.task.plan import Plan


def start_offer(session: Session, kernel: KernelDocument, plan: Plan, stage: Stage, best: Improved) -> None:
    """Offer a candidate outside of the job that found it, which may be cancelled at this moment."""
    session.tasks.spawn(offer(session, kernel, plan, stage, best), "offering a candidate")


async def offer(session: Session, kernel: KernelDocument, plan: Plan, stage: Stage, best: Improved) -> None:
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
    if ratio is None and (ratio := reference_ratio(verdict)) is not None:
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


async def apply(session: Session, offered: Offer, text: str | None) -> str | None:
    """Bring a candidate, or the part of it that the user took, into the buffer; None, or why it was not done."""
    document = session.documents.find(offered.uri)
    kernel = await session.kernels.find(offered.uri)
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
        session.publisher.publish(kernel)
        client.refresh_lenses()
    else:
        verify_when(session, kernel, result)
    return None


def _with_endings_of(current: str, text: str) -> str:
    """Editors that show a candidate may give it back with line endings of their own."""
    return (
        text.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in current else text.replace("\r\n", "\n")
    )
