"""What others computed on real segmentations: every row, to the decimals given.

The rows whose definition is one of ours, by our own functions; those that name a peer, by its replacement; and those
that were published, by the script that reproduces them.
"""

import functools
import importlib
import math
import os
import re
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import oracle
import polars as pl
import pyarrow.parquet as pq
import pytest

import segscore as ss
from segscore import compat

ROOT = Path(__file__).parents[1]
EPS = sys.float_info.epsilon


def at_k(score, **options):
    def scored(truth, pred, n, params):
        return score(truth, pred, n=n, k=int(re.search(r"k=(\d+)", params)[1]), **options)

    return scored


def plain(score, **options):
    return lambda truth, pred, n, params: score(truth, pred, n=n, **options)


def pairs(field, times=2):
    return lambda truth, pred, n, params: times * getattr(ss.pair_counts(truth, pred, n=n), field)


SAME = {
    "sklearn:ri": plain(ss.rand_index),
    "sklearn:ari": plain(ss.adjusted_rand_index),
    "sklearn:mi_nats": plain(ss.mutual_information),
    "sklearn:nmi_arith": plain(ss.normalized_mutual_information),
    "sklearn:ami_arith": plain(ss.adjusted_mutual_information),
    "sklearn:homogeneity": plain(ss.homogeneity),
    "sklearn:completeness": plain(ss.completeness),
    "sklearn:v_measure": plain(ss.v_measure),
    "sklearn:fowlkes_mallows": plain(ss.fowlkes_mallows_index),
    "sklearn:pcm_00": pairs("neither"),
    "sklearn:pcm_01": pairs("pred_only"),
    "sklearn:pcm_10": pairs("truth_only"),
    "sklearn:pcm_11": pairs("both"),
    "ruptures:randindex": plain(ss.rand_index),
    "ruptures:hamming": plain(ss.rand_distance),
    "ruptures:hausdorff": plain(ss.hausdorff),
    "ruptures:meantime": plain(ss.mean_error),
    "aeon:hausdorff_error": plain(ss.hausdorff),
    "aeon:count_error": plain(ss.count_error),
    "segeval:pk": plain(ss.pk),
    "segeval:windowdiff": plain(ss.window_diff),
    "segeval:windowdiff_lamprier": plain(ss.window_diff, lamprier=True),
    "segeval:boundary_similarity_nt2": plain(ss.boundary_similarity),
    "segeval:segmentation_similarity_nt2": plain(ss.segmentation_similarity),
    "pk": plain(ss.pk),
    "windowdiff_segeval": plain(ss.window_diff),
    "windowdiff_lamprier": plain(ss.window_diff, lamprier=True),
    "boundary_similarity": plain(ss.boundary_similarity),
    "segmentation_similarity": plain(ss.segmentation_similarity),
    "nltk:pk": at_k(ss.pk),
    "nltk:windowdiff": at_k(ss.window_diff),
    "nltk:windowdiff_weighted": at_k(ss.window_diff, weighted=True),
    "nltk:ghd": plain(ss.generalized_hamming),
    "covering": plain(ss.covering),
    "sklearn:labels_ri": plain(ss.rand_index),
    "sklearn:labels_ari": plain(ss.adjusted_rand_index),
    "sklearn:labels_mi_nats": plain(ss.mutual_information),
    "sklearn:labels_nmi_arith": plain(ss.normalized_mutual_information),
    "sklearn:labels_ami_arith": plain(ss.adjusted_mutual_information),
    "sklearn:labels_homogeneity": plain(ss.homogeneity),
    "sklearn:labels_completeness": plain(ss.completeness),
    "sklearn:labels_v_measure": plain(ss.v_measure),
    "sklearn:labels_fowlkes_mallows": plain(ss.fowlkes_mallows_index),
    "sklearn:labels_pcm_00": pairs("neither"),
    "sklearn:labels_pcm_01": pairs("pred_only"),
    "sklearn:labels_pcm_10": pairs("truth_only"),
    "sklearn:labels_pcm_11": pairs("both"),
    "ami_labels": plain(ss.adjusted_mutual_information),
}


