"""The memory as the agent, the command line and the editor see it."""

import threading
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import Dialect
from kernelwright_backends.untrusted.placing import put
from kernelwright_memory.bank.embedding import Embedder, EmbeddingUnavailable, HashedNgrams
from kernelwright_memory.bank.embedding_text import names
from kernelwright_memory.bank.experience import Experience, ExperienceKind
from kernelwright_memory.bank.importing import Imported, as_claims, read_import, seal_line
from kernelwright_memory.bank.policy import Choice, Policy, ValueEstimates
from kernelwright_memory.bank.retrieval import Bank, Query
from kernelwright_memory.bank.reward import Reward, Step
from kernelwright_memory.bank.seeding import PACKAGED, read_seeds
from kernelwright_memory.bank.store import Store, StoredExperience, StoreError, write_lines
from kernelwright_memory.bank.values import Value, Values


class Retrieval(NamedTuple):
    """What a step gets from the memory."""

    choices: tuple[Choice, ...] = ()
    values: tuple[Value, ...] = ()
    """One for each choice."""
    apis: tuple[Experience, ...] = ()
    null: bool = False
    propensity: float = 1.0
    """Of the null arm, where `null`."""
    pool: int = 0

    @property
    def context(self) -> tuple[Experience, ...]:
        return (*(choice.match.experience for choice in self.choices), *self.apis)


class ExperienceView(Model):
    """One experience with what it is worth at both stages."""

    experience: Experience
    values: tuple[Value, ...]
    checked: str | None = None
    """when it was last verified again"""
    retired: bool = False
    """that check refused it: it is no longer retrieved"""
    unverified: bool = False
    """it was imported, and nothing here has confirmed it yet: it is not retrieved"""


class Counts(Model):
    """How many were in a file, and how many of the experiences were new here."""

    experiences: int
    rewards: int
    new: int
    records: int = 0


class _Check(NamedTuple):
    """When an experience was verified again, and what came of it."""

    date: str
    passed: bool
    latency_us: float | None
    latency_source: str | None
    target: str


