"""The command `pointree`: a table of subcommands, each imported only when it is called.

`pointree --help` answers from the table alone, so it waits neither for torch nor for rich. To add a command,
write `cli/<name>.py` with a Typer application named `app`, and add its line here.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from pointree.cli.messages import show_messages
from pointree.cli.signals import unwinding_signals
from pointree.errors import MissingExtraError, PointreeError
from pointree.version import __version__

__all__ = ["COMMANDS", "app", "main"]

COMMANDS: dict[str, str] = {
    "train": "Train a model on a treebank.",
    "parse": "Parse text or treebanks.",
    "serve": "Parse over HTTP; a web page draws trees and steps.",
    "evaluate": "Score a parse, or a model, against a gold treebank.",
    "calibrate": "Fit the probabilities that a model reports.",
    "models": "List the models that --model knows by name.",
    "compact": "Make a pretrained model such as BERT smaller.",
    "package": "Make a wheel of a trained model.",
    "push": "Publish a trained model on the Hugging Face Hub.",
    "analyse": "Show where parsers err, and whether one is better.",
    "experiment": "Train and score a grid of systems, and report on it.",
    "release": "Train, score and package the models of a recipe.",
    "stats": "Describe treebanks: arc lengths and available dependents.",
    "bench": "Measure how fast this machine trains and parses.",
}
"""Every command and its short help, in the order in which a user meets them."""

OLD_OPTIONS = {
    "--bundle-encoder": "the option --bundle-encoder is now called --bundle-pretrained",
    "--combine": "the option --combine was removed in 0.2: models are combined by their posteriors",
    "--presegmented": "the option --presegmented is now called --sentences presegmented",
}
"""Options of earlier versions, and what to tell who uses them."""


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and imports one only to run it or to show its help.

    The types of the command line library are Any here, because Typer has moved them between releases.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"pointree.cli.{cmd_name}")
        return typer.main.get_command(module.app)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in COMMANDS:
            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(COMMANDS)}"
            ctx.fail(f"command {args[0]} is unknown ({hint})")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


_COMMAND_LINE_ERROR: Any = typer.BadParameter.__mro__[2]  # ClickException, wherever Typer keeps its click

app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`pointree COMMAND --help` shows the options of a command, with examples.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pointree {__version__}")
        raise typer.Exit


@app.callback()
def pointree(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Parse sentences into dependency trees with hierarchical pointer networks."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process: 0 if all went well, 2 for an error of the user.

    An error that pointree raises on purpose becomes one line on standard error; anything else is a defect of
    pointree and keeps its traceback. Ctrl-C leaves with 130, SIGTERM with 143.
    """
    show_messages()
    # Our products in numpy are small: a second thread of its BLAS waits more than it computes. Read when numpy loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with unwinding_signals() as stop:
        try:
            code = _run(args)
        except KeyboardInterrupt:
            code = 130
    sys.exit(stop.exit_code(code))


def _run(args: Sequence[str] | None) -> int:
    """Run the command line and return the exit code of the process."""
    try:
        try:
            code = typer.main.get_command(app).main(args=args, prog_name="pointree", standalone_mode=False)
        finally:
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except _COMMAND_LINE_ERROR as error:
        return _fail_at_command_line(error)
    except PointreeError as error:
        return _fail(str(error))
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return _fail(str(MissingExtraError("this command", "train")))
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough: not an error that anybody wants to read about.
        _abandon_stdout()
        return 1
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        _abandon_stdout()
        return _fail(f"output cannot be written: {error.strerror}")


def _fail_at_command_line(error: Any) -> int:
    """Tell what is wrong with the arguments in one line; a command without any is answered with its help."""
    message = OLD_OPTIONS.get(getattr(error, "option_name", ""), error.format_message())
    if "\n" in message.strip():
        typer.echo(message, err=True)
        return int(error.exit_code)
    where = error.ctx.command_path if getattr(error, "ctx", None) is not None else "pointree"
    return _fail(f"{message.rstrip('.')}; see {where} --help")


def _fail(message: str) -> int:
    """Write the message on one line of standard error; return the exit code."""
    typer.echo(f"pointree: error: {' '.join(message.splitlines())}", err=True)
    return 2


def _abandon_stdout() -> None:
    """Let the interpreter's last flush go nowhere, since it would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
