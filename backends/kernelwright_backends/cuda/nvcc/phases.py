"""nvcc's own steps, with the device's half beside the host's.

nvcc compiles one after the other what hardly depends on each other: cudafe++ splits off the host's code while cicc and ptxas
could already work on the device's. Its option `--dryrun` prints the steps (CUDA Compiler Driver, "Keeping Intermediate Phase
Files"); where they look as they are known to, a script runs both halves at once. They share one word, the module's identity,
which is written beforehand.
"""

import re
import shlex
from pathlib import PurePath

_MARK = "#$ "
_VARIABLE = re.compile(r"(CICC_PATH|NVVMIR_LIBRARY_DIR|LD_LIBRARY_PATH|PATH|TOP)=(\S*)$")
_IDENTITY = re.compile(r' --gen_module_id_file --module_id_file_name "([^"]+)"')

_OBJECT = ["gcc", "cudafe++", "gcc", "cicc", "ptxas", "fatbinary", "gcc"]


def script(dryrun: str, identity: str, dependencies: PurePath) -> str | None:
    """What `/bin/sh` has to run in place of nvcc; None where the steps are not as expected, so that nvcc must do it.

    Args:
        dryrun: what `nvcc --dryrun` printed for one source file and one architecture.
        identity: a word that no other module of the program has.
        dependencies: where the names of the headers go that either half reads.
    """
    lines = [line.removeprefix(_MARK).strip() for line in dryrun.splitlines() if line.startswith(_MARK)]
    variables = [match for line in lines if (match := _VARIABLE.match(line))]
    steps = [line for line in lines if not re.match(r"\w+=", line) and not line.startswith("rm ")]
    tools = [_tool(step) for step in steps]
    if tools not in (_OBJECT, [*_OBJECT, "g++"]) or (named := _IDENTITY.search(steps[1])) is None:
        return None
    host = [
        _noting(steps[0], dependencies),
        _IDENTITY.sub(f' --module_id_file_name "{named[1]}"', steps[1]),
    ]
    of_device = dependencies.with_suffix(".device")
    device, rest = [_noting(steps[2], of_device), *steps[3:6]], steps[6:]
    return "\n".join([
        *(f"export {match[1]}={shlex.quote(match[2])}" for match in variables),
        f"printf %s {shlex.quote(identity)} > {shlex.quote(named[1])}",
        f"( {_chain(device)} ) > device.out 2>&1 & device=$!",
        # The host's messages come first, as nvcc's do; where it refuses the text, cicc says the same again.
        f"{_chain(host)} || {{ status=$?; kill $device; exit $status; }}",
        "wait $device; status=$?; cat device.out >&2; [ $status = 0 ] || exit $status",
        _chain(rest),
        f"status=$?; cat {shlex.quote(str(of_device))} >> {shlex.quote(str(dependencies))}; exit $status",
    ]) + "\n"  # fmt: skip


def _noting(preprocessing: str, dependencies: PurePath) -> str:
    return f"{preprocessing} -MD -MF {shlex.quote(str(dependencies))}"


def _tool(step: str) -> str:
    return shlex.split(step)[0].rpartition("/")[2]


def _chain(steps: list[str]) -> str:
    return " && ".join(steps)
