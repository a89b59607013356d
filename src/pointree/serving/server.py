"""Running the application: one process, one socket, models that load meanwhile, and an orderly end."""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from fastapi import FastAPI

from pointree.errors import UsageError
from pointree.serving.limits import Limits
from pointree.serving.protocol import guarded_protocol

__all__ = ["Server", "bind", "new_server", "serve"]

_MAX_HEAD = 1 << 16
"""Bytes of a request's head: UDPipe's clients may put text into the URL."""

_KEEP_ALIVE_SECONDS = 15

_SWITCH_SECONDS = 0.001
"""The batcher gives the interpreter lock away with each tensor operation; it should not wait 5 ms to get it back."""


class Server(uvicorn.Server):
    """uvicorn's server, for which SIGTERM, SIGINT and SIGHUP are a normal end; uvicorn's own dies of them."""

    on_start: Callable[[], object] = staticmethod(lambda: None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, then call `on_start`."""
        await super().startup(sockets)
        if self.started:
            self.on_start()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin the end: open connections learn that the service is not ready for more."""
        app = self.config.app
        if isinstance(app, FastAPI):
            app.state.stopping = True
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal, at once at the second; only the main thread hears of them."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = [signal.SIGINT, signal.SIGTERM]
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # not below `nohup`
            numbers.append(signal.SIGHUP)
        handlers = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 is any free one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"serve: cannot listen on {host} port {port}: {reason}") from None


def new_server(app: FastAPI, limits: Limits) -> Server:
    """A server for the application that keeps these limits."""
    config = uvicorn.Config(
        app,
        http=guarded_protocol(limits),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=int(limits.seconds) + 5,
        h11_max_incomplete_event_size=_MAX_HEAD,
    )
    return Server(config)


def serve(
    app: FastAPI,
    listener: socket.socket,
    limits: Limits,
    *,
    load: Callable[[], None],
    announce: Callable[[str], None],
) -> None:
    """Serve until a signal, then finish the requests that were accepted.

    ``load`` loads the models, in a thread: health checks are answered meanwhile. If it fails, the service ends with its
    error. ``announce`` is called with the address when the models are there.
    """
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stderr)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    sys.setswitchinterval(_SWITCH_SECONDS)
    host, port = listener.getsockname()[:2]
    server = new_server(app, limits)
    faults: list[BaseException] = []

    def prepare() -> None:
        try:
            load()
            if not server.should_exit:
                announce(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")
        except BaseException as error:
            faults.append(error)
            server.should_exit = True

    loading = threading.Thread(target=prepare, name="pointree-loading", daemon=True)
    server.on_start = loading.start
    server.run(sockets=[listener])
    if loading.ident is not None:
        loading.join()  # native code that is cut off by the end of the interpreter may crash
    if faults:
        raise faults[0]