def ends(score):
    return lambda truth, pred, n, params: score(truth.to_ends(), pred.to_ends())


def side_of(which, margin):
    def scored(truth, pred, n, params):
        return compat.ruptures.precision_recall(truth.to_ends(), pred.to_ends(), margin=margin)[which]

    return scored


def labels(score, **options):
    return lambda truth, pred, n, params: score(labels_of(truth), labels_of(pred), **options)


@functools.lru_cache(maxsize=8)
def labels_of(side):
    """A label per point: the segment's number, or that of its label."""
    if side.labels is not None:
        number = {label: k for k, label in enumerate(dict.fromkeys(side.labels))}
        lengths = side.to_lengths()
        return np.repeat(np.array([number[label] for label in side.labels]), lengths)
    return side.to_labels()


def confused(row, column):
    return labels(lambda *sides: compat.sklearn.pair_confusion_matrix(*sides)[row, column])


def masses(score, **options):
    return lambda truth, pred, n, params: float(score(pred.lengths, truth.lengths, **options))


@functools.lru_cache(maxsize=8)
def marks(side):
    return "".join("01"[mark] for mark in side.to_mask()[1:].tolist())


def marked(score, **options):
    def scored(truth, pred, n, params):
        k = re.search(r"k=(\d+)", params)
        return score(marks(truth), marks(pred), **({"k": int(k[1])} if k else {}), **options)

    return scored


@functools.lru_cache(maxsize=8)
def evaluated(truth, pred, unit):
    sides = []
    for side in (truth, pred):
        sides += [side.without_labels().to_intervals() / unit, list(side.labels)]
    return compat.mir_eval.segment.evaluate(*sides, **({"frame_size": 1.0} if unit == 1 else {}))


# What each peer's replacement says, under the name of the row.
PEERS = {
    "ruptures:randindex": ends(compat.ruptures.randindex),
    "ruptures:hamming": ends(compat.ruptures.hamming),
    "ruptures:hausdorff": ends(compat.ruptures.hausdorff),
    "ruptures:meantime": ends(compat.ruptures.meantime),
    "ruptures:precision_margin5": side_of(0, 5),
    "ruptures:precision_margin10": side_of(0, 10),
    "ruptures:recall_margin5": side_of(1, 5),
    "ruptures:recall_margin10": side_of(1, 10),
    "ruptures:precision_recall_margin5": side_of(0, 5),
    "ruptures:precision_recall_margin10": side_of(0, 10),
    "aeon:hausdorff_error": lambda truth, pred, n, params: compat.aeon.hausdorff_error(truth.cuts, pred.cuts),
    "aeon:count_error": lambda truth, pred, n, params: compat.aeon.count_error(truth.cuts, pred.cuts),
    "aeon:prediction_ratio": lambda truth, pred, n, params: compat.aeon.prediction_ratio(truth.cuts, pred.cuts),
    "segeval:pk": masses(compat.segeval.pk),
    "segeval:windowdiff": masses(compat.segeval.window_diff),
    "segeval:windowdiff_lamprier": masses(compat.segeval.window_diff, lamprier_et_al_2007_fix=True),
    "segeval:boundary_similarity_nt2": masses(compat.segeval.boundary_similarity),
    "segeval:segmentation_similarity_nt2": masses(compat.segeval.segmentation_similarity),
    "nltk:pk": marked(compat.nltk.pk),
    "nltk:windowdiff": marked(compat.nltk.windowdiff),
    "nltk:windowdiff_weighted": marked(compat.nltk.windowdiff, weighted=True),
    "nltk:ghd": marked(compat.nltk.ghd),
}
for prefix in ("sklearn:", "sklearn:labels_"):
    PEERS |= {
        f"{prefix}ri": labels(compat.sklearn.rand_score),
        f"{prefix}ari": labels(compat.sklearn.adjusted_rand_score),
        f"{prefix}mi_nats": labels(compat.sklearn.mutual_info_score),
        f"{prefix}nmi_arith": labels(compat.sklearn.normalized_mutual_info_score),
        f"{prefix}ami_arith": labels(compat.sklearn.adjusted_mutual_info_score),
        f"{prefix}homogeneity": labels(compat.sklearn.homogeneity_score),
        f"{prefix}completeness": labels(compat.sklearn.completeness_score),
        f"{prefix}v_measure": labels(compat.sklearn.v_measure_score),
        f"{prefix}fowlkes_mallows": labels(compat.sklearn.fowlkes_mallows_score),
        f"{prefix}pcm_00": confused(0, 0),
        f"{prefix}pcm_01": confused(0, 1),
        f"{prefix}pcm_10": confused(1, 0),
        f"{prefix}pcm_11": confused(1, 1),
    }


