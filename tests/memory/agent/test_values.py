"""Values by replay against the rules written out."""

import math
import random
from typing import Any

import pytest

from kernelwright_memory.bank.values import Values, draft_reward, refine_reward


@pytest.mark.parametrize(
    ("ratio", "reward"),
    [(1.05, 0.049), (1.2, 0.180), (1.5, 0.385), (2, 0.6), (3, 0.8), (10, 0.980), (1, 0), (0.5, -0.6)],
)
def test_refine_reward(ratio: float, reward: float) -> None:
    assert refine_reward(True, 10.0, 10.0 / ratio) == pytest.approx(reward, abs=5e-4)


def test_rewards_at_the_edges() -> None:
    assert (draft_reward(True), draft_reward(False)) == (1.0, -1.0)
    assert refine_reward(False, 10.0, None) == -1.0
    assert refine_reward(True, 10.0, None) is None
    assert refine_reward(True, None, 10.0) is None


def _events(words: Any, seed: int, steps: int) -> list[dict[str, Any]]:
    """A random log: several events a step, both stages, some in the same step."""
    chance, rows = random.Random(seed), []
    for step in range(steps):
        stage = chance.choice(["draft", "refine"])
        feasible = chance.random() < 0.7
        speed = math.tanh(chance.gauss(0, 0.5)) if feasible else -1.0
        paid = (1.0 if feasible else -1.0) if stage == "draft" else speed
        context = chance.sample(range(6), chance.randint(0, 4))
        roles = [("context", f"e{n}", slot) for slot, n in enumerate(context)]
        if stage == "refine":
            roles += [
                ("start", f"p{chance.randrange(3)}", 0),
                ("birth", f"p{step}", 0),
                ("ancestor", "p0", 1),
            ]
        for role, name, slot in roles:
            event = words.reward(
                step, id=f"{step}-{role}-{slot}", stage=stage, experience=name, role=role, slot=slot, feasible=feasible,
                reward=paid, parent_gain=speed if feasible and stage == "refine" else None,
            )  # fmt: skip
            rows.append(event.model_dump(by_alias=True))
    return rows


