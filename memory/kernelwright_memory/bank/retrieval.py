"""Which experiences come into question: the most similar cards, and what answers the last diagnosis."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import Dialect
from kernelwright_memory.bank.embedding import (
    Embedder,
    EmbeddingUnavailable,
    HashedNgrams,
    Matrix,
    WordIndex,
    fused,
    inverse_frequency,
    unit,
)
from kernelwright_memory.bank.experience import Experience
from kernelwright_memory.bank.store import StoredExperience
from kernelwright_memory.generators.base import Stage
from kernelwright_verifier.results.verdict import GATES, Verdict

_SM = re.compile(r"sm_(\d+)")
_NUMBERS = re.compile(r"\b\d[\d.,e+-]*\b")
# With so many rows a few more hardly change the frequencies of words, and weighing takes a while.
_MANY = 2000
_API_BY_NAME = 4
_API_BY_FAMILY = 2


class Query(Model):
    """What a step asks of the memory."""

    stage: Stage
    card: str = Field(description="of the task")
    diagnosis: str = Field(
        "", description="of the last verdict: code, pattern and message, or the bottleneck"
    )
    dialect: Dialect
    architecture: str | None = None
    dtype: str | None = None
    family: str = ""
    state: str = ""
    exclude: frozenset[str] = Field(
        frozenset(), description="ids that are in the prompt anyway, such as the start point"
    )


class Match(NamedTuple):
    """An experience that comes into question."""

    experience: Experience
    similarity: float
    """Cosine of the hashed n-grams (or of the model's vectors), the better of card and diagnosis: 0 to 1."""
    rank_score: float
    """Reciprocal rank fusion over all rankings; orders the pool."""


def diagnosis_of(verdict: Verdict | None) -> str:
    """The first error of the first failed gate as code, pattern and message without its numbers; else the
    bottleneck and the codes of the performance lints, the greatest gain first.
    """
    if verdict is None:
        return ""
    for name in GATES:
        for finding in verdict.gate(name).findings:
            if finding.severity == "error":
                pattern = str(finding.data.get("pattern") or "")
                message = _NUMBERS.sub("N", finding.message.splitlines()[0] if finding.message else "")[:200]
                return " ".join(part for part in (finding.code, pattern, message) if part)
    lints = (f.code for f in verdict.lints)
    return " ".join(dict.fromkeys((*filter(None, [verdict.bottleneck]), *lints)))


def state_of(verdict: Verdict | None) -> str:
    """What values are conditioned on: the code of the error, else the bottleneck, else nothing."""
    return diagnosis_of(verdict).split(" ", 1)[0]


class Bank:
    """All experiences in memory: matrices, word indices, ids. It only grows; the store is its source."""

    def __init__(
        self,
        embedder: Embedder | None = None,
        *,
        hidden: Callable[[Experience], bool] = lambda experience: False,
    ) -> None:
        self._embedder: Embedder = embedder or HashedNgrams()
        self._plain = HashedNgrams()
        self._hidden = hidden
        self._hidden_ids: set[str] = set()
        self.experiences: list[Experience] = []
        self.numbers: dict[str, int] = {}
        self._sources: dict[tuple[str | None, str], int] = {}
        self._cards = _Comparison(self._embedder)
        self._diagnoses = _Comparison(self._plain)

    def __len__(self) -> int:
        return len(self.experiences)

    @property
    def known(self) -> int:
        """How many rows of the store were taken, the hidden ones included."""
        return len(self.experiences) + len(self._hidden_ids)

    def find(self, id: str) -> Experience | None:
        number = self.numbers.get(id)
        return None if number is None else self.experiences[number]

    def same_source(self, task_hash: str | None, fingerprint: str) -> Experience | None:
        """The first experience of this task whose source has the same syntax tree."""
        number = self._sources.get((task_hash, fingerprint))
        return None if number is None else self.experiences[number]

    def add(self, stored: Iterable[StoredExperience]) -> None:
        """Take rows of the store; what is here already is skipped."""
        new = []
        for row in stored:
            if self._hidden(row.experience):
                self._hidden_ids.add(row.experience.id)
            elif row.experience.id not in self.numbers:
                self.numbers[row.experience.id] = len(self.experiences)
                if row.experience.fingerprint is not None:
                    source = (row.experience.task_hash, row.experience.fingerprint)
                    self._sources.setdefault(source, len(self.experiences))
                self.experiences.append(row.experience)
                new.append(row)
        if not new:
            return
        self._cards.add([r.experience.card for r in new], [self._vector(r) for r in new])
        diagnoses = [_diagnosis_card(r.experience) for r in new]
        self._diagnoses.add(diagnoses, list(self._plain.embed(diagnoses)))

    def _vector(self, row: StoredExperience) -> NDArray[np.float32] | None:
        if row.embedding_version == self._embedder.version and row.embedding:
            return np.frombuffer(row.embedding, "<f4")
        # Vectors of different versions never meet: made again where that is cheap, else the row is found by
        # its words.
        return self._embedder.embed([row.experience.card])[0] if self._embedder.remakes else None

    def matches(self, query: Query, count: int, *, by_diagnosis: bool) -> list[Match]:
        """The `count` most similar cards and, with `by_diagnosis`, the `count` best answers to the diagnosis,
        best first.

        API knowledge is not among them: it is looked up by name (`apis`).
        """
        allowed = np.array([e.kind != "api" and _fits(e, query) for e in self.experiences], bool)
        if not allowed.any() or count < 1:
            return []
        rankings = self._cards.rankings(query.card)
        similarity = rankings[0]
        chosen = _best(fused([np.where(allowed, r, 0.0) for r in rankings]), count, allowed)
        if by_diagnosis and query.diagnosis:
            answers = [np.where(allowed, r, 0.0) for r in self._diagnoses.rankings(query.diagnosis)]
            relevant = allowed & (answers[1] > 0)
            chosen |= _best(fused(answers), count, relevant)
            rankings = [*rankings, *answers]
            similarity = np.maximum(similarity, np.where(relevant, answers[0], 0.0))
        scores = fused([np.where(allowed, r, 0.0) for r in rankings])
        order = sorted(chosen, key=lambda n: (-scores[n], self.experiences[n].id))
        return [
            Match(self.experiences[n], float(min(max(similarity[n], 0.0), 1.0)), float(scores[n]))
            for n in order
        ]

    def apis(self, query: Query, words: frozenset[str]) -> tuple[Experience, ...]:
        """API knowledge whose names occur among `words`, then that of the task's family."""
        known = [e for e in self.experiences if e.kind == "api" and _fits(e, query)]
        named = [(len(words.intersection(e.parameters.get("identifiers", ()))), e) for e in known]
        by_name = [e for hits, e in sorted(named, key=lambda pair: (-pair[0], pair[1].id)) if hits][
            :_API_BY_NAME
        ]
        by_family = [e for e in known if e.family and e.family == query.family and e not in by_name]
        return tuple(by_name + sorted(by_family, key=lambda e: e.id)[:_API_BY_FAMILY])


class _Comparison:
    """Texts compared by vectors and by words."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._words = WordIndex()
        self._raw: list[NDArray[np.float32]] = []
        self._numbers: list[int] = []
        """Of the texts that have a vector, in the order of `_raw`."""
        self._blocks: list[Matrix] = []
        """The vectors, weighed and of length 1: the rows of the last weighing, then those added since."""
        self._weights: Matrix | None = None
        self._weighed = 0

    def add(self, texts: Sequence[str], vectors: Sequence[NDArray[np.float32] | None]) -> None:
        first = len(self._raw)
        for text, vector in zip(texts, vectors, strict=True):
            if vector is not None:
                self._raw.append(vector)
                self._numbers.append(len(self._words))
            self._words.add(text)
        if len(self._raw) > first and self._weighed:
            self._blocks.append(self._scaled(np.stack(self._raw[first:])))

    def rankings(self, query: str) -> list[NDArray[np.float64]]:
        """Cosines, then BM25, of every text for `query`."""
        cosines = np.zeros(len(self._words))
        if self._raw:
            self._weigh()
            with suppress(EmbeddingUnavailable):
                vector = self._scaled(self._embedder.embed([query]))[0]
                cosines[self._numbers] = np.concatenate([block @ vector for block in self._blocks])
        return [cosines, self._words.scores(query)]

    def _weigh(self) -> None:
        """Weigh all rows anew when there are new ones; of many, when their number grew by a twentieth."""
        enough = self._weighed * 1.05 if self._weighed > _MANY else self._weighed
        if self._weighed and len(self._raw) <= enough:
            return
        rows = np.stack(self._raw)
        self._weights = inverse_frequency(rows) if self._embedder.weighs else None
        self._blocks = [self._scaled(rows)]
        self._weighed = len(rows)

    def _scaled(self, rows: Matrix) -> Matrix:
        return rows if self._weights is None else unit(rows * self._weights)


def _diagnosis_card(experience: Experience) -> str:
    answered = " ".join(part for part in (experience.diagnosis, experience.bottleneck) if part)
    return f"diagnosis: {answered}" if answered else ""


def _best(scores: NDArray[np.float64], count: int, allowed: NDArray[np.bool_]) -> set[int]:
    order = np.argsort(-np.where(allowed, scores, -1.0), kind="stable")[:count]
    return {int(n) for n in order if allowed[n]}


def _fits(experience: Experience, query: Query) -> bool:
    return (
        experience.dialect == query.dialect
        and experience.id not in query.exclude
        and (experience.dtype is None or query.dtype is None or experience.dtype == query.dtype)
        and _runs_on(experience.architecture, query.architecture)
    )


def _runs_on(written_for: str | None, architecture: str | None) -> bool:
    """Whether what was learned on one architecture holds on another: CUDA code runs on later ones, except for
    sm_90a's kind.
    """
    if written_for is None or architecture is None or written_for == architecture:
        return True
    older, newer = _SM.fullmatch(written_for), _SM.fullmatch(architecture)
    return older is not None and newer is not None and int(older[1]) <= int(newer[1])
