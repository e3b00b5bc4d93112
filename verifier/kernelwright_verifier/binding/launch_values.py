"""The launch configuration of a kernel: grid, block, shared memory, or the number of cores."""

from kernelwright_verifier.binding.pieces import Pieces
from kernelwright_verifier.binding.scope import launch_value
from kernelwright_verifier.task.expression import ExpressionError


def launch_values(pieces: Pieces) -> tuple[str | None, str | None, str | None]:
    if pieces.form == "ascendc":
        return _block_dim(pieces), None, None
    if pieces.form != "kernel":
        return None, None, None
    values: dict[str, str | None] = {}
    for key in ("grid", "block", "smem"):
        text = pieces.directive.get(key) if pieces.directive else None
        values[key] = text
        if text is None:
            continue
        try:
            launch_value(text, key, pieces.description)
        except ExpressionError as error:
            pieces.problems.of_expression(key, error)
    missing = [key for key in ("grid", "block") if values[key] is None]
    if missing:
        pieces.problems.add(
            "BIND_GRID",
            f"the directive of the kernel {pieces.entry.name} has no "
            f"{' and no '.join(f'{key}=' for key in missing)}; add a launch configuration such as "
            'grid="ceil_div(x.numel(), 256)" block="256"',
            pieces.directive.range if pieces.directive else pieces.entry.name_range,
        )
    return values["grid"], values["block"], values["smem"]


def _block_dim(pieces: Pieces) -> str | None:
    text = pieces.directive.get("block_dim") if pieces.directive else None
    if text is None and pieces.npu.has_host:
        return None
    if text is None:
        pieces.problems.add(
            "BIND_GRID",
            f"the directive of the kernel {pieces.entry.name} has no block_dim=; add the number of cores, such as "
            'block_dim="8"',
            pieces.directive.range if pieces.directive else pieces.entry.name_range,
        )
        return None
    try:
        launch_value(text, "block_dim", pieces.description)
    except ExpressionError as error:
        pieces.problems.of_expression("block_dim", error)
    return text
