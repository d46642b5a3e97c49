"""The command line: `segscore --help`."""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
import warnings
from typing import Any, NoReturn

import segscore as ss

from ..optional import library

for name in ("click", "rich"):  # before the modules that import them as they are
    library(name, extra="cli")

import click  # noqa: E402

from . import boards, cuts, results, studies, tables  # noqa: E402
from .printing import echo  # noqa: E402

__all__ = ["main"]

HELP = {"help_option_names": ["-h", "--help"]}


class Commands(click.Group):
    """The group of commands, which prints an error as one line with a remedy.

    An error exits with code 2, Ctrl-C with 130; ``--debug`` shows the traceback.
    """

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:  # noqa: ANN401
        """Read the arguments before the command, with errors in one line."""
        if sys.stdout is None:  # standard output is closed: what is printed raises an error
            sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
        try:
            return super().make_context(*args, **kwargs)
        except KeyboardInterrupt:
            _end_interrupted()
        except (click.ClickException, OSError) as error:
            if "broken pipe" in str(error).lower():
                raise
            _refuse(error)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run a command, with errors in one line."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", UserWarning)
                warnings.showwarning = _warn
                result = super().invoke(ctx)
            sys.stdout.flush()  # so that a closed pipe raises here, and not when Python ends
            return result
        except (click.Abort, click.exceptions.Exit):
            raise
        except KeyboardInterrupt:
            _end_interrupted()
        except BaseException as error:
            # A panic of Polars is not derived from Exception.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            if "broken pipe" in str(error).lower():  # the reader of the output has closed the pipe
                _discard_output()
                ctx.exit(1)
            if ctx.params.get("debug"):
                echo(traceback.format_exc(), err=True, nl=False)
                sys.exit(1)
            _refuse(error, self.commands.get(ctx.invoked_subcommand or ""))


def _end_interrupted() -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C changes nothing
    click.echo("segscore: interrupted", err=True)
    sys.exit(130)


def _warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Print a warning for the user as one line; warnings for developers are not shown."""
    if category is UserWarning:
        echo(f"segscore: {message}", err=True)


def _discard_output() -> None:
    """Discard what is not printed yet, so that Python does not try to print it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _in_options(text: str, command: click.Command | None) -> str:
    """Return an error in the words of the command line.

    For example, --margin stands for margin=, --ends for ends=True, --failures worst for failures='worst', and segscore
    score for segscore.score(). An alternative for which there is no option or command is left out. Metrics with
    options, as f1(margin=5), stay.
    """
    options = {} if command is None else {p.name: p.opts[-1] for p in command.params if isinstance(p, click.Option)}

    def option(match: re.Match[str]) -> str:
        alternative, name, value = match.groups()
        if name not in options:
            return "" if alternative else match[0]
        return alternative + options[name] + (f" {value}" if value else "")

    def named(match: re.Match[str]) -> str:
        alternative, name = match.groups()
        if name not in main.commands:
            return "" if alternative else match[0]
        return f"{alternative}segscore {name}"

    if "no_labels" in options:
        text = text.replace(".without_labels()", "--no-labels")
    text = re.sub(r"((?:,? or )?)\bsegscore\.([a-z_0-9]+)\(\)", named, text)
    text = re.sub(r"((?:,? or )?)\b([a-z_]+)=(?:True|'([a-z_]+)')?(?=[\s,;)]|$)", option, text)
    return re.sub(r"^([a-z_]+) =(?= )", lambda match: options.get(match[1], match[0]), text)


def _refuse(error: BaseException, command: click.Command | None = None) -> NoReturn:
    """Print in one line what is wrong and how to mend it, and exit."""
    full = re.fullmatch(r"(?:\[Errno 28\] )?(No space left on device)(?: \(os error 28\))?", str(error))
    why = full and full[1]  # errors of other outputs name them
    try:
        sys.stdout.flush()
    except OSError as failure:
        why = failure.strerror
        _discard_output()
    if why:
        error = OSError(f"standard output cannot be written: {why}; expected an open file or pipe with space")
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else f"segscore {command.name}" if command else "segscore"
        remedy = f"; see {path} --help"
    elif isinstance(error, ValueError | TypeError | OSError | ImportError | click.ClickException):
        remedy = ""
    else:
        remedy = f" ({type(error).__name__}; segscore --debug ... shows where)"
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option) and error.param.help:
        text = f"{error.param.opts[0]} is missing; expected {error.param.help[0].lower()}{error.param.help[1:]}"
    else:
        text = error.format_message() if isinstance(error, click.ClickException) else _in_options(str(error), command)
    echo(f"segscore: {' '.join(text.split()).rstrip('.') or type(error).__name__}{remedy}", err=True)
    sys.exit(2)


@click.group("segscore", cls=Commands, context_settings=HELP, invoke_without_command=True)
@click.version_option(ss.__version__, prog_name="segscore")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def main(context: click.Context, debug: bool) -> None:
    """How good is a segmentation? segscore computes all scores of the field from the cuts alone.

    \b
    segscore compare truth.lab pred.lab
    segscore convert talk.TextGrid talk.parquet
    segscore score runs.parquet -o scores.parquet --metrics f1 --margin 5
    segscore run study.py -o runs.parquet
    segscore report runs.parquet -o report.html
    segscore demo
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    *(cuts.compare, cuts.matrix, cuts.consensus, cuts.convert, cuts.metrics),
    *(studies.run, tables.score, boards.summary),
    *(results.report, results.plot, results.demo),
):
    main.add_command(command)
