"""The commands for files of cuts: compare, metrics, matrix, consensus."""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import segscore as ss

from .. import _core
from ..catalog import parsed
from .printing import complete_metrics, names_of, print_csv, print_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Given = Path | NDArray[np.int64]


class CutsType(click.Path):
    """A file of cuts, or a list of cuts like 3,8."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the path of a file, or an array of cuts."""
        text = os.fspath(value)
        if os.path.exists(text) and text:
            return super().convert(value, param, ctx)
        inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
        words = inner.split(",") if inner.strip() else []
        if all(re.fullmatch(NUMBER, word) for word in words):
            return _integers(words, text)
        self.fail(
            f"{text!r:.60} is neither a file nor a list; expected a file of cuts, or integers like 3,8", param, ctx
        )


NUMBER = r"\s*[+-]?[0-9]{1,18}\s*"
REAL = r"\s*[+-]?[0-9]+(\.[0-9]*)?(e[+-]?[0-9]+)?\s*"
CUTS = CutsType()
N = click.option("--n", type=int, help="The length of the sequence.")
ENDS = click.option("--ends", is_flag=True, help="All inputs end with the length, as in ruptures.")


@click.command()
@click.argument("truth", type=CUTS)
@click.argument("pred", type=CUTS)
@N
@ENDS
@click.option(
    "--metrics",
    shell_complete=complete_metrics,
    help="Comma-separated metrics; by default all O(r+s) metrics but delays.",
)
@click.option("--margin", type=float, help="The margin of f1, f1_area and all other metrics that take one.")
@click.option("--format", "style", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
def compare(
    truth: Given, pred: Given, n: int | None, ends: bool, metrics: str | None, margin: float | None, style: str
) -> None:
    """Score two files or lists of cuts.

    A file is text with one cut per line, a JSON list, or .npy; the files may be larger than memory. A list holds
    integers separated by commas; "" is the list without cuts.

    \b
    segscore compare 3,8 4,8 --n 10
    segscore compare truth.txt pred.npy --n 1000000 --format json
    segscore compare 3,8,10 4,8,10 --ends --metrics "f1(margin=1),pk(k=2)"
    """
    with read_cuts(truth) as left, read_cuts(pred) as right:
        n = length_of({"truth": left, "pred": right}, n, ends)
        scores = ss.compare(left, right, n=n, metrics=names_of(metrics), margin=margin).to_dict()
    if style == "json":
        # JSON has neither infinity nor nan; they become the texts "inf", "-inf" and "nan", as in JSON Lines.
        found = {name: value if math.isfinite(value) else str(value) for name, value in scores.items()}
        click.echo(json.dumps(found, indent=2))
    elif style == "csv":
        click.echo("score,value")
        for name, value in scores.items():
            click.echo(f"{name},{value!r}")
    else:
        print_table(
            ["score", "value", "best", "meaning"],
            [
                [name, f"{value:.6g}", f"{known.best:g}", known.meaning]
                for name, value in scores.items()
                for known, _ in [parsed(name)]
            ],
        )


@click.command()
@click.option("--format", "style", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
def metrics(style: str) -> None:
    """List all metrics with their bounds, cost and meaning.

    \b
    segscore metrics
    segscore metrics --format json
    """
    rows = [
        [m.name, m.family, f"{m.best:g}", f"[{m.low:g}, {m.high:g}]", "yes" if m.symmetric else "no", m.cost, m.meaning]
        for m in ss.METRICS.values()
    ]
    head = ["score", "family", "best", "bounds", "symmetric", "cost", "meaning"]
    if style == "json":
        click.echo(json.dumps([dict(zip(head, row, strict=True)) for row in rows], indent=2))
    elif style == "csv":
        print_csv(head, rows)
    else:
        print_table(head, rows)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@N
@ENDS
@click.option("--metric", shell_complete=complete_metrics, default="rand_index", show_default=True)
@click.option("--margin", type=float, help="The margin of f1, f1_area and all other metrics that take one.")
@click.option("--threads", type=int, help="The number of threads; by default the number of cores.")
def matrix(
    paths: Sequence[Path], n: int | None, ends: bool, metric: str, margin: float | None, threads: int | None
) -> None:
    """Print the matrix of a score between all files of cuts, as CSV.

    \b
    segscore matrix a.txt b.txt c.txt --n 1000 --metric "f1(margin=5)"
    """
    sides = [loaded(path) for path in paths]
    n = length_of(zip(map(str, paths), sides, strict=True), n, ends)
    values = ss.pairwise(sides, n=n, metric=metric, margin=margin, threads=threads)
    names = [click.format_filename(path.name) for path in paths]
    print_csv(["", *names], [[name, *map(repr, row)] for name, row in zip(names, values.tolist(), strict=True)])


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@N
@ENDS
def consensus(paths: Sequence[Path], n: int | None, ends: bool) -> None:
    """Print the consensus of several files of cuts.

    The cuts of the consensus go to standard output, one per line. The distances go to standard error.

    \b
    segscore consensus a.txt b.txt c.txt --n 1000
    """
    sides = [loaded(path) for path in paths]
    found = ss.consensus(sides, n=length_of(zip(map(str, paths), sides, strict=True), n, ends))
    for cut in found.segmentation.cuts:
        click.echo(cut)
    click.echo(f"distance from all inputs: {found.distance} pairs", err=True)
    for path, distance in zip(paths, found.distances, strict=True):
        click.echo(f"  {path.name}: {distance}", err=True)


def length_of(
    sides: Mapping[str, NDArray[np.int64]] | Iterable[tuple[str, NDArray[np.int64]]], n: int | None, ends: bool
) -> int:
    """Return the given length, or the length with which all inputs end."""
    if n is not None and ends:
        raise TypeError("n= and ends=True exclude each other; expected one of them")
    if n is not None:
        return n
    if not ends:
        raise TypeError("there is no length; expected n=, or ends=True for inputs that end with the length")
    (first, length), *others = ((name, _end(name, cuts)) for name, cuts in dict(sides).items())
    for name, end in others:
        if end != length:
            raise ValueError(
                f"{name} ends with {end} but {first} ends with {length}; with ends=True, expected all inputs to end "
                "with the length"
            )
    return length


def _end(name: str, cuts: NDArray[np.int64]) -> int:
    if not len(cuts):
        raise ValueError(f"{name} is empty; with ends=True, expected cuts that end with the length")
    return int(cuts[-1])


@contextmanager
def read_cuts(file: Given) -> Iterator[NDArray[np.int64]]:
    """Give the cuts of a file as an array on disk; an array stays as it is.

    A .npy file is mapped directly; a text file is first copied to a temporary array on disk.
    """
    import numpy as np

    if isinstance(file, np.ndarray):
        yield file
        return
    if file.suffix == ".npy":
        try:
            cuts = np.load(file, mmap_mode="r")
        except (ValueError, EOFError) as error:
            raise ValueError(
                f"{file.name} is not a file of cuts ({error}); expected integers that numpy.save wrote"
            ) from None
        yield cuts
        return
    with tempfile.NamedTemporaryFile(prefix="segscore-", suffix=".cuts") as copy:
        for number, words in enumerate(_words(file), 1):
            _integers(words, f"{file.name}, part {number}" if number > 1 else file.name).tofile(copy)
        copy.flush()
        size = os.path.getsize(copy.name)
        yield np.memmap(copy.name, dtype=np.int64, mode="r") if size else np.empty(0, dtype=np.int64)


def _words(file: Path, size: int = 1 << 20) -> Iterator[list[str]]:
    """Yield the numbers of a text or a JSON list, ``size`` characters at a time."""
    is_json = file.suffix == ".json"
    rest, first = "", True
    with file.open(encoding="utf-8-sig") as text:
        while block := text.read(size):
            rest += block
            if is_json and first:
                rest, first = rest.lstrip(), False
                if not rest.startswith("["):
                    raise ValueError(f"{file.name} holds {rest[:20]!r}; expected a JSON list of cuts like [3, 8]")
                rest = rest[1:]
            words = rest.split(",") if is_json else rest.split()
            is_whole = not is_json and rest[-1].isspace()
            rest = words.pop() if words and not is_whole else ""
            yield words
    if is_json:
        rest = rest.rstrip()
        if not rest.endswith("]"):
            raise ValueError(f"{file.name} ends with {rest[-20:]!r}; expected a JSON list of cuts like [3, 8]")
        rest = rest[:-1]
    if rest.strip():
        yield [rest]


def _integers(words: list[str], where: str) -> NDArray[np.int64]:
    import numpy as np

    if re.search(r"[^0-9+\-\s]", "".join(words)) is None:  # int() would also accept underscores
        with suppress(ValueError, OverflowError):
            return np.array(words, dtype=np.int64)
    elif all(re.fullmatch(REAL, word) for word in words):  # as numpy.savetxt writes them
        with suppress(ValueError):
            return np.array(_core.read_text(",".join(words), where), dtype=np.int64)
    wrong = next(word for word in words if not _is_cut(word))
    raise ValueError(f"{where}: {wrong.strip()!r:.40} is not a cut; expected integers below 2**63")


def _is_cut(word: str) -> bool:
    """Return whether a word is an integer, or a real number that is whole and lacks no digit."""
    with suppress(ValueError):
        return re.fullmatch(REAL, word) is not None and bool(_core.read_text(word, "cut"))
    return False


def loaded(file: Path) -> NDArray[np.int64]:
    """Return the cuts of a file as an array in memory."""
    import numpy as np

    with read_cuts(file) as cuts:
        return np.array(cuts)
