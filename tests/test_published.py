"""What others computed on real segmentations: every row, to the decimals given.

The rows whose definition is one of ours, by our own functions; those that name a peer, by its replacement; and those
that were published, by the script that reproduces them.
"""

import functools
import math
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import segscore as ss
from segscore import compat

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason=f"needs the published data in {DATA.name}")


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
    if isinstance(side, ss.LabelledSegmentation):
        number = {label: k for k, label in enumerate(dict.fromkeys(side.labels))}
        lengths = side.segmentation.to_lengths()
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
        sides += [side.segmentation.to_intervals() / unit, list(side.labels)]
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
def segmentations():
    table = pq.read_table(DATA / "segmentations.parquet")
    columns = [
        table[name].to_pylist() for name in ("dataset", "series", "by", "params", "n", "change_points", "labels")
    ]
    found = {}
    for dataset, series, by, params, n, cuts, labels in zip(*columns, strict=True):
        segmentation = ss.LabelledSegmentation(cuts, labels, n=n) if labels else ss.Segmentation(cuts, n=n)
        found[dataset, series, by, params] = segmentation
        found.setdefault((dataset, series, by, None), segmentation)
    return found


@pytest.fixture(scope="module")
def expected():
    return pq.read_table(DATA / "expected.parquet").to_pylist()


def check(segmentations, expected, score_of, slack=2e-12):
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
            truth, pred = (getattr(side, "segmentation", side) for side in (truth, pred))
        value = score(truth, pred, None, row["params"])
        checked[row["metric"]] += 1
        if row["kind"] == "peer_error":  # the peer failed: there is a value here
            assert isinstance(value, float | int), row
            continue
        theirs = math.nan if row["value"] is None else row["value"]  # what is not finite is stored as nothing
        # Given to 15 decimals, but made of logarithms that cancel: exact arithmetic shows theirs to be off by 1e-12.
        is_adjusted = re.search(r"ami|Adjusted Mutual", row["metric"])
        tolerance = 0.5 * 10.0 ** -row["decimals"] + (2e-12 if is_adjusted else slack) * max(1.0, abs(theirs))
        if not (
            value == theirs or abs(value - theirs) <= tolerance or (math.isnan(theirs) and not math.isfinite(value))
        ):
            wrong.append((row["metric"], dataset, series, row["truth"], row["pred"], row["params"], theirs, value))
    return checked, wrong


def show(capsys, title, checked):
    with capsys.disabled():
        print(f"\n{title}:")
        for metric, count in sorted(checked.items()):
            print(f"  {metric:<40} {count:>6}")


def test_equal_to_what_others_published(segmentations, expected, capsys):
    def ours(row):
        return SAME.get(row["metric"]) if row["kind"] != "peer_error" else None

    checked, wrong = check(segmentations, expected, ours)
    show(capsys, "rows equal to what others computed, per metric", checked)
    assert not wrong, (len(wrong), Counter(w[0] for w in wrong), [w[-2:] for w in wrong[:5]])
    assert set(checked) == set(SAME)


def test_replacements_equal_to_their_peers(segmentations, expected, capsys):
    # Row by row of one pair, so that what all its rows need is made once.
    rows = sorted(expected, key=lambda row: (row["dataset"], row["series"], row["truth"], row["pred"], row["params"]))
    checked, wrong = check(segmentations, rows, peer_score, slack=4 * sys.float_info.epsilon)
    show(capsys, "rows equal to a peer's, by its replacement, per metric", checked)
    assert not wrong, (len(wrong), Counter(w[0] for w in wrong), [w[-2:] for w in wrong[:5]])
    named = {row["metric"] for row in expected if ":" in row["metric"]}
    assert set(checked) == named


def test_published_tables_are_reproduced(capsys):
    sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
    try:
        import reproduce
    finally:
        sys.path.pop(0)
    table = reproduce.reproduce(DATA)
    published = sum(count.rows for count in table.values())
    assert published == 177_051
    for (source, metric), count in table.items():
        others = count.rows - count.equal - count.with_n
        if metric == "mir_eval:Adjusted Mutual Information":  # mir_eval's own sum is off by that, ours by 1e-16
            assert count.largest < 6e-15
        else:
            assert others == 0, (source, metric, others, count.largest)
    assert sum(count.with_n for count in table.values()) == 92