def _sequential(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """The paper's rule, step by step, with the running mean and deviation recomputed from scratch each
    time.
    """
    q: dict[tuple[str, str], float] = {}
    speeds: list[float] = []
    steps = sorted({row["step"] for row in rows})
    for step in steps:
        events = [row for row in rows if row["step"] == step and row["role"] in ("context", "start")]
        if not events:
            continue
        reward = events[0]["reward"]
        if events[0]["stage"] == "refine":
            speeds.append(reward)
            mean = sum(speeds) / len(speeds)
            deviation = math.sqrt(sum((s - mean) ** 2 for s in speeds) / len(speeds))
            reward = (reward - mean) / max(deviation, 0.1)
        for row in events:
            key = (row["experience"], row["stage"])
            q[key] = q.get(key, 0.0) + 0.3 * (reward - q.get(key, 0.0))
    return q


@pytest.mark.parametrize("seed", range(5))
def test_replay_equals_the_sequential_rule(words: Any, seed: int) -> None:
    rows = _events(words, seed, 80)
    values = Values()
    values.extend(rows)
    for (experience, stage), q in _sequential(rows).items():
        assert values.q(experience, stage) == pytest.approx(q, abs=1e-12)
    assert values.q("never used", "draft") == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_order_of_arrival_does_not_matter(words: Any, seed: int) -> None:
    rows = _events(words, seed, 40)
    whole, pieces = Values(), Values()
    whole.extend(rows)
    shuffled = rows * 2
    random.Random(seed).shuffle(shuffled)
    for start in range(0, len(shuffled), 7):
        pieces.extend(shuffled[start : start + 7])
    assert len(pieces) == len(whole) == len(rows)
    for name in ("e0", "e1", "e2", "p0", "p1"):
        for stage in ("draft", "refine"):
            assert pieces.q(name, stage) == pytest.approx(whole.q(name, stage), abs=1e-12)  # type: ignore[arg-type]
            one, other = (
                v.posterior(name, stage, dialect="cuda", family="elementwise") for v in (whole, pieces)
            )  # type: ignore[arg-type]
            assert one == pytest.approx(other, abs=1e-9)


def _values(words: Any, *outcomes: tuple[str, bool], **fields: Any) -> Values:
    values = Values()
    values.extend(
        words.reward(n, experience=e, feasible=good, reward=1.0 if good else -1.0, **fields).model_dump(
            by_alias=True
        )
        for n, (e, good) in enumerate(outcomes)
    )
    return values


def test_a_posterior_shrinks_to_its_family_and_narrows_with_use(words: Any) -> None:
    values = _values(words, *[("good", True)] * 8, *[("bad", False)] * 8, ("once", True))
    good, bad, once, new = (
        values.posterior(e, "draft", dialect="cuda", family="elementwise")
        for e in ("good", "bad", "once", "new")
    )
    assert bad.mean < new.mean < once.mean < good.mean < 1.0
    assert good.deviation < once.deviation < new.deviation
    assert (good.samples, once.samples, new.samples) == (8, 1, 0)


def test_other_states_count_in_part(words: Any) -> None:
    values = _values(words, *[("e", True)] * 6, state="RACE_SHARED")
    same = values.posterior("e", "draft", dialect="cuda", family="elementwise", state="RACE_SHARED")
    other = values.posterior("e", "draft", dialect="cuda", family="matmul", state="")
    unknown = values.posterior("x", "draft", dialect="cuda", family="matmul", state="")
    assert same.mean > other.mean > unknown.mean == 0.0
    assert same.deviation <= other.deviation < unknown.deviation


def test_credit_weighs(words: Any) -> None:
    def mean(credit: float) -> float:
        values = _values(words, *[("e", True)] * 3, credit=credit)
        return values.posterior("e", "draft", dialect="cuda").mean

    assert mean(1.0) > mean(0.25) > mean(0.0) == 0.0


def test_speed_is_normalised_only_after_ten_samples_and_clipped(words: Any) -> None:
    def posterior(*gains: float) -> float:
        values = Values()
        values.extend(
            words.reward(n, experience=f"e{n}", stage="refine", parent_gain=gain, reward=0.0).model_dump(
                by_alias=True
            )
            for n, gain in enumerate(gains)
        )
        return values.posterior("e0", "refine", dialect="cuda", family="elementwise").mean

    few, many = posterior(0.5, *[0.1] * 8), posterior(0.5, *[0.1] * 9)
    assert few < 0.5, "as it is, shrunk"
    assert many > few, "above the mean by several deviations"
    assert posterior(50.0, *[0.1] * 30) <= 3.0


def test_what_taught_nothing_is_left_out(words: Any) -> None:
    values = Values()
    event = words.reward(0, stage="refine", parent_gain=None, reward=0.0)
    values.extend([event.model_dump(by_alias=True)])
    assert values.posterior("e", "refine", dialect="cuda").mean == 0.0


def test_large_logs_replay(words: Any) -> None:
    """What is worth something is worth it against the other steps of its task; what all steps earn is nobody's merit."""
    row = words.reward(0).model_dump(by_alias=True)

    def values_of(earned: Any) -> Values:
        rows = [
            row
            | {
                "id": str(n),
                "step": n,
                "experience": f"e{n % 500}",
                "date": f"{n:09d}",
                "reward": earned(n),
                "feasible": earned(n) > 0,
            }
            for n in range(50_000)
        ]
        values = Values()
        values.extend(rows)
        return values

    mixed = values_of(lambda n: 1.0 if n % 2 else -1.0)
    assert mixed.uses("e7", "draft") == 100
    good, bad = (mixed.posterior(e, "draft", dialect="cuda", family="elementwise").mean for e in ("e7", "e8"))
    assert good > 0.9 and bad < -0.9
    easy = values_of(lambda n: 1.0)
    assert abs(easy.posterior("e7", "draft", dialect="cuda", family="elementwise").mean) < 0.01


def test_an_easy_task_flatters_nobody(words: Any) -> None:
    """Of two experiences that each helped in one of two steps, the one of the harder task is worth more."""
    values = Values()
    tasks = {"easy": (["e"] + ["other"] * 9, [1.0] * 10), "hard": (["h"] + ["other"] * 9, [1.0] + [-1.0] * 9)}
    for task, (used, earned) in tasks.items():
        values.extend(
            words.reward(
                n, id=f"{task}{n}", run=task, task=task, experience=e, reward=r, feasible=r > 0
            ).model_dump(by_alias=True)
            for n, (e, r) in enumerate(zip(used, earned, strict=True))
        )
    of = {e: values.posterior(e, "draft", dialect="cuda", family="elementwise").mean for e in "eh"}
    assert of["h"] > 2 * of["e"] > 0


def test_late_events_of_another_writer_are_put_in_their_place(words: Any) -> None:
    """Two writers whose events arrive in turns, each batch late: the same values as in the order of their dates."""
    rows = _events(words, 1, 400)
    ordered, interleaved = Values(), Values()
    ordered.extend(rows)
    early, late = [r for r in rows if r["step"] % 2], [r for r in rows if not r["step"] % 2]
    for start in range(0, 1500, 10):
        interleaved.extend(early[start : start + 10])
        interleaved.extend(late[start : start + 10])
    for name in ("e0", "e3", "p1"):
        for stage in ("draft", "refine"):
            assert interleaved.q(name, stage) == pytest.approx(ordered.q(name, stage), abs=1e-9)  # type: ignore[arg-type]
