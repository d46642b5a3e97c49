"""Recompute published numbers from a folder of data, and say how many are equal: `make reproduce DATA=folder`.

The numbers are those of TCPDBench (two versions, every run), ClaSS, CLaP, the study of window sizes, and mir_eval's own
tests; docs/reproducing.md describes the data. Equal means equal to as many decimals as were published.
"""

import sys
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

import segscore as ss
from segscore.compat import mir_eval, tcpdbench

LIMIT = 0.001  # the share of numbers that may differ; docs/reproducing.md gives the reasons
DATA = Path(__file__).parents[2] / "shared" / "data"
SEGMENTATIONS, EXPECTED = "segmentations.parquet", "expected.parquet"
COLUMNS = {
    SEGMENTATIONS: ["dataset", "series", "role", "by", "params", "change_points", "labels"],
    EXPECTED: ["dataset", "series", "n", "truth", "pred", "params", "metric", "value", "decimals", "kind"],
}
NAMES = {
    "tcpdbench_v2": "TCPDBench v2, every run",
    "tcpdbench_v3": "TCPDBench v3, every run",
    "class_stream": "ClaSS, streams",
    "class_stream_sweep": "ClaSS, sweeps",
    "clap_seg": "CLaP, segments",
    "clap_states": "CLaP, states",
    "wss": "window sizes",
    "mir_eval_segment": "mir_eval, in seconds",
    "mir_eval_frames": "mir_eval, in frames",
}


def f1_at_a_hundredth(truth, pred, n):
    """Return TCPDBench's F1 with a margin of a hundredth of the series."""
    return tcpdbench.f_measure({"truth": truth}, pred, margin=int(n * 0.01))


def margin_scores(truth, pred, n, labels, metrics):
    """Return what ClaSS, CLaP and the study of window sizes say: TCPDBench's scores, one truth, a relative margin."""
    scores = {
        "f1_margin_int(0.01n)": f1_at_a_hundredth(truth, pred, n),
        "covering": tcpdbench.covering({"truth": truth}, pred, n),
    }
    if "ami_labels" in metrics:
        sides = [ss.Segmentation(cuts, names, n=n) for cuts, names in zip((truth, pred), labels, strict=True)]
        scores["ami_labels"] = ss.adjusted_mutual_information(*sides)
    return scores


def song_scores(truth, pred, n, labels, second=1000, **options):
    """Return what mir_eval says of two songs."""
    sides = []
    for cuts, names in zip((truth, pred), labels, strict=True):
        times = [cut / second for cut in (0, *cuts, n)]
        sides += [list(pairwise(times)), names]
    return {f"mir_eval:{name}": value for name, value in mir_eval.segment.evaluate(*sides, **options).items()}


def frame_scores(truth, pred, n, labels):
    """Return what mir_eval says of two sequences of frames: songs with frames of one second."""
    return song_scores(truth, pred, n, labels, second=1, frame_size=1.0)


def read(file, **options):
    """Return a Parquet file as a table, or exit with one sentence."""
    try:
        return pl.read_parquet(file, **options)
    except (pl.exceptions.PolarsError, OSError) as error:
        sys.exit(f"{file} cannot be read ({' '.join(str(error).split())}); expected a complete Parquet file")


def runs(data):
    """Return a row for each run that was scored: both sides, with labels, and the published numbers."""
    # Of a song there is one run, and its params say something else on each side.
    params = pl.when(pl.col("dataset").str.starts_with("mir_eval")).then(pl.lit("")).otherwise("params").alias("params")
    sides = read(data / SEGMENTATIONS, columns=COLUMNS[SEGMENTATIONS]).with_columns(params)
    methods, truths = sides.filter(pl.col("role") == "method"), sides.filter(pl.col("role") != "method")
    published = read(data / EXPECTED, columns=COLUMNS[EXPECTED]).filter(pl.col("kind") == "published")
    found = (
        published.with_columns(params)
        .group_by("dataset", "series", "n", "truth", "pred", "params", maintain_order=True)
        .agg("metric", "value", "decimals")
        .join(methods.rename({"by": "pred"}), on=["dataset", "series", "pred", "params"], how="left")
        .join(
            truths.rename({"by": "truth"}).unique(["dataset", "series", "truth"], keep="first", maintain_order=True),
            on=["dataset", "series", "truth"],
            how="left",
            suffix="_true",
        )
    )
    people = truths.filter(pl.col("dataset") == "tcpd").group_by("series").agg(people=pl.col("change_points"))
    return found.join(people, on="series", how="left", maintain_order="left")


