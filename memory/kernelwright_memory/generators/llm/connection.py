"""HTTP to a model server that anybody may have named: what is said is ours alone, and what it answers is bounded.

No redirect is followed, no header is sent that carries more than the question, and an answer is read up to a number of bytes.
Imported when a server is first asked, since httpx and openai (which litellm brings) take most of a second.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from kernelwright_memory.generators.base import CannotGenerate

ANSWER_BYTES = 32 << 20
"""Of one answer as it is sent: a stream has some 300 bytes around each word."""
LISTING_BYTES = 4 << 20
"""Of the list of a server's models."""
_SENT = frozenset(
    ("accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host",
     "transfer-encoding", "user-agent")
)  # fmt: skip
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "kernelwright"}


def bounded_client(limit_bytes: int, time_limit_s: float) -> httpx.AsyncClient:
    """A client whose answers end with CannotGenerate behind `limit_bytes`, or where they are not what was asked for.

    Args:
        time_limit_s: for each step of an exchange; who waits for all of it has a limit of its own.
    """

    async def sent(request: httpx.Request) -> None:
        _only_ours(request)

    async def arrived(response: httpx.Response) -> None:
        _look_at(response)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Bounded(response.stream, limit_bytes)

    return httpx.AsyncClient(
        follow_redirects=False,
        timeout=time_limit_s,
        headers=_HEADERS,
        event_hooks={"request": [sent], "response": [arrived]},
    )


def bounded_blocking_client(limit_bytes: int, time_limit_s: float) -> httpx.Client:
    """The same for who can wait."""

    def arrived(response: httpx.Response) -> None:
        _look_at(response)
        assert isinstance(response.stream, httpx.SyncByteStream)
        response.stream = _BoundedBlocking(response.stream, limit_bytes)

    return httpx.Client(
        follow_redirects=False,
        timeout=time_limit_s,
        headers=_HEADERS,
        event_hooks={"request": [_only_ours], "response": [arrived]},
    )


def openai_options(base_url: str, key: str | None) -> dict[str, Any]:
    """What a client of the openai package needs besides its HTTP client."""
    # Without a key of its own it would take the provider's from the environment.
    return {"api_key": key or "none", "base_url": base_url, "max_retries": 0}


def _only_ours(request: httpx.Request) -> None:
    """Without what a client adds of the user's: his organisation, his machine, what .netrc holds for the host."""
    for name in [name for name in request.headers if name.lower() not in _SENT]:
        del request.headers[name]


def _look_at(response: httpx.Response) -> None:
    if response.is_redirect:
        raise CannotGenerate(
            f"the server at {response.request.url.host} redirects to another server, which is not followed; name "
            "that server itself"
        )
    # A few bytes could stand for gigabytes.
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise CannotGenerate(
            f"the server at {response.request.url.host} sent a compressed answer although none was requested"
        )


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, limit_bytes: int) -> None:
        self._stream, self._limit_bytes = stream, limit_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit_bytes
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise _too_long(self._limit_bytes)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _BoundedBlocking(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, limit_bytes: int) -> None:
        self._stream, self._limit_bytes = stream, limit_bytes

    def __iter__(self) -> Iterator[bytes]:
        left = self._limit_bytes
        for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise _too_long(self._limit_bytes)
            yield chunk

    def close(self) -> None:
        self._stream.close()


def _too_long(limit_bytes: int) -> CannotGenerate:
    return CannotGenerate(f"the answer is longer than {limit_bytes >> 20} MiB")
