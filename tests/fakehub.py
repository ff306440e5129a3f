"""A hub on this machine: the few answers of the real one's HTTP interface that a download asks for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class FakeHub(ThreadingHTTPServer):
    """Serves the files of `folder` as the model owner/name.

    gated: files are refused for want of accepted terms.  cut: the file of this name breaks off half way, and when it is
    asked for again, the connection is closed without an answer.
    """

    def __init__(self, folder: Path, gated: bool = False, cut: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.gated, self.cut = folder, gated, cut
        self.served: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir()) if path.is_file()}


@contextmanager
def serving(folder: Path, **options: Any) -> Iterator[FakeHub]:
    """A running hub."""
    hub = FakeHub(folder, **options)
    Thread(target=hub.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        path = self.path.split("?")[0]
        if path.startswith("/api/models/owner/name/tree/"):
            tree = [
                {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                for name, data in self.server.files.items()
            ]
            self._send(json.dumps(tree).encode(), body)
        elif path.startswith("/api/models/owner/name"):
            siblings = [{"rfilename": name} for name in self.server.files]
            found = {"id": "owner/name", "modelId": "owner/name", "sha": COMMIT, "siblings": siblings, "tags": []}
            self._send(json.dumps(found).encode(), body)
        elif path.startswith("/owner/name/resolve/"):
            self._file(path.rsplit("/", 1)[1], body)
        else:
            self._send(b"{}", body, 404, {"X-Error-Code": "RepoNotFound"})

    def _file(self, name: str, body: bool) -> None:
        if self.server.gated:
            return self._send(b"", body, 403, {"X-Error-Code": "GatedRepo"})
        data, cut = self.server.files[name], name == self.server.cut
        if body and cut and name in self.server.served:
            self.close_connection = True
            return None
        if body:
            self.server.served.append(name)
        tags = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "none"}
        return self._send(data, body, 200, tags, cut=cut)

    def _send(
        self, data: bytes, body: bool, status: int = 200, headers: dict[str, str] | None = None, cut: bool = False
    ) -> None:
        self.send_response(status)
        always = {"Content-Length": str(len(data)), "Content-Type": "application/json"}
        for name, value in (always | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection = cut or self.close_connection
