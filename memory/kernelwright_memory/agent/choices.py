"""What a step's experiences were chosen among, as it is logged: enough to ask what another policy would have chosen.

A record a step, beside its reward events: the pool with similarity and values as they were, and the probability of each choice.
"""

import base64
import json
import zlib
from collections.abc import Sequence

from kernelwright_memory.agent.credit import Circumstances
from kernelwright_memory.bank.bank import Retrieval
from kernelwright_memory.bank.replaying import CHOICE
from kernelwright_memory.bank.reward import Reward


def record(
    circumstances: Circumstances, recall: Retrieval, rewards: Sequence[Reward]
) -> tuple[tuple[str, str], ...]:
    """Name and content of the step's record; none where there was nothing to choose from."""
    if not recall.pool or not rewards:
        return ()
    estimates = recall.estimates
    pool = [
        [
            match.experience.id,
            match.experience.kind,
            round(match.similarity, 4),
            round(match.rank_score, 5),
            match.answers,
            *((round(estimates.q(match.experience.id), 4),
               *(round(part, 4) for part in estimates.posterior(match.experience.id))) if estimates else (0.0, 0.0, 1.0, 0.0)),
        ]
        for match in recall.pool
    ]  # fmt: skip
    said = {
        "stage": circumstances.stage,
        "policy": circumstances.policy,
        "pool": pool,
        "null": recall.null,
        "chosen": [[c.match.experience.id, c.propensity] for c in recall.choices],
        "propensity": recall.propensity if recall.null else None,
        "reward": rewards[0].reward,
        "task": circumstances.task,
    }
    content = base64.b64encode(zlib.compress(json.dumps(said, separators=(",", ":")).encode(), 9)).decode()
    return ((f"{CHOICE}{circumstances.run}-{circumstances.stage}-{circumstances.step}", content),)
