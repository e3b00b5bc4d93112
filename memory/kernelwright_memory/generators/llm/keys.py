"""To whom the user's key of a model server may go: only to whom he gave it.

KERNELWRIGHT_API_KEY belongs to the host of KERNELWRIGHT_API_BASE, and to those that the user's own settings or the command line
name. A workspace, trusted or not, can name a server, but gets no key for it.
"""

import os
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from kernelwright_memory.generators.base import CannotGenerate

KEY_VARIABLE = "KERNELWRIGHT_API_KEY"
BASE_VARIABLE = "KERNELWRIGHT_API_BASE"
_PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int]
"""Scheme, host and port of an address."""


def origin_of(address: str) -> Origin | None:
    """None of what is no address of a web server."""
    try:
        parts = urlsplit(address)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    host = (parts.hostname or "").rstrip(".")
    return (parts.scheme, host, port) if host else None


def key_for(address: str, confirmed: Iterable[str] = ()) -> str | None:
    """The key that may be sent to the server at `address`; None where there is none for it.

    Args:
        confirmed: addresses that the user named himself.

    Raises:
        CannotGenerate: there is one, but everybody on the way could read it.
    """
    key, origin = os.environ.get(KEY_VARIABLE), origin_of(address)
    named = {origin_of(known) for known in (os.environ.get(BASE_VARIABLE, ""), *confirmed)}
    if not key or origin is None or origin not in named:
        return None
    scheme, host, _ = origin
    if scheme != "https" and not on_this_machine(host):
        raise CannotGenerate(
            f"{KEY_VARIABLE} is not sent to {scheme}://{host} because the connection is not encrypted; use "
            "https://, or unset the key"
        )
    return key


def why_no_key(address: str, confirmed: Iterable[str] = ()) -> str:
    """What to add to a server's refusal where a key was kept from it."""
    if not os.environ.get(KEY_VARIABLE) or key_for(address, confirmed) is not None:
        return ""
    scheme, host, port = origin_of(address) or ("", "", 0)
    shown = f"{scheme}://{host}" + (f":{port}" if port != _PORTS.get(scheme) else "")
    return (
        f". {KEY_VARIABLE} was not sent because you did not name this server; if the key belongs to it, set "
        f"{BASE_VARIABLE}={shown}"
    )


def on_this_machine(host: str) -> bool:
    """Whether a host is this machine itself, by its loopback address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
