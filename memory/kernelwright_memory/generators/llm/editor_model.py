"""The editor's own model, reached through a callable that the server hands in."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from kernelwright_memory.generators.base import CannotGenerate, Generation, GenerationRequest
from kernelwright_memory.generators.llm.answer import RegionSpans
from kernelwright_memory.generators.llm.conversation import converse, first_question, generation_of
from kernelwright_memory.generators.llm.model import LONGEST_ANSWER
from kernelwright_memory.generators.llm.response_cache import Reply
from kernelwright_memory.generators.llm.secrets import scrubbed
from kernelwright_memory.generators.prompts.prompting import Message

Complete = Callable[[Sequence[Message]], Awaitable[str]]
"""Messages with `role` and `content` in, the model's answer out. Cancelling it ends the request."""


class EditorGenerator:
    """Asks the model that the editor offers. What it costs is between the editor and its user.

    Args:
        complete: sends the conversation to the editor.
        name: the model's name as the editor shows it.
        time_limit_s: for one answer.
        spans: see `read_answer`.
    """

    def __init__(
        self,
        complete: Complete,
        *,
        name: str = "editor",
        time_limit_s: float = 1200.0,
        spans: RegionSpans | None = None,
    ) -> None:
        self.name = name
        self._complete, self._time_limit_s, self._spans = complete, time_limit_s, spans

    async def generate(self, request: GenerationRequest) -> Generation:
        """See `Generator.generate`."""

        async def ask(asked: list[Message]) -> Reply:
            return Reply(text=await self._answered(asked))

        conversed = await converse(request, first_question(request, self._spans), ask, self._spans)
        return generation_of(request, conversed, self.name)

    async def _answered(self, question: list[Message]) -> str:
        try:
            text = await asyncio.wait_for(self._complete(question), self._time_limit_s)
        except TimeoutError:
            raise CannotGenerate(f"{self.name} did not answer within {self._time_limit_s:g} s") from None
        except Exception as error:
            # Whatever the editor's side raises: the run ends with its first line.
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise CannotGenerate(f"{self.name}: {scrubbed(first)}") from None
        if len(text) > LONGEST_ANSWER:
            raise CannotGenerate(f"{self.name}: the answer is longer than {LONGEST_ANSWER >> 20} MiB")
        return text
