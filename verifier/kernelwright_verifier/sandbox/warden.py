"""Ends what the server has started when the server itself is killed.

bubblewrap binds its processes to their parent's life, but only once it has set them up: a server killed in these
milliseconds would leave one that waits for ever. The warden is one shell for the whole server. It reads which process
groups live, and when its input ends, because the server has, kills them.
"""

import contextlib
import os
import threading

from kernelwright_verifier.sandbox import spawn

_SCRIPT = """
exec >/dev/null 2>&1
groups=' '
while read -r change group; do
    case $change in
        +) groups="$groups$group " ;;
        -) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
"""

_lock = threading.Lock()
_input: int | None = None
_groups: set[int] = set()


def guard(group: int) -> None:
    """From now on, kill this process group if this process is killed.

    Raises:
        OSError: the warden could not be started.
    """
    with _lock:
        _groups.add(group)
        _tell(f"+ {group}\n")


def release(group: int) -> None:
    """Forget the group, which has ended."""
    with _lock, contextlib.suppress(OSError):
        if group in _groups:
            _groups.discard(group)
            _tell(f"- {group}\n")


def _tell(change: str) -> None:
    global _input
    if _input is not None:
        try:
            os.write(_input, change.encode())
        except BrokenPipeError:  # somebody killed the warden: there is to be another
            os.close(_input)
            _input = None
        else:
            return
    theirs, _input = spawn.pipe()
    try:
        spawn.spawn(["/bin/sh", "-c", _SCRIPT], {0: theirs})
    finally:
        os.close(theirs)
    os.write(_input, "".join(f"+ {group}\n" for group in _groups).encode())
