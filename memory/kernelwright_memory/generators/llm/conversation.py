"""One question to a model, and one more where its answer is no candidate."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from kernelwright_memory.generators.base import Generation, GenerationRequest, UnusableAnswer
from kernelwright_memory.generators.llm.answer import Answer, RegionSpans, read_answer
from kernelwright_memory.generators.llm.response_cache import Reply
from kernelwright_memory.generators.prompts import VERSION
from kernelwright_memory.generators.prompts.prompting import Message, messages, repair, shown_experiences

Ask = Callable[[list[Message]], Awaitable[Reply]]
"""One call of the model."""


class Conversed(NamedTuple):
    answer: Answer
    reply: Reply
    """with the text that was read, and what all calls took together"""


async def converse(
    request: GenerationRequest, question: list[Message], ask: Ask, spans: RegionSpans | None
) -> Conversed:
    """The candidate that a model answers with. An answer that is none is quoted back once, with the reason.

    Raises:
        UnusableAnswer: the second answer is none either; it tells what both calls took.
        CannotGenerate: as `ask`.
    """
    first = await ask(question)
    try:
        return Conversed(read_answer(first.text, request, spans), first)
    except UnusableAnswer as refused:
        further = repair(request, first.text, str(refused), region=spans is not None)
        second = await ask([*question, *further])
        both = second.model_copy(
            update={
                "tokens_in": first.tokens_in + second.tokens_in,
                "tokens_out": first.tokens_out + second.tokens_out,
                "cost_usd": _sum(first.cost_usd, second.cost_usd),
            }
        )
    try:
        return Conversed(read_answer(both.text, request, spans), both)
    except UnusableAnswer as refused:
        raise UnusableAnswer(
            str(refused), tokens_in=both.tokens_in, tokens_out=both.tokens_out, cost_usd=both.cost_usd
        ) from None


def first_question(request: GenerationRequest, spans: RegionSpans | None) -> list[Message]:
    """The messages that a step begins with."""
    return messages(request, region=spans is not None)


def generation_of(request: GenerationRequest, conversed: Conversed, generator: str) -> Generation:
    """The candidate, with what it took."""
    answer, reply = conversed
    return Generation(
        text=answer.text,
        generator=generator,
        used=answer.used,
        shown=shown_experiences(request),
        summary=answer.summary,
        plan=answer.plan,
        prompts=VERSION,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost_usd=reply.cost_usd,
    )


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None and second is None else (first or 0.0) + (second or 0.0)