def peer_score(row):
    """What the replacement of the peer that a row names says, or nothing."""
    metric = row["metric"]
    if metric.startswith("mir_eval:"):
        unit = 1 if row["dataset"] == "mir_eval_frames" else 1000
        return lambda truth, pred, n, params: evaluated(truth, pred, unit)[metric.removeprefix("mir_eval:")]
    return PEERS.get(metric)


# Where the annotators of a set of methods stand, and the methods of a set of annotators.
ANNOTATED = {"tcpdbench_v2": "tcpd", "tcpdbench_v3": "tcpd"}
SCORED = {"segeval/HEARST_1997_STARGAZER": "segeval/HYPOTHESIS_STARGAZER"}


@pytest.fixture(scope="module")
def segmentations(published_data):
    table = pq.read_table(published_data / "segmentations.parquet")
    columns = [
        table[name].to_pylist() for name in ("dataset", "series", "by", "params", "n", "change_points", "labels")
    ]
    found = {}
    for dataset, series, by, params, n, cuts, labels in zip(*columns, strict=True):
        segmentation = ss.Segmentation(cuts, labels or None, n=n)
        found[dataset, series, by, params] = segmentation
        found.setdefault((dataset, series, by, None), segmentation)
    return found


@pytest.fixture(scope="module")
def expected(published_data):
    # Row by row of one pair, so that what all its rows need is made once.
    rows = pq.read_table(published_data / "expected.parquet").to_pylist()
    return sorted(rows, key=lambda row: [row[name] for name in ("dataset", "series", "truth", "pred", "params")])


def tolerance(row, theirs):
    """Half of the last decimal given, and 4 units in the last place of the number, or of 1 where it is smaller.

    A peer's adjusted mutual information is off by more, as exact arithmetic shows: its logarithms cancel.
    """
    slack = 2e-12 if re.search(r"ami|Adjusted Mutual", row["metric"]) else 4 * EPS
    return 0.5 * 10.0 ** -row["decimals"] + slack * max(1.0, abs(theirs))


def check(segmentations, expected, score_of, tolerance=tolerance):
    """Compare every row that score_of has a function for; return the rows checked and those that differ."""
    checked, wrong = Counter(), []
    for row in expected:
        score = score_of(row)
        if score is None:
            continue
        dataset, series = row["dataset"], row["series"]
        annotated = ANNOTATED.get(dataset, dataset)
        truth = segmentations.get((annotated, series, row["truth"], None))
        truth = truth or segmentations.get((SCORED.get(dataset), series, row["truth"], None))
        by_run = (dataset, series, row["pred"], row["params"])
        pred = segmentations.get(by_run) or segmentations.get((dataset, series, row["pred"], None))
        pred = pred or segmentations.get((SCORED.get(dataset), series, row["pred"], None))
        assert truth is not None and pred is not None and truth.n == pred.n, row
        if "labels" not in row["metric"] and not row["metric"].startswith("mir_eval"):
            truth, pred = truth.without_labels(), pred.without_labels()
        value = score(truth, pred, None, row["params"])
        checked[row["metric"]] += 1
        if row["kind"] == "peer_error":  # the peer failed: there is a value here
            assert isinstance(value, float | int), row
            continue
        theirs = math.nan if row["value"] is None else row["value"]  # what is not finite is stored as nothing
        if not (
            value == theirs
            or abs(value - theirs) <= tolerance(row, theirs)
            or (math.isnan(theirs) and not math.isfinite(value))
        ):
            wrong.append((row["metric"], dataset, series, row["truth"], row["pred"], row["params"], theirs, value))
    return checked, wrong


