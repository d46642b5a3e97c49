"""Files of segmentations on the command line: their options, and how they are read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import segscore as ss

from ..arguments import exclusive
from ..files import FORMATS
from ..files.codecs.cuts import cuts_on_disk, integers, is_list
from ..files.formats import format_to_read
from ..files.text import REAL
from ..showing import path_text
from .printing import INTEGER, NUMBER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FILES", "FILE_OR_CUTS", "Reading", "length_of", "paired", "reading", "without_labels"]

WORD = r"\s*[+-]?[0-9]{1,18}\s*"


class CutsType(click.Path):
    """A file or a folder of segmentations, or a list of cuts like 3,8."""

    def __init__(self) -> None:
        super().__init__(exists=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the path of a file, or an array of cuts."""
        import numpy as np

        text = os.fspath(value)
        if os.path.exists(text) and text:
            return super().convert(value, param, ctx)
        inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
        words = inner.split(",") if inner.strip() else []
        if all(re.fullmatch(WORD, word) for word in words):
            return integers(words, text)
        if all(REAL.fullmatch(word.strip()) for word in words):
            return np.array([float(word) for word in words])
        self.fail(
            f"{text!r:.60} is neither a file nor a list; expected a file of cuts, or numbers like 3,8", param, ctx
        )


FILE_OR_CUTS = CutsType()
FILES = click.Path(exists=True, dir_okay=False, path_type=Path)

