"""Instructions by which the lanes of a warp exchange values."""

from kernelwright_backends.cuda.cpu.ptx.instruction import (
    Argument,
    Instruction,
    Table,
    allow_only,
    get_operand,
    need_operands,
    set_operand,
)


def _shuffle(i: Instruction) -> str:
    allow_only(i, "sync", "up", "down", "bfly", "idx")
    kind = next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx"))
    name = {"up": "KW_SHUFFLE_UP", "down": "KW_SHUFFLE_DOWN", "bfly": "KW_SHUFFLE_XOR", "idx": "KW_SHUFFLE"}[
        kind
    ]
    d, a, b, c, mask = need_operands(i, 5)
    given = ", ".join(get_operand(x, "uint32_t") for x in (a, b, c, mask))
    if d.kind == "pair":
        return (f"bool kw_inside = false; {set_operand(d.parts[0], f'kw::ptx::shuffle({name}, {given}, &kw_inside)')} "
                f"{set_operand(d.parts[1], 'kw_inside')}")  # fmt: skip
    return set_operand(d, f"kw::ptx::shuffle({name}, {given}, nullptr)")


def _vote(i: Instruction) -> str | None:
    kind = next((m for m in i.modifiers if m in ("ballot", "any", "all", "uni")), None)
    if kind is None or not i.has("sync"):
        return None
    d, p, mask = need_operands(i, 3)
    if kind == "uni":  # the same in all lanes
        same = f"kw::ptx::uniform({get_operand(mask, 'uint32_t')}, {get_operand(p, 'bool')})"
        return set_operand(d, same)
    return set_operand(
        d, f"kw::ptx::vote(KW_{kind.upper()}, {get_operand(mask, 'uint32_t')}, {get_operand(p, 'bool')})"
    )


def _reduce_lanes(i: Instruction) -> str | None:
    operation = next((m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor")), None)
    if operation is None or i.type() not in ("uint32_t", "int32_t"):
        return None
    signed = "_SIGNED" if operation in ("min", "max") and i.type() == "int32_t" else ""
    d, a, mask = need_operands(i, 3)
    return set_operand(
        d,
        f"kw::ptx::collective(KW_REDUCE_{operation.upper()}{signed}, {get_operand(mask, 'uint32_t')}, {get_operand(a, 'uint32_t')})",
    )


def _match(i: Instruction) -> str | None:
    if not i.has("any"):
        return None
    d, a, mask = need_operands(i, 3)
    return set_operand(
        d, f"kw::ptx::collective(KW_MATCH_ANY, {get_operand(mask, 'uint32_t')}, {get_operand(a, i.type())})"
    )


def _elect(i: Instruction) -> str:
    d, mask = need_operands(i, 2)
    lane, elected = d.parts if d.kind == "pair" else (d, Argument("sink"))
    return (f"const uint32_t kw_leader = kw::ptx::elect({get_operand(mask, 'uint32_t')}); {set_operand(lane, 'kw_leader')} "
            f"{set_operand(elected, 'kw_leader == kw_lane()')}")  # fmt: skip


INSTRUCTIONS: Table = {
    "shfl": _shuffle,
    "vote": _vote,
    "redux": _reduce_lanes,
    "match": _match,
    "elect": _elect,
    "activemask": lambda i: set_operand(i.arguments[0], "__activemask()"),
}
