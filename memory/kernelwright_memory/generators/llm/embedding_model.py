"""Embedding models through litellm, in place of the hashed n-grams."""

from collections.abc import Sequence

import numpy as np

from kernelwright_memory.bank.embedding import EmbeddingUnavailable, Matrix, unit
from kernelwright_memory.generators.base import CannotGenerate
from kernelwright_memory.generators.llm.model import load_litellm, load_openai
from kernelwright_memory.generators.llm.secrets import scrubbed


class LiteLLMEmbedder:
    """Cards as vectors of a model of the user's. Each call goes over the network: cards are embedded once,
    when stored.

    Args:
        model: litellm's name of an embedding model.
        base_url: of an OpenAI-compatible server.
        time_limit_s: for one call.
    """

    remakes = False
    weighs = False

    def __init__(self, model: str, *, base_url: str | None = None, time_limit_s: float = 30.0) -> None:
        self._model, self._base_url, self._time_limit_s = model, base_url, time_limit_s

    @property
    def version(self) -> str:
        return f"litellm:{self._model}"

    def embed(self, cards: Sequence[str]) -> Matrix:
        """See `Embedder.embed`."""
        if not cards:
            return np.zeros((0, 0), np.float32)
        try:
            vectors = self._from_server(self._base_url, cards) if self._base_url else self._hosted(cards)
            rows = np.array(vectors, np.float32)
        except CannotGenerate as error:
            raise EmbeddingUnavailable(str(error)) from None
        except Exception as error:
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise EmbeddingUnavailable(f"{self._model}: {scrubbed(first)}") from None
        if rows.ndim != 2 or len(rows) != len(cards) or not np.isfinite(rows).all():
            raise EmbeddingUnavailable(f"{self._model} did not return one vector for each text")
        return unit(rows)

    def _hosted(self, cards: Sequence[str]) -> list[list[float]]:
        answer = load_litellm().embedding(
            model=self._model, input=list(cards), timeout=self._time_limit_s, max_retries=0
        )
        return [row["embedding"] for row in answer.data]

    def _from_server(self, base_url: str, cards: Sequence[str]) -> list[list[float]]:
        openai, connection = load_openai()
        with (
            connection.bounded_blocking_client(connection.ANSWER_BYTES, self._time_limit_s) as http,
            openai.OpenAI(http_client=http, **connection.openai_options(base_url, None)) as client,
        ):
            answer = client.embeddings.create(model=self._model, input=list(cards), encoding_format="float")
        return [row.embedding for row in answer.data]
