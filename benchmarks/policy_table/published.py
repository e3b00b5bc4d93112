"""The measured table as it is published: a row a task, without KernelBench's sources."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from policy_table.variants import TARGET

from kernelwright_memory.bank.embedding_text import family_of, task_card
from kernelwright_verifier.task.task import TaskDescription

Row = dict[str, Any]
_OF_TIMED = (
    "outcome",
    "error_over_allowed",
    "beyond_share",
    "latency_us",
    "low_us",
    "high_us",
    "samples",
    "reason",
)
_OF_ESTIMATE = ("estimate_us", "bottleneck", "lints")


def published(rows: list[Row], tasks: Path) -> list[Row]:
    """Rows of the tabulation, joined: of each timed task its facts and its variants with what was measured and estimated.

    `tasks` holds KernelBench's files, of which the memory's cards are made.
    """
    timed = {row["task"]: row for row in rows if row["kind"] == "timed"}
    estimates: dict[tuple[str, int], Row] = {
        (row["task"], row["number"]): row for row in rows if row["kind"] == "estimate"
    }
    found = []
    for row in rows:
        if row["kind"] != "task" or row["task"] not in timed:
            continue
        name, seen = row["task"], timed[row["task"]]
        description = TaskDescription.model_validate(row["description"])
        text = (tasks / f"{name}.py").read_text(encoding="utf-8")
        about = {k: row[k] for k in ("task", "index", "template", "steps", "space_main", "space", "sizes")}
        variants = []
        for variant in row["variants"]:
            measured = seen["variants"][str(variant["number"])]
            estimate = estimates.get((name, variant["number"]), {})
            variants.append(
                {
                    **variant,
                    **{k: measured[k] for k in _OF_TIMED if measured.get(k) is not None},
                    **{k: _without_folders(estimate[k]) for k in _OF_ESTIMATE if estimate.get(k) is not None},
                }
            )
        found.append(
            {
                **about,
                "family": family_of(description),
                "card": task_card(text, description, TARGET.architecture),
                "description": row["description"],
                "full": row.get("full"),
                "device": seen["device"],
                "confined": seen["confined"],
                "rounds": seen["rounds"],
                "truth": seen["truth"]["kind"],
                "eager_us": seen["eager"]["latency_us"],
                "variants": variants,
            }
        )
    return found


def _without_folders(value: Any) -> Any:
    """Paths of findings as names of files."""
    if isinstance(value, list):
        return [_without_folders(part) for part in value]
    if isinstance(value, dict):
        return {k: Path(v).name if k == "path" else _without_folders(v) for k, v in value.items()}
    return value


def figures(rows: list[Row], raw: list[Row]) -> Row:
    """What the table holds, and what the estimate's own choice loses on it."""
    outcomes: dict[str, int] = defaultdict(int)
    losses = []
    for row in rows:
        right = {
            v["number"]: v["latency_us"]
            for v in row["variants"]
            if "latency_us" in v and v["outcome"] == "correct"
        }
        for variant in row["variants"]:
            outcomes[variant["outcome"]] += 1
        known = [v for v in row["variants"] if v["number"] in right and "estimate_us" in v]
        if len(right) > 1 and known:
            chosen = min(known, key=lambda v: v["estimate_us"])
            losses.append(right[chosen["number"]] / min(right.values()) - 1)
    losses.sort()
    return {
        "tasks": len(rows),
        "tasks_left_out": sum(row["kind"] == "left_out" for row in raw),
        "variants": sum(outcomes.values()),
        **{f"variants_{name}": count for name, count in sorted(outcomes.items())},
        "variants_without_estimate": sum("estimate_us" not in v for row in rows for v in row["variants"]),
        "estimate_choice_loss_median": round(losses[len(losses) // 2], 4),
        "estimate_choice_loss_p90": round(losses[int(0.9 * len(losses))], 4),
    }
