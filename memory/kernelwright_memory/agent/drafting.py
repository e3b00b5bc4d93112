"""Stage 1: until a candidate is feasible, or the budget is used."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from kernelwright_memory.agent.assignment import Assignment
from kernelwright_memory.agent.events import Event, Improved
from kernelwright_memory.agent.run import RegionCheck, Run, Verify
from kernelwright_memory.agent.steps import Judgement, Stop
from kernelwright_memory.bank.bank import Memory
from kernelwright_memory.bank.policy import Policy, policy_named
from kernelwright_memory.bank.values import draft_reward
from kernelwright_memory.generators.base import Generator
from kernelwright_verifier.results.verdict import Verdict


async def draft(
    assignment: Assignment,
    *,
    verify: Verify,
    generator: Generator,
    memory: Memory | None,
    policy: Policy | str = "default",
    seed: int | None = None,
    steps: int = 30,
    last: Verdict | None = None,
    outside_region_changed: RegionCheck | None = None,
) -> AsyncGenerator[Event, None]:
    """Draft the entry of `assignment`: yields events, the last of them Finished.

    Each step is retrieve -> generate -> verify -> reward (+1 feasible, -1 not) -> update -> remember. Closing
    the generator or cancelling its task cancels what is under it: the model's answer that is awaited, the
    verification that runs.

    Args:
        verify: runs the gates on a whole file's text.
        memory: None to go without one.
        policy: a policy or its name: default, evokernel, similarity, none.
        seed: of the agent's choices, to repeat a run; each run has its own where None.
        steps: how many candidates at most.
        last: the verdict on the text as it stands, where there is one (draft again after a failure).
        outside_region_changed: refuses candidates that change more than the entry's region.

    Raises:
        ValueError: there is no policy of that name.
    """
    run = Run(
        assignment,
        "draft",
        verify=verify,
        generator=generator,
        memory=memory,
        policy=policy_named(policy) if isinstance(policy, str) else policy,
        seed=seed,
        outside_region_changed=outside_region_changed,
    )
    last_text = assignment.text if last is not None else None
    if last is not None:
        run.knows(assignment.text, last)
    step = 0
    try:
        while step < steps:
            async with aclosing(run.take(step, last=last, last_text=last_text, judge=_judge)) as events:
                async for event in events:
                    yield event
            step += 1
            attempt = run.attempt
            if run.unjudged is not None:
                last_text, last = run.unjudged
            if attempt is None:
                continue
            last, last_text = attempt.verdict, attempt.text
            if attempt.verdict.feasible:
                latency_us = attempt.verdict.latency_us
                yield Improved(
                    **run.head(step - 1),
                    text=attempt.text,
                    verdict=attempt.verdict,
                    latency_us=latency_us,
                    previous_latency_us=None,
                    ratio=None,
                )
                yield run.finished(
                    step,
                    outcome="found",
                    reason="correct on the first attempt" if step == 1 else f"correct after {step} attempts",
                    text=attempt.text,
                    verdict=attempt.verdict,
                    latency_us=latency_us,
                )
                break
        else:
            yield run.finished(
                step, outcome="not_found", reason=f"no correct candidate in {steps} attempts", verdict=last
            )
    except Stop as stop:
        outcome = "not_found" if stop.tried else "not_tried"
        yield run.finished(step, outcome=outcome, reason=str(stop), verdict=last)
    await run.tidy()


def _judge(verdict: Verdict) -> Judgement:
    return Judgement(draft_reward(bool(verdict.feasible)))
