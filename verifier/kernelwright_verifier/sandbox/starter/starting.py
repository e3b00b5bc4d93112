"""Carries out the orders for one program: under Landlock, under bubblewrap as nobody, or unconfined.

The orders arrive on descriptor 4, in marshal's form, behind eight bytes that say how many they are. They come when the limits of
this process hold. Descriptor 5 is the seccomp filter, 6 takes what is to be known outside (`launch.Launch`).
"""

# Importing pathlib and contextlib would cost more than all that is done here.
# ruff: noqa: PTH123, SIM105
import json
import marshal
import os

from . import nobody, supervision

GATE, FILTER, STATUS = 4, 5, 6

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def carry_out(identity: "nobody.Identity | None") -> None:
    """Never returns where all goes well: it becomes the program, or ends with it."""
    size = int.from_bytes(_exactly(8), "big")
    orders = marshal.loads(_exactly(size))
    if orders["kind"] == "bubblewrap":
        try:
            _become_bubblewrap(orders, identity)
        except OSError as error:
            say({"error": f"{error.filename or 'bubblewrap'}: {error.strerror}"})
        os._exit(127)
    os._exit(supervision.supervise(orders, identity if orders["nobody"] else None, say))


def say(message: "dict[str, object]") -> None:
    """Tell the server."""
    try:
        os.write(STATUS, json.dumps(message).encode() + b"\n")
    except BrokenPipeError:
        pass  # the server is dead, which the gate tells as well


def _become_bubblewrap(orders: "dict[str, Any]", identity: "nobody.Identity | None") -> None:
    os.close(GATE)
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    paths = orders["paths"]
    sandbox = orders["sandbox"]
    try:
        if identity is None:
            raise nobody.Impossible("no user can be mapped")
        places = nobody.stage(paths, identity)
    except nobody.Impossible as error:
        say({"runs_as": os.geteuid(), "because": str(error)})
        places = [path for path, _ in paths]
        sandbox = sandbox + orders["of_root"]
    else:
        nobody.become(identity, orders["tasks"])
        say({"runs_as": identity.uid})
    command = [part if isinstance(part, str) else places[part] for part in sandbox + orders["command"]]
    os.set_inheritable(STATUS, True)
    os.set_inheritable(FILTER, True)
    os.execve(command[0], command, orders["environment"])


def _exactly(count: int) -> bytes:
    found = b""
    while len(found) < count:
        part = os.read(GATE, min(count - len(found), 1 << 16))
        if not part:
            os._exit(127)
        found += part
    return found
