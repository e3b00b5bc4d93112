"""Embedding models through litellm, in place of the hashed n-grams."""

from collections.abc import Sequence

import numpy as np

from kernelwright_memory.embedding import EmbeddingUnavailable, Matrix, unit
from kernelwright_memory.generators.base import CannotGenerate
from kernelwright_memory.generators.litellm import load_litellm
from kernelwright_memory.generators.secrets import scrubbed


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
        options = {"api_base": self._base_url, "api_key": "none"} if self._base_url else {}
        model = f"openai/{self._model}" if self._base_url else self._model
        try:
            litellm = load_litellm()
            answer = litellm.embedding(
                model=model, input=list(cards), timeout=self._time_limit_s, max_retries=0, **options
            )
            rows = np.array([row["embedding"] for row in answer.data], np.float32)
        except CannotGenerate as error:
            raise EmbeddingUnavailable(str(error)) from None
        except Exception as error:
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise EmbeddingUnavailable(f"{self._model}: {scrubbed(first)}") from None
        if rows.ndim != 2 or len(rows) != len(cards) or not np.isfinite(rows).all():
            raise EmbeddingUnavailable(f"{self._model}: the answer is not one vector a card")
        return unit(rows)
