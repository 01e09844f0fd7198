"""Guards the page: only a browser that has the address, at this address, from this page.

The address holds a token that no other page and no other user of the machine can guess, see
`secret_token`. A `Host` that is not ours is refused, because another site's name can be made to
lead here; so is a form that comes from elsewhere. The content policy lets a page load nothing but
our own style sheet, our own script and figures of the class.
"""

import base64
import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..intake import plain_files

FILE = "mark.secret"
BYTES = 32
_DIGITS = 24  # of the token: 144 bits


def token(folder: Path, *facts: str) -> str:
    """The token in the page's address; for once only if the folder cannot keep a secret.

    It is made from a random secret of the results folder, in a file that only this user can read,
    and from the facts: the marker's name and the place that is served. So a page that was open when
    `course mark` ended works again if the same marker starts it at the same port; no other marker,
    folder or port has its address. Deleting the file makes all addresses so far invalid.
    """
    message = "\0".join(facts).encode("utf-8", "backslashreplace")
    digest = hmac.new(_secret(folder / FILE), message, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode()[:_DIGITS]


def _secret(path: Path) -> bytes:
    """The secret at the path; a new one replaces what somebody else could have read or written."""
    with suppress(OSError, plain_files.RefusedError):
        if found := _kept(path):
            return found
    new = secrets.token_bytes(BYTES)
    with suppress(OSError):
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(new)
    return new


def _kept(path: Path) -> bytes:
    """The contents of the file, if only this user can have written and read it; else nothing."""
    with plain_files.opened(path) as file:
        facts, found = os.fstat(file.fileno()), file.read(BYTES + 1)
    own = not hasattr(os, "getuid") or (facts.st_uid == os.getuid() and not facts.st_mode & 0o077)
    return found if own and len(found) == BYTES else b""


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def hosts(host: str, port: int) -> frozenset[str]:
    """The values of `Host` that a browser may send: a loopback address has several names.

    It sends small letters, and the port of http is left out.
    """
    names = LOOPBACK if host in LOOPBACK else (host.lower(),)
    end = "" if port == 80 else f":{port}"
    return frozenset(f"[{name}]{end}" if ":" in name else f"{name}{end}" for name in names)


class Guard:
    """ASGI middleware; the application behind it sees paths without the token, as `root_path`."""

    def __init__(self, app: ASGIApp, token: str, hosts: frozenset[str]):
        self._app, self._token, self._hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        refused = self._refused(scope)
        if refused:
            await PlainTextResponse(refused[1], refused[0])(scope, receive, guarded)
            return
        await self._app({**scope, "root_path": f"/{self._token}"}, receive, guarded)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        """The status and reason of a refusal."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if host not in self._hosts:
            return 421, "This page answers only under the address that `course mark` printed."
        token = scope["path"].removeprefix("/").partition("/")[0]
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self._token.encode()):
            return 404, "Nothing here: use the whole address that `course mark` printed."
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "This address accepts only page views and forms."
        if scope["method"] == "POST" and headers.get(b"origin") != f"http://{host}":
            return 403, "A form of another page is not accepted."
        return None
