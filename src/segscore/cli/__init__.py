"""The command line: `segscore --help`."""

from __future__ import annotations

from typing import Any

import click

import segscore as ss

from . import cuts, seeing, tables

__all__ = ["main"]

HELP = {"help_option_names": ["-h", "--help"]}


class Commands(click.Group):
    """Errors are one line and a remedy, exit code 2; Ctrl-C is 130; --debug shows where it happened."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run a command."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except KeyboardInterrupt:
            click.echo("segscore: interrupted", err=True)
            ctx.exit(130)
        except Exception as error:
            if ctx.params.get("debug"):
                raise
            ours = isinstance(error, ValueError | TypeError | OSError | ImportError)
            remedy = "" if ours else f" ({type(error).__name__}; segscore --debug ... shows where)"
            click.echo(f"segscore: {_one_line(error)}{remedy}", err=True)
            ctx.exit(2)


@click.group(cls=Commands, context_settings=HELP)
@click.version_option(ss.__version__, prog_name="segscore")
@click.option("--debug", is_flag=True, help="Show the trace of an error.")
def main(debug: bool) -> None:
    """How good is a segmentation? Every score, exact, from the cuts alone.

    \b
    segscore compare truth.txt pred.txt --n 1000
    segscore score runs.parquet -o scores.parquet --metrics rand_index,f1 --margin 5
    segscore report runs.parquet -o report.html
    segscore demo
    """


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


for command in (
    *(cuts.compare, cuts.matrix, cuts.consensus, cuts.metrics),
    *(tables.score, tables.summary),
    *(seeing.report, seeing.plot, seeing.demo),
):
    main.add_command(command)