class Memory:
    """Experiences and their values at a URI. Opened at the first use; safe between threads and processes.

    Args:
        uri: a folder, or an object store's (`s3://bucket/path`); the user's data folder by default.
        storage_options: of the object store, as LanceDB takes them.
        embedder: how cards are compared; hashed n-grams by default.
        seeds: the folder of the seed experiences, None for no seeds.

    All methods that touch the store raise StoreError, one line that names the place and the remedy.
    """

    def __init__(
        self,
        uri: str | Path | None = None,
        *,
        storage_options: Mapping[str, str] | None = None,
        embedder: Embedder | None = None,
        seeds: Path | None = PACKAGED,
    ) -> None:
        self.store = Store(uri, storage_options=storage_options)
        self._embedder: Embedder = embedder or HashedNgrams()
        self._seeds = seeds
        self._lock = threading.RLock()
        self._version: tuple[int, int] | None = None
        self._bank = Bank(self._embedder, hidden=self._superseded)
        self._values = Values()
        self._read_us = (0, 0)
        self._checks: dict[str, _Check] = {}
        """The last one, by experience."""
        self._claims: set[str] = set()
        """What was imported, by id."""

    # ---- the agent's side ----------------------------------------------------------------------------------

    def recall(self, query: Query, policy: Policy, random: np.random.Generator, words: str = "") -> Retrieval:
        """Choose a context. `words`: further text (the last candidate) whose API names are looked up."""
        with self._lock:
            self._refresh()
            query = query.model_copy(update={"exclude": query.exclude | self._retired | self._unverified})
            size = policy.pool_size(len(self._bank))
            if not size:
                return Retrieval()
            matches = self._bank.matches(query, size, by_diagnosis=policy.by_diagnosis(query.stage))
            selection = policy.choose(matches, self._value_estimates(query), random)
            if selection.null:
                return Retrieval(null=True, propensity=selection.propensity, pool=len(matches))
            chosen = " ".join(choice.match.experience.text for choice in selection.choices)
            named = names(f"{chosen} {query.diagnosis} {words}")
            return Retrieval(
                choices=selection.choices,
                values=tuple(self._value(choice.match.experience.id, query) for choice in selection.choices),
                apis=self._bank.apis(query, named),
                pool=len(matches),
            )

    def estimates(self, query: Query) -> ValueEstimates:
        """The values bound to the query's stage, family and state, as of now."""
        with self._lock:
            self._refresh()
            return self._value_estimates(query)

    def remember(self, step: Step, *, important: bool = False) -> None:
        """Store what a step leaves behind. With `important`, return only when the disk has it.

        Raises:
            StoreError: see the class.
        """
        with self._lock:
            self._refresh()
            new = [e for e in step.experiences if self._known(e) is None]
            named = {e.origin.record for e in new}
            proofs = {id: text for id, text in step.proofs if id in named}
            self._store(new, step.rewards, proofs, important=important)
            self._refresh()

    def filed(self, experience: Experience) -> Experience:
        """The experience that says the same: by content, or for a task's sources by syntax tree.

        `experience` itself where there is none.
        """
        with self._lock:
            self._refresh()
            return self._known(experience) or experience

    def start_points(self, *, task_hash: str, dialect: Dialect, target: str) -> tuple[Experience, ...]:
        """Feasible candidates of this task, the fastest first; their latencies are of `target`."""
        with self._lock:
            self._refresh()
            passed_over = self._retired | self._unverified
            found = [
                e
                for e in map(self._as_checked, self._bank.experiences)
                if e.kind == "trace"
                and e.feasible
                and e.id not in passed_over
                and e.latency_us is not None
                and (e.task_hash, e.dialect, e.origin.target) == (task_hash, dialect, target)
            ]
        return tuple(sorted(found, key=lambda e: (e.latency_us or 0.0, e.id)))

    def traces(self, ids: Collection[str] = ()) -> tuple[Experience, ...]:
        """Remembered kernels whose ids begin so, all without; those first that were verified again longest ago.

        Raises:
            KeyError: none begins so; the message says which.
        """
        with self._lock:
            self._refresh()
            found = {e.id: e for e in self._bank.experiences if e.kind == "trace"}
            checks = dict(self._checks)
        for id in ids:
            if not any(known.startswith(id) for known in found):
                raise KeyError(f"no remembered kernel '{id}'")
        chosen = [e for e in found.values() if not ids or e.id.startswith(tuple(ids))]
        return tuple(
            sorted(chosen, key=lambda e: (checks[e.id].date if e.id in checks else "", e.origin.date, e.id))
        )

    # ---- for people ----------------------------------------------------------------------------------------

    def experiences(
        self,
        *,
        kind: ExperienceKind | None = None,
        dialect: Dialect | None = None,
        family: str | None = None,
    ) -> tuple[ExperienceView, ...]:
        """All experiences of that kind, dialect and family with their values, the most used first."""
        with self._lock:
            self._refresh()
            found = [
                self._view(e)
                for e in self._bank.experiences
                if kind in (None, e.kind) and dialect in (None, e.dialect) and family in (None, e.family)
            ]
        return tuple(
            sorted(
                found, key=lambda s: (-sum(v.count for v in s.values), s.experience.title, s.experience.id)
            )
        )

    def show(self, id: str) -> ExperienceView:
        """The experience whose id begins with `id`.

        Raises:
            KeyError: none or several begin so; the message says which.
        """
        with self._lock:
            self._refresh()
            found = [known for known in self._bank.numbers if known.startswith(id)] if id else []
            if len(found) != 1:
                some = ", ".join(known[:12] for known in sorted(found)[:4])
                raise KeyError(
                    f"several experiences begin with '{id}': {some}"
                    if found
                    else f"no experience '{id}'; 'kernelwright memory list' shows all"
                )
            return self._view(self._bank.experiences[self._bank.numbers[found[0]]])

    def export(self, file: Path) -> Counts:
        """Write everything to `file` as JSON lines, all or nothing.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._lock:
            self._refresh()
            experiences = [row.experience for row in self.store.experiences()[0]]
            rewards, _ = self.store.rewards()
            records = self.store.records()
        experiences.sort(key=lambda e: e.id)
        try:
            lines = "".join(f"{line}\n" for line in write_lines(experiences, rewards, records)).encode()
            put(file, lines + seal_line(lines))
        except OSError as error:
            raise StoreError(f"{file} cannot be written: {error.strerror}") from None
        return Counts(experiences=len(experiences), rewards=len(rewards), new=0, records=len(records))

    def import_(self, file: Path, *, own: bool = False) -> Counts:
        """Add what `file` holds and is not here yet. A file with one bad line adds nothing.

        What it says of itself (where it is from, when, how fast, of what use) is not believed: kernels come in as unverified, to
        be confirmed by `recheck`, and their values stay behind.

        Args:
            own: it is this user's own export, and everything comes back as it was.

        Raises:
            StoreError: the file cannot be read, a line of it is refused (the message names the line), or it is not the user's own.
        """
        found = read_import(file)
        if own and not found.own:
            raise StoreError(
                f"{file} is not an unchanged export of yours; import it without --own, then run 'kernelwright memory "
                "recheck'"
            )
        with self._lock:
            self._refresh()
            taken = found if own else as_claims(found._replace(experiences=self._unknown(found)), now())
            new = self._store(taken.experiences, taken.rewards, taken.records, important=True)
            self._refresh()
        return Counts(
            experiences=len(found.experiences),
            rewards=len(found.rewards),
            new=new,
            records=len(found.records),
        )

    def _unknown(self, found: Imported) -> tuple[Experience, ...]:
        """Without what was learned or packaged here."""
        return tuple(e for e in found.experiences if self._bank.find(e.id) is None)

    def tidy(self) -> bool:
        """Compact the store if it is time and no other process is at it; for moments when nothing else is to
        be done.
        """
        return self.store.optimise()

    # ---- inside --------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Bring the matrix, ids and values up to the tables' versions."""
        version = self.store.version()
        if version == self._version:
            return
        first = self._version is None
        stored, experiences_us = self.store.experiences(self._read_us[0], self._bank.numbers)
        self._add(stored)
        rewards, rewards_us = self.store.rewards(self._read_us[1])
        self._take(rewards)
        if (self._bank.known, len(self._values)) != self.store.counts() and not first:
            # A writer whose clock is far behind: read everything.
            self._add(self.store.experiences()[0])
            self._take(self.store.rewards()[0])
        self._read_us = (experiences_us, rewards_us)
        self._version = version
        if first and self._seeds is not None:
            missing = [seed for seed in read_seeds(self._seeds) if self._bank.find(seed.id) is None]
            if missing:
                self._store(missing, (), important=True)
                self._refresh()

    def _add(self, stored: list[StoredExperience]) -> None:
        self._bank.add(stored)
        self._claims.update(row.experience.id for row in stored if row.experience.origin.source == "import")

    def _take(self, rewards: list[dict[str, Any]]) -> None:
        self._values.extend(rewards)
        for row in rewards:
            if row["role"] == "recheck":
                check = _Check(
                    row["date"], row["feasible"], row["latency_us"], row["latency_source"], row["target"]
                )
                before = self._checks.get(row["experience"], check)
                self._checks[row["experience"]] = max(check, before, key=lambda c: (c.date, c.passed))

    @property
    def _retired(self) -> frozenset[str]:
        return frozenset(id for id, check in self._checks.items() if not check.passed)

    @property
    def _unverified(self) -> frozenset[str]:
        """What was imported and not confirmed here."""
        return frozenset(id for id in self._claims if id not in self._checks or not self._checks[id].passed)

    def _as_checked(self, experience: Experience) -> Experience:
        """An imported kernel with what its own check here found; everything else as it is."""
        check = self._checks.get(experience.id)
        if experience.id not in self._claims or check is None or not check.passed:
            return experience
        return experience.model_copy(
            update={
                "feasible": True,
                "latency_us": check.latency_us,
                "latency_source": check.latency_source,
                "origin": experience.origin.model_copy(update={"target": check.target}),
            }
        )

    def _superseded(self, experience: Experience) -> bool:
        """A seed of another release: kept in the store, no longer shown."""
        if experience.origin.source != "seed" or self._seeds is None:
            return False
        return experience.id not in {seed.id for seed in read_seeds(self._seeds)}

    def _known(self, experience: Experience) -> Experience | None:
        found = self._bank.find(experience.id)
        if found is None and experience.fingerprint is not None:
            found = self._bank.same_source(experience.task_hash, experience.fingerprint)
        return found

    def _store(
        self,
        experiences: Sequence[Experience],
        rewards: Sequence[Reward],
        records: Mapping[str, str] | None = None,
        *,
        important: bool,
    ) -> int:
        try:
            vectors = self._embedder.embed([e.card for e in experiences]) if experiences else ()
        except EmbeddingUnavailable:
            # What was learned is kept; such a row is found by its words alone.
            rows = [(e, b"", "") for e in experiences]
        else:
            version = self._embedder.version
            rows = [
                (e, v.astype("<f4").tobytes(), version) for e, v in zip(experiences, vectors, strict=True)
            ]
        return self.store.add(rows, rewards, records=records, important=important)

    def _value_estimates(self, query: Query) -> ValueEstimates:
        return ValueEstimates(
            stage=query.stage,
            q=lambda id: self._values.q(id, query.stage),
            posterior=lambda id: self._values.posterior(
                id, query.stage, dialect=query.dialect, family=query.family, state=query.state
            ),
        )

    def _value(self, id: str, query: Query) -> Value:
        return self._values.value(
            id, query.stage, dialect=query.dialect, family=query.family, state=query.state
        )

    def _view(self, experience: Experience) -> ExperienceView:
        values = tuple(
            self._values.value(
                experience.id, stage, dialect=experience.dialect, family=experience.family or ""
            )
            for stage in ("draft", "refine")
        )
        check = self._checks.get(experience.id)
        return ExperienceView(
            experience=self._as_checked(experience),
            values=values,
            checked=check.date if check is not None else None,
            retired=check is not None and not check.passed,
            unverified=experience.id in self._claims and (check is None or not check.passed),
        )


def now() -> str:
    """The date as it is stored: ISO 8601, UTC, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
