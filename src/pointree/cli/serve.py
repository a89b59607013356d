"""`pointree serve`: the parser as a service over HTTP."""

from __future__ import annotations

import ipaddress
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from pointree.cli.console import warn
from pointree.cli.options import DeviceOption, EngineOption, PrecisionOption, ThreadsOption, new_app
from pointree.errors import MissingExtraError, UsageError
from pointree.files import open_text, reading

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree serve
  pointree serve --model en --model de=path/to/german --port 8000
  curl -s localhost:8000/v1/parse --json '{"text": "John plays tennis.", "output": "conllu"}'
  curl -s localhost:8000/process -F data=@article.txt -F tokenizer= -F tagger= -F parser=
"""

_EXTRA = ("fastapi", "uvicorn", "prometheus_client", "python_multipart")
_VARIABLE = "POINTREE_API_KEY"

app = new_app()


@app.command("serve", epilog=EXAMPLES)
def command(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="[NAME=]MODEL",
            help="Name or folder of a model (default: en); the first is the default of requests.",
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0 is any.")
    ] = 8000,
    api_key_file: Annotated[
        Path | None, typer.Option("--api-key-file", metavar="FILE", help="Ask clients for the key in this file.")
    ] = None,
    api_key: Annotated[str | None, typer.Option("--api-key", hidden=True, help="The key itself.")] = None,
    cors: Annotated[
        list[str] | None,
        typer.Option(
            "--cors", metavar="ORIGIN", help="Allow web pages of this origin to call the service; * allows all."
        ),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option("--allowed-host", metavar="NAME", help="Host name to answer to; others are refused."),
    ] = None,
    wait: Annotated[
        float,
        typer.Option("--wait", metavar="MS", min=0, max=1000, help="Wait up to this long to batch requests together."),
    ] = 3.0,
    max_body: Annotated[
        int, typer.Option("--max-body", metavar="N", min=1, help="Maximum size of a request body, in bytes.")
    ] = 4_194_304,
    max_words: Annotated[
        int, typer.Option("--max-words", metavar="N", min=1, help="Maximum number of words in a request.")
    ] = 100_000,
    max_sentence: Annotated[
        int, typer.Option("--max-sentence", metavar="N", min=1, help="Maximum number of words in a sentence.")
    ] = 1_000,
    max_beam: Annotated[int, typer.Option("--max-beam", metavar="N", min=1, help="Maximum width of a beam.")] = 32,
    max_queue: Annotated[
        int, typer.Option("--max-queue", metavar="N", min=1, help="Maximum number of requests that wait or are parsed.")
    ] = 256,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.001, help="Maximum time for a request.")
    ] = 120.0,
    precision: PrecisionOption = None,
    threads: ThreadsOption = None,
    device: DeviceOption = "cpu",
    engine: EngineOption = "auto",
) -> None:
    """Parse over HTTP: a page at /, a JSON interface at /v1, and UDPipe's interface at /process. /docs describes them.

    Only this machine can connect, unless --host says otherwise. The key of --api-key-file may also be in the variable
    POINTREE_API_KEY.
    """
    if any(find_spec(name) is None for name in _EXTRA):
        raise MissingExtraError("pointree serve", "serve")
    from pointree.running.threads import prepare_process
    from pointree.serving.app import create_app
    from pointree.serving.limits import Limits
    from pointree.serving.registry import load_registry
    from pointree.serving.server import bind, serve
    from pointree.serving.service import Service

    limits = Limits(
        body_bytes=max_body,
        words=max_words,
        sentence_words=max_sentence,
        beam=max_beam,
        queue=max_queue,
        seconds=timeout,
    )
    key = _key(api_key, api_key_file)
    if key is None and not _is_loopback(host):
        warn(f"everybody who reaches {host} can use this service; --api-key-file asks for a key")
    prepare_process(threads)
    listener = bind(host, port)
    with listener:
        service = Service(limits=limits, wait_seconds=wait / 1000)

        def load_models() -> None:
            service.registry = load_registry(model or ["en"], precision=precision, device=device, engine=engine)

        def announce(url: str) -> None:
            typer.echo(f"serving {', '.join(served.name for served in service.registry)} at {url}", err=True)

        application = create_app(service, api_key=key, cors=cors or (), allowed_hosts=allowed_host or ())
        serve(application, listener, limits, load=load_models, announce=announce)


def _key(key: str | None, path: Path | None) -> str | None:
    """The key of the file, or else of the environment, which headers must be able to carry."""
    name = _VARIABLE if key is None else "--api-key"
    if key is None and _VARIABLE in os.environ:  # set but empty is a mistake, not a wish for no key
        key = os.environ[_VARIABLE].strip()
    if path is not None:
        name = str(path)
        with reading(path), open_text(path) as stream:
            key = stream.read(4096).strip()
    if key is not None and not (key.isascii() and key.isprintable() and key):
        raise UsageError(
            f"{name}: expected a key of printable ASCII characters, found {'others' if key else 'nothing'}"
        )
    return key


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