def scores(run):
    """Return our number for each that was published of a run."""
    source = run["dataset"].split("/")[0]
    truth, pred, n = run["change_points_true"], run["change_points"], run["n"]
    labels = run["labels_true"], run["labels"]
    if source.startswith("tcpdbench"):
        theirs = tcpdbench.scores(dict(enumerate(run["people"])), pred, n, margin=5)
        return {f"tcpd_{name}": value for name, value in theirs.items()}
    if source == "mir_eval_segment":
        return song_scores(truth, pred, n, labels)
    if source == "mir_eval_frames":
        return frame_scores(truth, pred, n, labels)
    return margin_scores(truth, pred, n, labels, run["metric"])


def is_equal(ours, published, decimals):
    """Whether a number was published as ours, rounded; NumPy and Python differ in how they round what lies between."""
    if abs(ours - published) <= 0.5 * 10.0**-decimals:
        return True
    return any(rounded(ours, decimals) == rounded(published, decimals) for rounded in (round, np.round))


class Count:
    """How many numbers were compared, and how many are equal."""

    def __init__(self):
        self.rows = self.equal = self.with_n = 0
        self.largest = 0.0

    def add(self, ours, published, decimals, with_n):
        """Compare one number; ``with_n`` is ours if the prediction had a cut at n as well, where that may be."""
        self.rows += 1
        if is_equal(ours, published, decimals):
            self.equal += 1
            return
        self.with_n += with_n is not None and is_equal(with_n, published, decimals)
        self.largest = max(self.largest, abs(ours - published))


def reproduce(data=DATA):
    """Return a Count for each source and metric.

    The data holds the cuts inside a series alone. Some detectors also reported n, which counts as one more false alarm
    in the published F1; a number that is equal only with it is counted apart.
    """
    table = defaultdict(Count)
    for run in runs(data).iter_rows(named=True):
        source, n = run["dataset"].split("/")[0], run["n"]
        ours = scores(run)
        for metric, value, decimals in zip(run["metric"], run["value"], run["decimals"], strict=True):
            with_n = None
            if metric == "f1_margin_int(0.01n)":
                with_n = f1_at_a_hundredth(run["change_points_true"], [*run["change_points"], n], n)
            table[source, metric].add(ours[metric], value, decimals, with_n)
    return table


def missing(data):
    """Return what a folder of data lacks, and what is read from it; nothing where it is complete."""
    files = [file for file in COLUMNS if not (data / file).is_file()]
    found = f"{data} has no {' and no '.join(files)}"
    if not files:
        lacks = {file: set(COLUMNS[file]) - set(read(data / file, n_rows=0).columns) for file in COLUMNS}
        if not any(lacks.values()):
            return ""
        found = "; ".join(
            f"{data / file} has no column {', '.join(sorted(lack))}" for file, lack in lacks.items() if lack
        )
    return f"""{found}; expected a folder with two Parquet files (make reproduce DATA=folder):
  {SEGMENTATIONS}, one row per segmentation: {", ".join(COLUMNS[SEGMENTATIONS])}
  {EXPECTED}, one row per published number: {", ".join(COLUMNS[EXPECTED])}
The numbers are published by TCPDBench, ClaSS, CLaP, window-size-selection and mir_eval. docs/reproducing.md says where,
and describes each column."""


def main(arguments):
    """Print a row for each source."""
    data = Path(arguments[0]) if arguments else DATA
    if lack := missing(data):
        print(lack, file=sys.stderr)
        return 1
    start = time.perf_counter()
    table = reproduce(data)
    if not table:
        print(f"{data / EXPECTED} has no number of the kind 'published'; expected at least one", file=sys.stderr)
        return 1
    print(f"{'source':<26} {'rows':>8} {'equal':>8} {'with n':>7}  largest difference")
    for source in [source for source in NAMES if any(of == source for of, _ in table)]:
        counts = [count for (of, _), count in table.items() if of == source]
        rows, equal, with_n = (sum(getattr(count, field) for count in counts) for field in ("rows", "equal", "with_n"))
        largest = max(count.largest for count in counts)
        print(f"{NAMES[source]:<26} {rows:>8,} {equal:>8,} {with_n:>7}  {f'{largest:.2g}' if largest else ''}")
    rows, equal, with_n = (sum(getattr(c, field) for c in table.values()) for field in ("rows", "equal", "with_n"))
    print(f"{'all':<26} {rows:>8,} {equal:>8,} {with_n:>7}  in {time.perf_counter() - start:.1f} s")
    for (source, metric), c in table.items():
        if c.equal + c.with_n < c.rows:
            others = c.rows - c.equal - c.with_n
            print(f"not equal: {NAMES[source]}, {metric}: {others} of {c.rows}, by at most {c.largest:.2g}")
    if rows - equal > LIMIT * rows:
        print(f"{rows - equal:,} of {rows:,} numbers differ; expected at most {LIMIT:.1%}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
