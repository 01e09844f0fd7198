"""Serves the pages and actions of one marker, and opens the browser, until somebody ends it."""

import os
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route

from ..course.problem import Problem
from ..gradebook.database.errors import GradebookError
from .actions import Actions, posted
from .desk import Desk
from .entries import Marker
from .guard import Guard, hosts, token
from .pages import Pages, asset

QUESTION = "/{assignment}/{item}"
CARD = f"{QUESTION}/{{key}}"
LEADS_ON = """<!doctype html><html lang="en"><meta charset="utf-8"><title>course mark</title>
<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">Continue</a></html>
"""


class NotServed(Problem):
    """The page cannot be offered at this address; one sentence."""


@dataclass(frozen=True)
class Served:
    """A page that is being offered: `address` holds the token, see `secret_token`."""

    address: str
    run: Callable[[], None]  # until Ctrl-C


def guarded(desk: Desk, marker: Marker, token: str, names: frozenset[str]) -> Guard:
    """The web application behind its guard: which address leads to which page or act."""
    pages = Pages(desk, marker)
    actions = Actions(desk, marker, pages)
    application = Starlette(
        routes=[
            Route("/", pages.overview),
            Route("/undo", posted(actions.undo), methods=["POST"]),
            Route("/asset/{name}", asset),
            Route("/figure/{assignment}/{item}/{key}/{name:path}", pages.figure),
            Route(QUESTION, pages.question),
            Route(CARD, pages.card, methods=["GET"]),
            Route(CARD, posted(actions.mark), methods=["POST"]),
            Route(f"{CARD}/ask", posted(actions.ask), methods=["POST"]),
            Route(f"{CARD}/here", pages.here),
        ],
        exception_handlers={HTTPException: pages.problem, GradebookError: pages.problem},
    )
    return Guard(application, token, names)


@contextmanager
def offered(desk: Desk, marker: Marker, host: str, port: int, folder: Path) -> Iterator[Served]:
    """Take the address; 0 as the port takes a free one. Raises NotServed.

    The same marker gets the same address at the same port; the folder keeps the secret for it.
    """
    with _bound(host, port) as listening:
        port = listening.getsockname()[1]
        secret = token(folder, host, str(port), marker.name)
        app = guarded(desk, marker, secret, hosts(host, port))
        # no line a request: the address would stand in it
        config = uvicorn.Config(
            app, log_level="error", access_log=False, lifespan="off", ws="none",
            proxy_headers=False, server_header=False,
        )  # fmt: skip
        server = uvicorn.Server(config)
        named = f"[{host}]" if ":" in host else host
        yield Served(f"http://{named}:{port}/{secret}/", lambda: _run(server, listening))


def _run(server: uvicorn.Server, listening: socket.socket) -> None:
    try:
        server.run(sockets=[listening])
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


@contextmanager
def opened(address: str, folder: Path) -> Iterator[None]:
    """Open the browser at the address, without showing that to others on this machine.

    A list of processes shows with which address a browser was started, and the address is all that
    a stranger would need. So the browser is given a file that only this user can read and that
    leads on; it is in the folder, if there is one, meanwhile.
    """
    place = folder.resolve() if folder.is_dir() else None
    number, name = tempfile.mkstemp(".html", "mark-", place)  # for this user alone
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(LEADS_ON.format(address=address))
        webbrowser.open(Path(name).as_uri())
        yield
    finally:
        with suppress(OSError):
            os.unlink(name)
