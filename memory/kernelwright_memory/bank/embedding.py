"""Two ways to compare cards without a model: hashed identifier n-grams and BM25. They are fused by reciprocal
rank.

On real kernels this beats MiniLM (docs/development/agent.md). A model of the user's may stand beside it
(`generators/llm/embedding_model.py`); vectors of different versions never meet.
"""

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kernelwright_memory.bank.embedding_text import card_words, tokens

Matrix = NDArray[np.float32]

DIMENSIONS = 1024
_RECIPROCAL_RANK = 60.0


class EmbeddingUnavailable(RuntimeError):
    """No vectors could be had; the message says why in one line."""


class Embedder(Protocol):
    """Turns cards into vectors."""

    @property
    def version(self) -> str:
        """Names the space: vectors of different versions are never compared."""
        ...

    @property
    def remakes(self) -> bool:
        """Whether the vectors of rows of another version may be made again on the spot: fast and free of
        charge.
        """
        ...

    @property
    def weighs(self) -> bool:
        """Whether dimensions stand for words, so that frequent ones are to be weighed down."""
        ...

    def embed(self, cards: Sequence[str]) -> Matrix:
        """One row a card, of length 1.

        Raises:
            EmbeddingUnavailable: a model that does not answer.
        """
        ...


class HashedNgrams:
    """Words of a card, and their pieces of four letters, hashed into 1024 signed counts."""

    version = "ngrams-1"
    remakes = True
    weighs = True

    def embed(self, cards: Sequence[str]) -> Matrix:
        rows = np.zeros((len(cards), DIMENSIONS), np.float32)
        for row, text in zip(rows, cards, strict=True):
            for feature, count in Counter(_features(text)).items():
                code = zlib.crc32(feature.encode())
                # The sign lets collisions cancel instead of adding up.
                row[code % DIMENSIONS] += (1.0 if code & 0x8000_0000 else -1.0) * (1.0 + math.log(count))
        return unit(rows)


def _features(text: str) -> list[str]:
    words = tokens(card_words(text))
    pieces = [f"#{word[i : i + 4]}" for word in words if len(word) > 4 for i in range(len(word) - 3)]
    return words + pieces


def unit(rows: Matrix) -> Matrix:
    """Rows scaled to length 1; zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Matrix = (rows / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled


def inverse_frequency(rows: Matrix) -> Matrix:
    """Weight of each hashed dimension: the rarer in these rows, the heavier."""
    occurrences = np.count_nonzero(rows, axis=0)
    weights: Matrix = np.log(1.0 + (len(rows) + 0.5) / (occurrences + 0.5)).astype(np.float32)
    return weights


class WordIndex:
    """BM25 over cards (k1 = 1.2, b = 0.75)."""

    def __init__(self) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, text: str) -> None:
        """Index one more card; it gets the next number."""
        counted = Counter(tokens(card_words(text)))
        for word, count in counted.items():
            self._postings.setdefault(word, []).append((len(self._lengths), count))
        self._lengths.append(sum(counted.values()))

    def scores(self, query: str) -> NDArray[np.float64]:
        """BM25 of every card for `query`; 0 where no word is shared."""
        total = len(self._lengths)
        scores = np.zeros(total)
        if not total:
            return scores
        lengths = np.asarray(self._lengths, float)
        base = 1.2 * (0.25 + 0.75 * lengths / max(lengths.mean(), 1e-9))
        for word in set(tokens(card_words(query))):
            postings = self._postings.get(word)
            if postings is None:
                continue
            rows, counts = np.asarray(postings).T
            weight = math.log(1.0 + (total - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += weight * counts * 2.2 / (counts + base[rows])
        return scores


def fused(rankings: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Reciprocal rank fusion of scores over the same rows: sum of 1 / (60 + rank), where a score is above
    0.
    """
    total = np.zeros(len(rankings[0]) if rankings else 0)
    for scores in rankings:
        order = np.argsort(-scores, kind="stable")
        ranks = np.empty(len(scores))
        ranks[order] = np.arange(1, len(scores) + 1)
        total += np.where(scores > 0, 1.0 / (_RECIPROCAL_RANK + ranks), 0.0)
    return total
