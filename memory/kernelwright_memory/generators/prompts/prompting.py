"""From a request to the messages for a model. Templates are data files; what fills them is data, never instructions.

The first message depends on dialect, form, chip and file alone: it stays the same from step to step, and providers keep it.
"""

from kernelwright_backends.core.registry import support_of
from kernelwright_memory.generators.base import GenerationRequest
from kernelwright_memory.generators.llm.secrets import scrubbed
from kernelwright_memory.generators.prompts import reports
from kernelwright_memory.generators.prompts.digest import digest
from kernelwright_memory.generators.prompts.filling import data, numbered, section, template, text_of
from kernelwright_memory.generators.prompts.manual import full_cards, has_manual
from kernelwright_memory.generators.prompts.notes import notes, shown
from kernelwright_memory.generators.prompts.task_facts import bindable, precision, sizes
from kernelwright_memory.generators.skeletons import skeleton_of
from kernelwright_verifier.candidate.bare import is_bare

__all__ = ["Message", "messages", "repair", "shown_experiences"]

Message = dict[str, str]
_LONGEST_QUOTED = 6000


def messages(request: GenerationRequest, *, region: bool) -> list[Message]:
    """The conversation for one step.

    Args:
        region: whether an answer may hold the entry's region alone.
    """
    start = request.start_point if request.stage == "refine" else None
    known = start.latency_us if start is not None else None
    told = notes(request.context, _places(request))
    question = template(request.stage).substitute(
        entry=request.entry or "forward",
        chip=_chip(request),
        task=data("task", request.task_text),
        sizes=f"{sizes(request)}\n{bindable(request)}\n",
        precision=f"{precision(request)}\n",
        latency=f"{known:.2f} us" if known is not None else "latency unknown",
        file=_file(request),
        profile=section("Its profile", _profile(request)),
        report=_last(request),
        ledger=section("Attempts so far", reports.ledger(request.ledger)),
        notes=section("Notes from earlier work; use what helps", told)
        + section("Cards of the interface", _cards(request, told)),
        answer=template("answer").substitute(block=_block(request, region)),
    )
    return [
        {"role": "system", "content": _system(request)},
        # Whatever the user's file holds: a key does not leave the machine in a prompt.
        {"role": "user", "content": scrubbed(question)},
    ]


def shown_experiences(request: GenerationRequest) -> tuple[str, ...]:
    """Ids of the experiences of the context that `messages` shows."""
    return tuple(request.context[place].id for place in _places(request))


def repair(request: GenerationRequest, answer: str, reason: str, *, region: bool) -> list[Message]:
    """What follows `messages` where `answer` was no candidate: the answer, and why it cannot be used."""
    again = template("repair").substitute(reason=reason, block=_block(request, region))
    # An answer without end is not paid for twice; some providers refuse an empty message.
    said = answer if len(answer) <= _LONGEST_QUOTED else f"{answer[:_LONGEST_QUOTED]}\n(the rest is left out)"
    return [
        {"role": "assistant", "content": scrubbed(said) if said.strip() else "(nothing)"},
        {"role": "user", "content": again},
    ]


def _places(request: GenerationRequest) -> tuple[int, ...]:
    failed = request.last if request.last is not None and not request.last.feasible else None
    codes = frozenset(f.code for f in failed.findings) if failed is not None else frozenset[str]()
    return shown(request.context, manual=has_manual(request.target.dialect), answers=codes)


def _cards(request: GenerationRequest, told: str) -> str:
    return "\n\n".join(data(f"card {card.title}", card.markdown()) for card in full_cards(request, told))


def _system(request: GenerationRequest) -> str:
    target = request.target
    support = support_of(target.dialect)
    rules = template(f"{target.dialect}/dialect").substitute(
        architecture=target.architecture, digest=digest() if target.dialect == "ascendc" else ""
    )
    facts = support.chip_facts(target)
    return template("system").substitute(
        dialect_name=support.name,
        chip=_chip(request),
        dialect_rules=rules,
        chip_facts="\n".join(f"- {fact}" for fact in facts) or "Nothing is known of it here.",
        form=text_of(f"forms/{request.form}").strip(),
        args_rules=text_of("args"),
        region=text_of("region_own" if is_bare(request.text) else "region_given").strip(),
    )


def _chip(request: GenerationRequest) -> str:
    return f"{request.target.product} ({request.target.architecture})"


def _block(request: GenerationRequest, region: bool) -> str:
    """What the code block of an answer may hold, as the sentence goes on."""
    # A kernel of Ascend C is a class as a rule, and its methods in one place are no class.
    if region and request.target.dialect != "ascendc" and not is_bare(request.text):
        return (
            ": the whole file, with ```file as its first line, or, if the file is long, only the entry's region (directive, kernels, "
            "host function), with ```region as its first line"
        )
    return " with the whole file"


def _file(request: GenerationRequest) -> str:
    """The text that the answer begins from; findings count its lines."""
    start = request.start_point if request.stage == "refine" else None
    if start is not None:
        return f"{data('file', numbered(start.text))}\nThe numbers before the bars are no part of it.\n"
    skeleton = skeleton_of(request)
    if request.last_text is not None and is_bare(request.text):
        return "The file is the agent's own; its last version stands below.\n"
    if skeleton is not None:
        return (
            "There is no file yet. This one binds to the task and compiles; it computes nothing. Begin from it: keep the directive, replace "
            "the placeholder, and change parameters and `args` together as you need.\n"
            + data("file", skeleton)
            + "\n"
        )
    return f"The file as it stands:\n{data('file', numbered(request.text))}\nThe numbers before the bars are no part of it.\n"


def _last(request: GenerationRequest) -> str:
    verdict = request.last
    if verdict is None or verdict.feasible:
        return ""
    shown = request.start_point.text if request.start_point else request.text
    said = (
        "The last candidate failed."
        if verdict.feasible is False
        else "The last candidate could not be judged."
    )
    body = f"{said} {reports.reached(verdict)}\n{reports.report(verdict, request.last_text, request.path.name)}\n"
    if request.last_text is not None and request.last_text != shown:
        body += f"\nThat candidate:\n{data('candidate', numbered(request.last_text))}\n"
    return section("The last candidate", body)


def _profile(request: GenerationRequest) -> str:
    start = request.start_point
    if start is None:
        return ""
    # After a child that failed the profile is still that of the version that is shown.
    own = start.verdict or request.last
    return reports.profile(own, start.text, request.path.name) + reports.variants(request)