def show(capsys, title, checked):
    with capsys.disabled():
        print(f"\n{title}:")
        for metric, count in sorted(checked.items()):
            print(f"  {metric:<40} {count:>6}")


@pytest.mark.slow
def test_equal_to_what_others_published(segmentations, expected, capsys):
    def ours(row):
        return SAME.get(row["metric"]) if row["kind"] != "peer_error" and short(row) not in INFORMATION else None

    checked, wrong = check(segmentations, expected, ours)
    show(capsys, "rows equal to what others computed, per metric", checked)
    assert not wrong, (len(wrong), Counter(w[0] for w in wrong), [w[-2:] for w in wrong[:5]])
    assert {name for name in SAME if not name.endswith(INFORMATION)} == set(checked)


# scikit-learn's are sums of logarithms that cancel; so ours are compared with what 40 digits give.
INFORMATION = ("mi_nats", "nmi_arith", "homogeneity", "completeness", "v_measure")


def short(row):
    return row["metric"].removeprefix("sklearn:").removeprefix("labels_")


def side_of_table(side):
    """The cuts of a segmentation and the label of each segment, for the oracle."""
    labels = side.labels if side.labels is not None else range(len(side) + 1)
    return side.cuts, labels


@pytest.mark.slow
def test_information_within_its_error_of_more_digits(segmentations, expected, capsys):
    @functools.lru_cache(maxsize=2)
    def exact(truth, pred):
        values = oracle.information_by_decimals(*side_of_table(truth), *side_of_table(pred), truth.n)
        return dict(zip(INFORMATION, values, strict=True))

    errors, theirs = Counter(), Counter()

    def ours(row):
        if short(row) not in INFORMATION:
            return None

        def scored(truth, pred, n, params):
            value, wanted = SAME[row["metric"]](truth, pred, n, params), exact(truth, pred)[short(row)]
            whole = max(Decimal(1), wanted)
            errors[row["metric"]] = max(errors[row["metric"]], abs(Decimal(value) - wanted) / whole)
            theirs[row["metric"]] = max(theirs[row["metric"]], abs(Decimal(row["value"]) - wanted) / whole)
            return value

        return scored

    checked, wrong = check(segmentations, expected, ours, tolerance=lambda row, theirs: math.inf)
    show(capsys, "rows compared with 40 digits, per metric", checked)
    assert not wrong and {name for name in SAME if name.endswith(INFORMATION)} == set(checked)
    assert max(errors.values()) < 4 * EPS, errors  # our own error
    assert max(theirs.values()) < 2e-12, theirs  # theirs: the rows are of the same scores


@pytest.mark.slow
def test_replacements_equal_to_their_peers(segmentations, expected, capsys):
    checked, wrong = check(segmentations, expected, peer_score)
    show(capsys, "rows equal to a peer's, by its replacement, per metric", checked)
    assert not wrong, (len(wrong), Counter(w[0] for w in wrong), [w[-2:] for w in wrong[:5]])
    named = {row["metric"] for row in expected if ":" in row["metric"]}
    assert set(checked) == named


