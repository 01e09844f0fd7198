"""Serves the pages of one marker until somebody ends it."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..course.problem import Problem
from .desk import Desk
from .guard import Guard, hosts
from .marker import Marker

if TYPE_CHECKING:
    from starlette.types import ASGIApp


class NotServed(Problem):
    """The page cannot be offered at this address; one sentence."""


@dataclass(frozen=True)
class Served:
    """A page that is being offered: `address` holds the token that only this run accepts."""

    address: str
    run: Callable[[], None]  # until Ctrl-C


def guarded(desk: Desk, marker: Marker, token: str, names: frozenset[str]) -> ASGIApp:
    """The application with its guard, for a server or a test."""
    from .application import application

    return Guard(application(desk, marker), token, names)


@contextmanager
def offered(desk: Desk, marker: Marker, host: str, port: int) -> Iterator[Served]:
    """Take the address; 0 as the port takes a free one. Raises NotServed."""
    import uvicorn

    token = secrets.token_urlsafe(18)
    with _bound(host, port) as listening:
        port = listening.getsockname()[1]
        app = guarded(desk, marker, token, hosts(host, port))
        # no line a request: the address would stand in it
        config = uvicorn.Config(
            app, log_level="error", access_log=False, lifespan="off", ws="none",
            proxy_headers=False, server_header=False,
        )  # fmt: skip
        server = uvicorn.Server(config)
        named = f"[{host}]" if ":" in host else host
        yield Served(f"http://{named}:{port}/{token}/", lambda: _run(server, listening))


def _run(server: object, listening: socket.socket) -> None:
    try:
        server.run(sockets=[listening])  # type: ignore[attr-defined]
    except KeyboardInterrupt:
        return


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        listening = socket.socket(found[0][0], socket.SOCK_STREAM)
    except (OSError, OverflowError) as error:
        raise NotServed(f"{host}: no address of this machine ({error}); correct --host") from None
    with listening:
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(found[0][4])
            listening.listen()  # a browser that is faster than the server waits
        except OSError as error:
            raise NotServed(
                f"{host}, port {port}: cannot be used ({error.strerror}); correct --host, or leave "
                "--port out to take a free one"
            ) from None
        yield listening
