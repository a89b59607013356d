"""A Hugging Face Hub on this machine: as much of its protocol as publishing and downloading one model takes."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["LocalHub", "local_hub"]


class LocalHub(http.server.ThreadingHTTPServer):
    """Repositories by name, each with its files; who asks to write needs the token ``secret``."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.uploads: dict[str, bytes] = {}
        self.private: dict[str, bool] = {}
        self.messages: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LocalHub
    commit = "b" * 40

    def do_GET(self) -> None:
        place = self.path.partition("?")[0]
        parts = place.strip("/").split("/")
        name = "/".join(parts[2:4]) if parts[:2] == ["api", "models"] else "/".join(parts[:2])
        files = self.server.repositories.get(name)
        if files is None:
            self.answer(404, {}, X_Error_Code="RepoNotFound")
        elif "/revision/" in place:
            siblings = [{"rfilename": path} for path in files]
            self.answer(200, {"id": name, "sha": self.commit, "siblings": siblings})
        elif "/tree/" in place:
            listed = [
                {"type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                for path, data in files.items()
            ]
            self.answer(200, listed)
        else:
            data = files["/".join(parts[4:])]
            self.answer(200, data, ETag=f'"{hashlib.sha1(data).hexdigest()}"', X_Repo_Commit=self.commit)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_PUT(self) -> None:
        self.server.uploads[self.path.rpartition("/")[2]] = self.body()
        self.answer(200, {})

    def do_POST(self) -> None:
        body = self.body()
        if self.path == "/api/validate-yaml":
            self.answer(200, {"errors": [], "warnings": []})
        elif self.headers["Authorization"] != "Bearer secret":
            self.answer(401, {"error": "Invalid username or password."})
        elif self.path == "/api/repos/create":
            wanted = json.loads(body)
            name = f"{wanted['organization']}/{wanted['name']}"
            self.server.repositories.setdefault(name, {})
            self.server.private[name] = wanted.get("private") or wanted.get("visibility") == "private"
            self.answer(200, {"url": f"{self.server.address}/{name}"})
        elif "/preupload/" in self.path:
            modes = [
                {"path": file["path"], "uploadMode": self.mode(file["path"]), "shouldIgnore": False}
                for file in json.loads(body)["files"]
            ]
            self.answer(200, {"files": modes})
        elif self.path.endswith("/info/lfs/objects/batch"):
            objects = [
                item | {"actions": {"upload": {"href": f"{self.server.address}/upload/{item['oid']}"}}}
                for item in json.loads(body)["objects"]
            ]
            self.answer(200, {"transfer": "basic", "objects": objects})
        else:
            name = "/".join(self.path.split("/")[3:5])
            self.take(body.decode().splitlines(), name)
            url = f"{self.server.address}/{name}/commit/{self.commit}"
            self.answer(200, {"commitUrl": url, "commitOid": self.commit, "success": True})

    def mode(self, path: str) -> str:
        return "lfs" if path.endswith((".safetensors", ".udpipe")) else "regular"

    def take(self, lines: list[str], name: str) -> None:
        """Apply the lines of a commit."""
        files = self.server.repositories[name]
        for line in map(json.loads, lines):
            value = line["value"]
            if line["key"] == "header":
                self.server.messages.append(value["summary"])
            elif line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.server.uploads[value["oid"]]
            elif line["key"] == "deletedFile":
                del files[value["path"]]

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def answer(self, code: int, content: Any, **headers: str) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def local_hub() -> Iterator[LocalHub]:
    """Run a Hub until the block ends."""
    with LocalHub() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
