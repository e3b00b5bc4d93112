"""Instructions that wait for other threads."""

from kernelwright_backends.cuda.cpu.ptx.instruction import (
    Argument,
    Instruction,
    Table,
    always,
    get_operand,
    need_operands,
    set_operand,
)
from kernelwright_backends.cuda.cpu.ptx.memory_access import address


def _barrier(i: Instruction) -> str | None:
    if i.has("cluster"):
        return "kw::ptx::cluster_arrive();" if i.has("arrive") else "kw::ptx::cluster_wait();"
    given = i.arguments
    if i.has("warp"):
        return f"kw::ptx::sync_warp({get_operand(need_operands(i, 1)[0], 'uint32_t')});"
    if i.has("red"):
        kind = 0 if i.has("popc") else 1 if i.has("and") else 2
        return set_operand(given[0], f"kw::ptx::block_vote({kind}, {get_operand(given[-1], 'bool')})")
    if i.has("sync") and len(given) == 1:
        return "kw::ptx::block_barrier();"
    if len(given) == 2 and i.has("sync", "arrive"):
        wait = "1" if i.has("sync") else "0"
        return f"kw::ptx::named_barrier({get_operand(given[0], 'uint32_t')}, {get_operand(given[1], 'uint32_t')}, {wait});"
    return None


def _memory_barrier(i: Instruction) -> str | None:
    operation = next(
        (m for m in i.modifiers if m in ("init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait")),
        None,
    )
    if operation is None or i.has("expect_tx", "complete_tx"):
        return None
    if operation == "inval":
        return ";"
    if operation == "init":
        at, count = need_operands(i, 2)
        return f"kw::ptx::mbarrier_initialise({address(i, at)}, {get_operand(count, 'uint32_t')});"
    if operation in ("arrive", "arrive_drop"):
        if i.arguments[0].kind == "address":
            i.arguments.insert(0, Argument("sink"))
        state, at = i.arguments[:2]
        arrivals = "1" if len(i.arguments) < 3 else get_operand(i.arguments[2], "uint32_t")
        drop = "1" if operation == "arrive_drop" else "0"
        return set_operand(state, f"kw::ptx::mbarrier_arrive({address(i, at)}, {arrivals}, {drop})")
    done, at, phase = i.arguments[:3]
    if i.has("parity"):
        return set_operand(
            done, f"kw::ptx::mbarrier_test_parity({address(i, at)}, {get_operand(phase, 'uint32_t')})"
        )
    return set_operand(done, f"kw::ptx::mbarrier_test({address(i, at)}, {get_operand(phase, 'uint64_t')})")


INSTRUCTIONS: Table = {
    "bar": _barrier,
    "barrier": _barrier,
    "mbarrier": _memory_barrier,
    "membar": always("__threadfence();"),
    "fence": lambda i: None if any("tensormap" in m for m in i.modifiers) else "__threadfence();",
}
