"""Models through litellm: hosted ones by name, any OpenAI-compatible server by its address.

litellm is imported when first used, in a thread (2 s). Its budget, cache, time limits and retries do not work
(memory.md section 4), so those here are ours.
"""

import asyncio
import json
import logging
import os
import random
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kernelwright_backends.folders import cache_folder
from kernelwright_backends.redaction import redacted
from kernelwright_memory.generators.answer import RegionSpans, read_answer
from kernelwright_memory.generators.base import CannotGenerate, Generation, GenerationRequest
from kernelwright_memory.generators.ledger import Ledger
from kernelwright_memory.generators.prompting import Message, messages
from kernelwright_memory.generators.response_cache import Reply, ResponseCache
from kernelwright_memory.generators.secrets import scrubbed

KEY_VARIABLE = "KERNELWRIGHT_API_KEY"
_PASSING = (
    "RateLimitError",
    "APIConnectionError",
    "InternalServerError",
    "ServiceUnavailableError",
    "Timeout",
)
_LONGEST_PAUSE_S = 30.0
_LOCAL_ANSWER_S = 10.0


class LiteLLMGenerator:
    """Asks a model for each candidate; streams the answer, counts what it costs, and repeats what fails in
    passing.

    Args:
        model: litellm's name of a model; with `base_url`, the server's name of it, None for the first it
        offers.
        base_url: of an OpenAI-compatible server (`http://localhost:8000/v1`). The provider's keys are not
        sent there:
            only KERNELWRIGHT_API_KEY is, if it is set.
        ledger: the budget, which several generators may share.
        time_limit_s: for one answer, all of it.
        attempts: how often a call that fails in passing (limits, time, network, server) is made at most.
        cache: where replies are kept; the user's cache folder by default.
        max_tokens: longest answer; it bounds what a call may cost.
        spans: see `read_answer`.
        on_text: called with each piece of the answer as it arrives.
    """

    def __init__(
        self,
        model: str | None,
        *,
        base_url: str | None = None,
        ledger: Ledger | None = None,
        time_limit_s: float = 300.0,
        attempts: int = 4,
        pause_s: float = 1.0,
        cache: Path | None = None,
        max_tokens: int = 16_384,
        spans: RegionSpans | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> None:
        if model is None and base_url is None:
            raise ValueError("neither a model nor a base address was given")
        self.ledger = ledger or Ledger()
        self._model, self._base_url = model, base_url.rstrip("/") if base_url else None
        self._time_limit_s, self._attempts, self._pause_s = time_limit_s, attempts, pause_s
        self._cache = ResponseCache(cache or cache_folder("responses"))
        self._max_tokens, self._spans, self._on_text = max_tokens, spans, on_text

    @property
    def name(self) -> str:
        return self._model or redacted(f"the model at {self._base_url}")

    async def generate(self, request: GenerationRequest) -> Generation:
        """See `Generator.generate`. The answer to the same question is taken from the cache and costs
        nothing.
        """
        litellm = await asyncio.to_thread(load_litellm)
        if self._model is None:
            self._model = await asyncio.to_thread(_first_model, self._base_url or "")
        question = messages(request, region=self._spans is not None)
        # The attempt is part of the question: a model asked again may answer otherwise.
        key = ResponseCache.key(
            [self._model, self._base_url, question, self._max_tokens, request.seed, request.attempt]
        )
        reply = self._cache.find(key)
        if reply is not None:
            reply = reply.model_copy(update={"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0})
        else:
            reply = await self._asked(litellm, question, request.seed + request.attempt)
            self._cache.keep(key, reply)
        answer = read_answer(reply.text, request, self._spans)
        return Generation(
            text=answer.text,
            generator=self.name,
            used=answer.used,
            summary=answer.summary,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            cost_usd=reply.cost_usd,
        )

    async def answer(self, question: str) -> str:
        """What the model says to one question that is no request for a candidate; remembered like those.

        Raises:
            CannotGenerate: it does not answer, or the budget is used.
        """
        litellm = await asyncio.to_thread(load_litellm)
        if self._model is None:
            self._model = await asyncio.to_thread(_first_model, self._base_url or "")
        asked: list[Message] = [{"role": "user", "content": question}]
        key = ResponseCache.key([self._model, self._base_url, asked, self._max_tokens])
        reply = self._cache.find(key)
        if reply is None:
            reply = await self._asked(litellm, asked, 0)
            self._cache.keep(key, reply)
        return reply.text

    async def _asked(self, litellm: Any, question: Sequence[Message], seed: int) -> Reply:
        """The reply, after as many attempts as needed and allowed."""
        for attempt in range(1, self._attempts + 1):
            most_usd = _most_usd(litellm, self._model or "", question, self._max_tokens, self._base_url)
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
            except Exception as error:
                reason, pause_s = _reason(error), _retry_after_s(error)
                if type(error).__name__ not in _PASSING:
                    raise CannotGenerate(f"{self.name}: {reason}") from None
            finally:
                self.ledger.settle(most_usd, cost_usd)
            if attempt < self._attempts:
                growing = self._pause_s * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
                await asyncio.sleep(min(max(growing, pause_s), _LONGEST_PAUSE_S))
        raise CannotGenerate(f"{self.name}: {reason} ({self._attempts} attempts)")

    async def _streamed(self, litellm: Any, question: Sequence[Message], seed: int) -> Reply:
        """One call. Cancelling it closes the connection, which stops the server's work on it."""
        options: dict[str, Any] = {"seed": seed} if self._base_url is None else {}
        if self._base_url is not None:
            # Without a key of its own litellm would send the provider's to this server.
            options |= {"api_base": self._base_url, "api_key": os.environ.get(KEY_VARIABLE) or "none"}
        stream = await litellm.acompletion(
            model=_routed(self._model or "", self._base_url),
            messages=list(question),
            stream=True,
            stream_options={"include_usage": True},
            max_tokens=self._max_tokens,
            max_retries=0,
            drop_params=True,
            **options,
        )
        chunks = []
        try:
            async for chunk in stream:
                chunks.append(chunk)
                piece = chunk.choices[0].delta.content if chunk.choices else None
                if piece and self._on_text is not None:
                    self._on_text(piece)
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await close()
        whole = litellm.stream_chunk_builder(chunks, messages=list(question)) if chunks else None
        if whole is None:
            return Reply(text="")
        usage = getattr(whole, "usage", None)
        return Reply(
            text=whole.choices[0].message.content or "",
            tokens_in=getattr(usage, "prompt_tokens", 0) or 0,
            tokens_out=getattr(usage, "completion_tokens", 0) or 0,
            cost_usd=_cost_usd(litellm, whole, self._base_url),
        )


@cache
def load_litellm() -> Any:
    """Import litellm, quiet: it fetches nothing, logs nothing of ours, prints nothing. Takes 2 s; call it in
    a thread.

    Raises:
        CannotGenerate: it is not installed.
    """
    # Otherwise the import fetches a price list.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
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


def _routed(model: str, base_url: str | None) -> str:
    return f"openai/{model}" if base_url is not None else model


def _first_model(base_url: str) -> str:
    """The first model that an OpenAI-compatible server offers.

    Raises:
        CannotGenerate: it does not answer, or offers none.
    """
    request = urllib.request.Request(f"{base_url}/models")
    if key := os.environ.get(KEY_VARIABLE):
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(request, timeout=_LOCAL_ANSWER_S) as answer:
            offered = json.load(answer)["data"]
        return str(offered[0]["id"])
    except (urllib.error.URLError, OSError, ValueError):
        raise CannotGenerate(f"no model answers at {base_url}: is the server started?") from None
    except (KeyError, IndexError, TypeError):
        raise CannotGenerate(
            f"the server at {base_url} offers no model; name one as {base_url}#MODEL"
        ) from None


def _most_usd(
    litellm: Any, model: str, question: Sequence[Message], max_tokens: int, base_url: str | None
) -> float:
    """What a call may cost at most; 0 where there is no price (a server of one's own)."""
    if base_url is not None:
        return 0.0
    try:
        tokens = litellm.token_counter(model=model, messages=list(question))
        prices = litellm.cost_per_token(model=model, prompt_tokens=tokens, completion_tokens=max_tokens)
        return float(sum(prices))
    except Exception:
        return 0.0


def _cost_usd(litellm: Any, response: Any, base_url: str | None) -> float | None:
    """What a call cost; None where litellm knows no price."""
    if base_url is not None:
        return None
    try:
        return float(litellm.completion_cost(completion_response=response))
    except Exception:
        return None


def _reason(error: Exception) -> str:
    if "LLM Provider NOT provided" in str(error):
        return "litellm knows no provider of this name: write PROVIDER/MODEL, or 'templates'"
    lines = str(error).strip().splitlines()
    return scrubbed(f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__)


def _retry_after_s(error: Exception) -> float:
    """What the server asks to wait, 0 where it does not say."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return float(headers.get("retry-after") or 0)
    except (TypeError, ValueError):
        return 0.0