@pytest.fixture
def reproduce(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    return importlib.import_module("reproduce")


def test_published_tables_are_reproduced(reproduce, published_data):
    table = reproduce.reproduce(published_data)
    published = sum(count.rows for count in table.values())
    assert published == 177_051
    for (source, metric), count in table.items():
        others = count.rows - count.equal - count.with_n
        if metric == "mir_eval:Adjusted Mutual Information":  # mir_eval's own sum is off by that, ours by 1e-16
            assert count.largest < 6e-15
        else:
            assert others == 0, (source, metric, others, count.largest)
    assert sum(count.with_n for count in table.values()) == 92


FORMAT = """; expected a folder with two Parquet files (make reproduce DATA=folder):
  segmentations.parquet, one row per segmentation: dataset, series, role, by, params, change_points, labels
  expected.parquet, one row per published number: dataset, series, n, truth, pred, params, metric, value, decimals, kind
The numbers are published by TCPDBench, ClaSS, CLaP, window-size-selection and mir_eval. docs/reproducing.md says where,
and describes each column.
"""


def test_reproducing_without_data_is_a_failure(reproduce, tmp_path, capsys):
    def complaint():
        assert reproduce.main([str(tmp_path)]) == 1
        out, err = capsys.readouterr()
        assert not out and err.endswith(FORMAT)
        return err.removesuffix(FORMAT)

    assert complaint() == f"{tmp_path} has no segmentations.parquet and no expected.parquet"
    for name in ("segmentations", "expected"):
        pl.DataFrame({column: [] for column in reproduce.COLUMNS[f"{name}.parquet"]}).write_parquet(
            tmp_path / f"{name}.parquet"
        )
        if name == "segmentations":
            assert complaint() == f"{tmp_path} has no expected.parquet"
    assert reproduce.missing(tmp_path) == ""
    pl.read_parquet(tmp_path / "expected.parquet").drop("n", "value").write_parquet(tmp_path / "expected.parquet")
    assert complaint() == f"{tmp_path}/expected.parquet has no column n, value"


def own_folder(folder, values, kind="published"):
    side = {"dataset": "wss", "series": "s", "params": ""}
    sides = [("truth", "truth", [30]), ("method", "m", [30, 60])]
    rows = [{**side, "role": role, "by": by, "change_points": cuts, "labels": None} for role, by, cuts in sides]
    pl.DataFrame(rows).write_parquet(folder / "segmentations.parquet")
    number = {**side, "n": 100, "truth": "truth", "pred": "m", "metric": "covering", "decimals": 3, "kind": kind}
    pl.DataFrame([{**number, "value": value} for value in values]).write_parquet(folder / "expected.parquet")


def test_reproducing_a_folder_of_ones_own(reproduce, tmp_path, capsys):
    own_folder(tmp_path, [0.7])
    assert reproduce.main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[1].split() == ["window", "sizes", "1", "1", "0"]


def test_reproducing_fails_if_too_many_numbers_differ(reproduce, tmp_path, capsys):
    for wrong, code, complaint in (
        (1, 0, ""),
        (2, 1, "2 of 1,000 numbers differ; expected at most 0.1%\n"),
    ):
        own_folder(tmp_path, [0.7] * (1000 - wrong) + [0.8] * wrong)
        assert reproduce.main([str(tmp_path)]) == code
        assert capsys.readouterr().err == complaint


def test_reproducing_fails_if_there_is_no_number(reproduce, tmp_path, capsys):
    own_folder(tmp_path, [0.7], kind="computed")
    assert reproduce.main([str(tmp_path)]) == 1
    complaint = f"{tmp_path}/expected.parquet has no number of the kind 'published'; expected at least one\n"
    assert capsys.readouterr() == ("", complaint)


@pytest.mark.parametrize("name", ["segmentations", "expected"])
@pytest.mark.parametrize("start", [0, 4])
def test_reproducing_fails_if_a_file_cannot_be_read(tmp_path, name, start):
    own_folder(tmp_path, [0.7])
    file = tmp_path / f"{name}.parquet"
    whole = file.read_bytes()
    # Without a footer the file is not Parquet; with a footer and without its data, only reading the rows fails.
    file.write_bytes(b"x" * 100 if start == 0 else whole[:start] + b"\xff" * 60 + whole[start + 60 :])
    command = [sys.executable, ROOT / "examples" / "reproduce.py", tmp_path]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith(f"{file} cannot be read (")
    assert found.stderr.endswith("); expected a complete Parquet file\n") and found.stderr.count("\n") == 1


def test_absent_data_that_is_asked_for_is_a_failure(tmp_path):
    test = f"{__file__}::test_published_tables_are_reproduced"
    run = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(ROOT), test]
    asked = {**os.environ, "SEGSCORE_DATA": str(tmp_path)}
    found = subprocess.run(run, env=asked, cwd=ROOT, capture_output=True, text=True)
    sentence = "has no segmentations.parquet; expected the published data (docs/reproducing.md describes it)"
    assert found.returncode == 1 and f"{tmp_path} {sentence}" in found.stdout, found.stdout
