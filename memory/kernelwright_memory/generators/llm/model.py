"""Models: hosted ones by name through litellm, any OpenAI-compatible server by its address.

litellm is imported when first used, in a thread (2 s). Its budget, cache, time limits and retries do not work
(docs/development/agent.md), so those here are ours. A server named by its address may be anybody's: it is asked without litellm, over
`connection.py`.
"""

import asyncio
import contextlib
import json
import logging
import os
import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kernelwright_backends.display.redaction import redacted
from kernelwright_backends.storage.folders import cache_folder
from kernelwright_memory.generators.base import (
    CannotGenerate,
    Generation,
    GenerationRequest,
    UnusableAnswer,
)
from kernelwright_memory.generators.llm.answer import RegionSpans, read_answer
from kernelwright_memory.generators.llm.conversation import (
    Conversed,
    converse,
    first_question,
    generation_of,
)
from kernelwright_memory.generators.llm.keys import key_for, on_this_machine, why_no_key
from kernelwright_memory.generators.llm.ledger import Ledger
from kernelwright_memory.generators.llm.response_cache import Reply, ResponseCache
from kernelwright_memory.generators.llm.secrets import scrubbed
from kernelwright_memory.generators.prompts.prompting import Message

MODEL_NAME = re.compile(r"[A-Za-z0-9][\w.:@+-]*(?:/[\w.:@+-]+)*")
"""As models are called, by people and by servers: no address, nothing that could lead to one."""
LONGEST_ANSWER = 1 << 20
"""Characters of an answer that are kept, and of its reasoning that are passed over; four times of what `max_tokens` allows."""
_PASSING = (
    "RateLimitError",
    "APIConnectionError",
    "InternalServerError",
    "ServiceUnavailableError",
    "Timeout",
    "APITimeoutError",
)
# Providers of litellm that are programs on a machine of the user's.
_OF_ONES_OWN = frozenset(("ollama", "ollama_chat", "lm_studio", "llamafile", "vllm", "hosted_vllm"))
_LONGEST_PAUSE_S = 30.0
_LOCAL_ANSWER_S = 10.0


