"""Where an operator's headers lie: builds put the kernels of all operators of a project side by side."""

from collections.abc import Sequence
from pathlib import Path

from kernelwright_backends.ascendc.cpu import compiler as tools
from kernelwright_backends.cuda.cpu.headers import HeaderSearch

# Folders of a project, below one that is above the kernel, in which the kernels of other operators stand.
_BESIDE = ("*/op_kernel", "*/*/op_kernel", "utils/kernel", "*/utils/kernel", "op_kernel", "*/op_kernel/utils")
_LEVELS = 4
# Interfaces that CANN spreads over many headers; ours come from one, which is included before everything else.
_SPREAD = ("lib/", "adv_api/", "basic_api/", "impl/", "kernel_operator_", "kernel_tensor", "kernel_tpipe", "kernel_macros", "interface/")


class OperatorHeaders(HeaderSearch):
    """Like `HeaderSearch`; what it does not find is looked for among the kernels of the project's other operators."""

    def __init__(self, main: Path, folders: Sequence[Path]) -> None:
        super().__init__(main, folders, (tools.INCLUDE,))

    def _look(self, name: str, here: Path, quoted: bool) -> Path | None:
        found = super()._look(name, here, quoted)
        if found is not None or not quoted or (tools.INCLUDE / name).is_file():
            return found
        for above in self._above[1 : _LEVELS + 1]:
            for pattern in _BESIDE:
                beside = sorted(folder / name for folder in above.glob(pattern) if (folder / name).is_file())
                if beside:
                    return beside[0].resolve()
        return None


def stands_for_ours(name: str) -> bool:
    """Is this a header of the interface itself, whose contents `kernel_operator.h` has?"""
    return name.startswith(_SPREAD) and not (tools.INCLUDE / name).is_file()