READING = (
    click.option("--n", type=INTEGER, help="The length of the sequence in points."),
    click.option("--duration", type=NUMBER, help="The length in seconds, for cuts in time."),
    click.option(
        "--sizes",
        type=click.Path(exists=True, dir_okay=False),
        help="A file with a series and its length per line, as chrom.sizes.",
    ),
    click.option("--ends", is_flag=True, help="All inputs end with the length, as in ruptures."),
    click.option(
        "--format",
        type=click.Choice(list(FORMATS)),
        metavar="FORMAT",
        help=f"The format of the input files, by default told by the suffix: {', '.join(FORMATS)}.",
    ),
    click.option("--series", help="The series, in files with several."),
    click.option("--tier", help="The annotator, method or tier, in files with several."),
    click.option("--unit", type=NUMBER, help="The seconds per unit of the numbers in files; 1e-7 for HTK."),
    click.option("--gap-label", help="The label of gaps between segments; without it, gaps have none, or are errors."),
    click.option(
        "--overlap-label", help="The label of overlaps; without it, they have the labels of both, or are errors."
    ),
    click.option(
        "--tolerance",
        type=NUMBER,
        help="Gaps and overlaps in seconds up to which they are closed; by default the precision of the format.",
    ),
    click.option("--clip", is_flag=True, help="Cut off what lies after the end."),
)
OPTION_NAMES = [name for name in list(signature(ss.read).parameters)[1:] if name != "like"]


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how files are read; the command gets them as ``reader``, a `Reading`."""

    def wrapped(*args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        command(*args, reader=Reading({name: kwargs.pop(name) for name in OPTION_NAMES}), **kwargs)

    wrapped.__doc__ = command.__doc__
    wrapped.__name__ = command.__name__
    wrapped.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
    made: Callable[..., None] = wrapped
    for option in reversed(READING):
        made = option(made)
    return made


class Reading:
    """The options of the command line that say how files are read."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.changes: list[str] = []  # changes made by reading, one line per file

    def read(self, path: Path, **options: Any) -> ss.Segmentations:  # noqa: ANN401
        """Return the segmentations of a file."""
        found = ss.read(path, **{**self.options, **options})
        if found.changes:
            self.changes.append(f"{path_text(path)}: {'; '.join(found.changes)}")
        return found

    @contextmanager
    def sides(self, inputs: Sequence[Path | NDArray[Any]]) -> Iterator[list[Any]]:
        """Give one side per input: a segmentation, or the plain cuts of a list or file, mapped from disk.

        Plain cuts are in time if another input is.
        """
        own = {
            k: self.read(each).only()
            for k, each in enumerate(inputs)
            if isinstance(each, Path) and not self._is_plain(each)
        }
        duration = next((each.duration for each in own.values()), self.options["duration"])
        with ExitStack() as stack:
            sides: list[Any] = []
            for k, each in enumerate(inputs):
                if k in own or not isinstance(each, Path):
                    sides.append(own.get(k, each))
                elif duration is not None or self._is_timed():
                    sides.append(self.read(each, duration=duration).only())
                else:
                    sides.append(stack.enter_context(cuts_on_disk(each, self._format(each))))
            yield sides

    @contextmanager
    def truth_and_pred(self, truth: Any, pred: Any) -> Iterator[list[Any]]:  # noqa: ANN401
        """Give a truth and a prediction as `sides` does; a prediction that ends elsewhere gets the truth's length."""
        is_given = any(self.options[name] not in (None, False) for name in ("n", "duration", "sizes", "ends"))
        if is_given or not all(isinstance(each, Path) for each in (truth, pred)) or self._is_plain(truth):
            with self.sides([truth, pred]) as sides:
                yield sides
            return
        like = self.read(truth).only()
        yield [like, self.read(pred, like=like).only()]

    def every(self, paths: Sequence[Path]) -> list[tuple[str, Any]]:
        """Return all segmentations of several files, and the plain cuts of others, each with its name."""
        import numpy as np

        found: list[tuple[str, Any]] = []
        for path in paths:
            name = click.format_filename(path)
            if self._is_plain(path) and not self._is_timed():
                with cuts_on_disk(path, self._format(path)) as cuts:
                    found.append((name, np.array(cuts)))
                continue
            every = self.read(path)
            for (series, tier), each in every.items():
                about = ", ".join(part for part in (series, tier) if part)
                found.append((name if len(every) == 1 else f"{name} ({about})", each))
        return found

    def length(self, sides: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        """Return the arguments that give the length, or none if all sides are segmentations, which have a length."""
        if all(isinstance(side, ss.Segmentation) for _, side in sides):
            return {}
        for _, side in sides:
            if isinstance(side, ss.Segmentation):
                return {"n": side.n} if side.duration is None else {"duration": side.duration}
        if self.options["duration"] is not None:
            return {"duration": self.options["duration"]}
        return {"n": length_of(sides, self.options["n"], self.options["ends"])}

    def _is_timed(self) -> bool:
        return self.options["duration"] is not None or self.options["unit"] is not None

    def _format(self, path: Path) -> str:
        return format_to_read(path, self.options["format"]).name

    def _is_plain(self, given: Path) -> bool:
        """Return whether a file holds only cuts, without a length of its own."""
        name = self._format(given)
        return name in ("text", "npy") or (name == "json" and is_list(given))


def paired(truths: Path, preds: Path) -> tuple[list[tuple[str, Path, Path]], list[Path]]:
    """Return the files of two folders that have one name, without the suffix, and all other files."""
    left, right = _files_by_name(truths), _files_by_name(preds)
    pairs = [(name, path, right[name]) for name, path in left.items() if name in right]
    if not pairs:
        raise ValueError(
            f"{path_text(truths)} and {path_text(preds)} have no files of one name; expected pairs such as a.lab and "
            "a.jams"
        )
    alone = [path for side, other in ((left, right), (right, left)) for name, path in side.items() if name not in other]
    return pairs, alone


def _files_by_name(folder: Path) -> dict[str, Path]:
    """Return the files in a folder that are not hidden, by their paths in the folder without the suffix."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if not path.is_file() or any(part.startswith(".") for part in inside.parts):
            continue
        other = found.setdefault(inside.with_suffix("").as_posix(), path)
        if other != path:
            raise ValueError(f"{path_text(other)} and {path_text(path)} have one name; expected one file per name")
    return found


def without_labels(side: Any) -> Any:  # noqa: ANN401
    """Return a segmentation without labels; plain cuts stay as they are."""
    return side.without_labels() if isinstance(side, ss.Segmentation) else side


def length_of(sides: Sequence[tuple[str, Any]], n: int | None, ends: bool) -> int:
    """Return the given length, or the length with which all inputs end."""
    exclusive({"n=": n is not None, "ends=True": ends})
    if n is not None:
        return n
    if not ends:
        raise TypeError("there is no length; expected n=, or ends=True for inputs that end with the length")
    (first, length), *others = ((name, _end(name, cuts)) for name, cuts in sides)
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