class LiteLLMGenerator:
    """Asks a model for each candidate; streams the answer, counts what it costs, and repeats what fails in
    passing.

    Args:
        model: litellm's name of a model; with `base_url`, the server's name of it, None for the first it
        offers.
        base_url: of an OpenAI-compatible server (`http://localhost:8000/v1`). The provider's keys are not
            sent there; KERNELWRIGHT_API_KEY is, where the user named the server himself (`keys.py`).
        confirmed: addresses that the user named himself.
        ledger: the budget, which several generators may share.
        time_limit_s: for one answer, all of it.
        attempts: how often a call that fails in passing (limits, time, network, server) is made at most.
        cache: where replies are kept; the user's cache folder by default.
        max_tokens: longest answer; it bounds what a call may cost.
        spans: see `read_answer`.
        on_text: called with each piece of the answer as it arrives.
        any_price: ask also where no price is known, so that the budget cannot hold it.
    """

    def __init__(
        self,
        model: str | None,
        *,
        base_url: str | None = None,
        confirmed: Sequence[str] = (),
        ledger: Ledger | None = None,
        time_limit_s: float = 1200.0,
        attempts: int = 4,
        pause_s: float = 1.0,
        cache: Path | None = None,
        max_tokens: int = 32_768,
        spans: RegionSpans | None = None,
        on_text: Callable[[str], None] | None = None,
        any_price: bool = False,
    ) -> None:
        if model is None and base_url is None:
            raise ValueError("no model and no base address was given")
        self.ledger = ledger or Ledger()
        self._model, self._base_url = model, base_url.rstrip("/") if base_url else None
        self._confirmed = tuple(confirmed)
        self._time_limit_s, self._attempts, self._pause_s = time_limit_s, attempts, pause_s
        self._cache = ResponseCache(cache or cache_folder("responses"))
        self._max_tokens, self._spans, self._on_text = max_tokens, spans, on_text
        self._any_price = any_price

    @property
    def name(self) -> str:
        return self._model or redacted(f"the model at {self._base_url}")

    async def generate(self, request: GenerationRequest) -> Generation:
        """See `Generator.generate`. The answer to the same question is taken from the cache and costs
        nothing.
        """
        litellm = await self._ready()
        question = first_question(request, self._spans)
        # The attempt is part of the question: a model asked again may answer otherwise.
        key = ResponseCache.key(
            [self._model, self._base_url, question, self._max_tokens, request.seed, request.attempt]
        )
        known = self._cache.find(key)
        if known is not None:
            free = known.model_copy(update={"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0})
            with contextlib.suppress(UnusableAnswer):
                return generation_of(
                    request, Conversed(read_answer(free.text, request, self._spans), free), self.name
                )

        async def ask(asked: list[Message]) -> Reply:
            return await self._asked(litellm, asked, request.seed + request.attempt)

        conversed = await converse(request, question, ask, self._spans)
        # Only what was read as a candidate: an answer that is none would come back for ever.
        self._cache.keep(key, conversed.reply)
        return generation_of(request, conversed, self.name)

    async def answer(self, question: str) -> str:
        """What the model says to one question that is no request for a candidate; remembered like those.

        Raises:
            CannotGenerate: it does not answer, or the budget is used.
        """
        litellm = await self._ready()
        asked: list[Message] = [{"role": "user", "content": question}]
        key = ResponseCache.key([self._model, self._base_url, asked, self._max_tokens])
        reply = self._cache.find(key)
        if reply is None:
            reply = await self._asked(litellm, asked, 0)
            self._cache.keep(key, reply)
        return reply.text

    async def _ready(self) -> Any:
        """litellm, None where it is not needed; the model's name is known then.

        Raises:
            CannotGenerate: it is not installed, or the server offers no model.
        """
        if self._base_url is None:
            return await asyncio.to_thread(load_litellm)
        if self._model is None:
            self._model = await _first_model(self._base_url, key_for(self._base_url, self._confirmed))
        return None

    async def _asked(self, litellm: Any, question: Sequence[Message], seed: int) -> Reply:
        """The reply, after as many attempts as needed and allowed."""
        for attempt in range(1, self._attempts + 1):
            most_usd = _most_usd(litellm, self._model or "", question, self._max_tokens, self._base_url)
            if most_usd is None:
                if self.ledger.budget_usd is not None and not self._any_price:
                    raise CannotGenerate(
                        f"{self.name}: no price of it is known, so the budget of ${self.ledger.budget_usd:.2f} ([agent] "
                        "budget_usd) cannot hold it; name a model whose price litellm knows, or pass --any-price"
                    )
                most_usd = 0.0
            self.ledger.reserve(most_usd)
            cost_usd = 0.0
            try:
                reply = await asyncio.wait_for(self._streamed(litellm, question, seed), self._time_limit_s)
                cost_usd = reply.cost_usd or 0.0
                return reply
            except TimeoutError:
                # What was generated until then was paid for, though nobody says how much: count all of it.
                cost_usd = most_usd
                reason, pause_s = f"no answer within {self._time_limit_s:g} s", 0.0
            except Exception as failure:
                # What `connection.py` refuses comes wrapped as if the network had failed.
                error = failure.__cause__ if isinstance(failure.__cause__, CannotGenerate) else failure
                reason, pause_s = _reason(error), _retry_after_s(error)
                if type(error).__name__ not in _PASSING:
                    raise CannotGenerate(f"{self.name}: {reason}{self._hint(error)}") from None
            finally:
                self.ledger.settle(most_usd, cost_usd)
            if attempt < self._attempts:
                growing = self._pause_s * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
                await asyncio.sleep(min(max(growing, pause_s), _LONGEST_PAUSE_S))
        raise CannotGenerate(f"{self.name}: {reason} ({self._attempts} attempts)")

    def _hint(self, error: Exception) -> str:
        refused = getattr(error, "status_code", None) in (401, 403)
        return why_no_key(self._base_url, self._confirmed) if refused and self._base_url is not None else ""

    async def _streamed(self, litellm: Any, question: Sequence[Message], seed: int) -> Reply:
        """One call. Cancelling it closes the connection, which stops the server's work on it."""
        if self._base_url is not None:
            return await self._from_server(self._base_url, question)
        stream = await litellm.acompletion(
            model=self._model,
            messages=list(question),
            stream=True,
            stream_options={"include_usage": True},
            max_tokens=self._max_tokens,
            max_retries=0,
            drop_params=True,
            seed=seed,
        )
        chunks = await self._followed(stream)
        whole = litellm.stream_chunk_builder(chunks, messages=list(question)) if chunks else None
        if whole is None:
            return Reply(text="")
        usage = getattr(whole, "usage", None)
        return Reply(
            text=whole.choices[0].message.content or "",
            tokens_in=getattr(usage, "prompt_tokens", 0) or 0,
            tokens_out=getattr(usage, "completion_tokens", 0) or 0,
            cost_usd=_cost_usd(litellm, whole),
        )

    async def _from_server(self, base_url: str, question: Sequence[Message]) -> Reply:
        openai, connection = await asyncio.to_thread(load_openai)
        key = key_for(base_url, self._confirmed)
        async with (
            connection.bounded_client(connection.ANSWER_BYTES, self._time_limit_s) as http,
            openai.AsyncOpenAI(http_client=http, **connection.openai_options(base_url, key)) as client,
        ):
            stream = await client.chat.completions.create(
                model=self._model,
                messages=list(question),
                stream=True,
                stream_options={"include_usage": True},
                max_tokens=self._max_tokens,
            )
            chunks = await self._followed(stream)
        usage = next((u for chunk in reversed(chunks) if (u := getattr(chunk, "usage", None))), None)
        return Reply(
            text="".join(map(_piece, chunks)),
            tokens_in=_count(usage, "prompt_tokens"),
            tokens_out=_count(usage, "completion_tokens"),
        )

    async def _followed(self, stream: Any) -> list[Any]:
        """What a stream brings, told piece by piece.

        Raises:
            CannotGenerate: it does not end in time.
        """
        chunks: list[Any] = []
        characters = 0
        try:
            async for chunk in stream:
                chunks.append(chunk)
                piece = _piece(chunk)
                characters += len(piece) + len(_reasoning(chunk))
                if characters > LONGEST_ANSWER or len(chunks) > LONGEST_ANSWER // 4:
                    raise CannotGenerate(f"the answer is longer than {LONGEST_ANSWER >> 20} MiB")
                if piece and self._on_text is not None:
                    self._on_text(piece)
        finally:
            close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
            if close is not None:
                await close()
        return chunks


@cache
def load_litellm() -> Any:
    """Import litellm, quiet: it fetches nothing, logs nothing of ours, prints nothing. Takes 2 s; call it in
    a thread.

    Raises:
        CannotGenerate: it is not installed.
    """
    # Otherwise the import fetches a price list, and takes variables (addresses, proxies) from a file `.env` above the place
    # where it is installed: of a clone, where that is the clone's own environment.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    try:
        import litellm
    except ImportError:
        raise CannotGenerate("litellm is not installed: pip install 'litellm>=1.84,<1.92'") from None
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.turn_off_message_logging = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


@cache
def load_openai() -> Any:
    """The packages `openai` and `connection`, which take most of a second; call it in a thread.

    Raises:
        CannotGenerate: openai is not installed.
    """
    try:
        import openai
    except ImportError:
        raise CannotGenerate("openai is not installed: pip install 'litellm>=1.84,<1.92'") from None
    from kernelwright_memory.generators.llm import connection

    for name in ("httpx", "openai"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return openai, connection


def _piece(chunk: Any) -> str:
    content = chunk.choices[0].delta.content if chunk.choices and chunk.choices[0].delta else None
    return content if isinstance(content, str) else ""


def _reasoning(chunk: Any) -> str:
    reasoning = getattr(chunk.choices[0].delta, "reasoning_content", None) if chunk.choices else None
    return reasoning if isinstance(reasoning, str) else ""


def _count(usage: Any, name: str) -> int:
    count = getattr(usage, name, 0)
    return count if isinstance(count, int) and count > 0 else 0


async def _first_model(base_url: str, key: str | None) -> str:
    """The first model that an OpenAI-compatible server offers.

    Raises:
        CannotGenerate: it does not answer, or offers none.
    """
    _, connection = await asyncio.to_thread(load_openai)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    client = connection.bounded_client(connection.LISTING_BYTES, _LOCAL_ANSWER_S)
    try:
        async with asyncio.timeout(_LOCAL_ANSWER_S), client:
            answer = await client.get(f"{base_url}/models", headers=headers)
            answer.raise_for_status()
            name = json.loads(answer.content)["data"][0]["id"]
    except CannotGenerate:
        raise
    except (KeyError, IndexError, TypeError):
        raise CannotGenerate(
            f"the server at {base_url} offers no model; name one as {base_url}#MODEL"
        ) from None
    except Exception:
        raise CannotGenerate(
            f"no model server answers at {base_url}; start it, or change the address"
        ) from None
    if not isinstance(name, str) or len(name) > 200 or not MODEL_NAME.fullmatch(name):
        raise CannotGenerate(
            f"the server at {base_url} offers a model without a name; name one as {base_url}#MODEL"
        )
    return name


def _most_usd(
    litellm: Any, model: str, question: Sequence[Message], max_tokens: int, base_url: str | None
) -> float | None:
    """What a call may cost at most; 0 on this machine and from programs of one's own, None where no price is known."""
    if base_url is not None:
        return 0.0 if on_this_machine(urlsplit(base_url).hostname or "") else None
    if model.split("/", 1)[0] in _OF_ONES_OWN:
        return 0.0
    try:
        tokens = litellm.token_counter(model=model, messages=list(question))
        prices = litellm.cost_per_token(model=model, prompt_tokens=tokens, completion_tokens=max_tokens)
        return float(sum(prices))
    except Exception:
        return None


def _cost_usd(litellm: Any, response: Any) -> float | None:
    """What a call cost; None where litellm knows no price."""
    try:
        return float(litellm.completion_cost(completion_response=response))
    except Exception:
        return None


def _reason(error: Exception) -> str:
    if isinstance(error, CannotGenerate):
        return str(error)
    if "LLM Provider NOT provided" in str(error):
        return "litellm has no provider of this name; write PROVIDER/MODEL, or use 'templates'"
    lines = str(error).strip().splitlines()
    return scrubbed(f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__)


def _retry_after_s(error: Exception) -> float:
    """What the server asks to wait, 0 where it does not say."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return float(headers.get("retry-after") or 0)
    except (TypeError, ValueError):
        return 0.0
