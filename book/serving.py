"""Serves a built site on this machine, compressed as any web server would send it."""

import functools
import gzip
import http.server
import io
from pathlib import Path
from typing import BinaryIO

COMPRESSED = ("text/", "application/json", "application/javascript", "image/svg+xml")
LEAST = 1000  # bytes of a file that is worth it


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of a folder; text is compressed if the browser takes that."""

    protocol_version = "HTTP/1.1"  # keeps the connection for a page's next file

    def send_head(self) -> BinaryIO | None:
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.endswith("/"):
            path /= "index.html"
        type = self.guess_type(path)
        asked = "gzip" in self.headers.get("Accept-Encoding", "")
        if not (asked and type.startswith(COMPRESSED) and path.is_file()):
            return super().send_head()
        status = path.stat()
        if status.st_size < LEAST:
            return super().send_head()
        packed = _packed(path, status.st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", type)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(packed)))
        self.send_header("Last-Modified", self.date_time_string(int(status.st_mtime)))
        self.end_headers()
        return io.BytesIO(packed)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not told: nobody reads them."""


@functools.lru_cache(maxsize=256)
def _packed(path: Path, changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


def server(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """A server of the folder, for this machine only; 0 is any free port. Raises OSError."""
    handler = functools.partial(Handler, directory=str(folder))
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
