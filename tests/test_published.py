"""What others computed on real segmentations: every row whose definition is one of ours, to the decimals given."""

import math
import re
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import segscore as ss

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


# Rows whose definition is not one of ours, and why.
OTHER = {
    "tcpd_": "adds a cut at 0, matches in the order of a set, precision against the union of the annotators",
    "f1_margin_int(0.01n)": "TCPDBench's rule: adds a cut at 0",
    "mir_eval:": "samples frames of 0.1 s, or counts the ends as cuts",
    "ruptures:precision": "excludes the margin itself; a true cut uses up several predictions",
    "ruptures:recall": "excludes the margin itself; a true cut uses up several predictions",
    "aeon:prediction_ratio": "a ratio of counts, which is no score here",
}


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


def test_equal_to_what_others_published(segmentations, expected, capsys):
    checked, wrong, absent = Counter(), [], Counter()
    for row in expected:
        metric = row["metric"]
        if metric not in SAME:
            assert metric.startswith(tuple(OTHER)), metric
            continue
        if row["kind"] == "peer_error":
            continue
        dataset, series = row["dataset"], row["series"]
        annotated = ANNOTATED.get(dataset, dataset)
        truth = segmentations.get((annotated, series, row["truth"], None))
        truth = truth or segmentations.get((SCORED.get(dataset), series, row["truth"], None))
        by_run = (dataset, series, row["pred"], row["params"])
        pred = segmentations.get(by_run) or segmentations.get((dataset, series, row["pred"], None))
        pred = pred or segmentations.get((SCORED.get(dataset), series, row["pred"], None))
        if truth is None or pred is None or truth.n != pred.n:
            absent[metric] += 1
            continue
        if "labels" not in metric:
            truth, pred = (getattr(side, "segmentation", side) for side in (truth, pred))
        value = SAME[metric](truth, pred, None, row["params"])
        theirs = math.nan if row["value"] is None else row["value"]  # what is not finite is stored as nothing
        # Given to 15 decimals, but made of logarithms that cancel: exact arithmetic shows theirs to be off by 1e-12.
        tolerance = 0.5 * 10.0 ** -row["decimals"] + 2e-12 * max(1.0, abs(theirs))
        if not (
            value == theirs or abs(value - theirs) <= tolerance or (math.isnan(theirs) and not math.isfinite(value))
        ):
            wrong.append((metric, dataset, series, row["truth"], row["pred"], row["params"], row["value"], value))
        checked[metric] += 1
    with capsys.disabled():
        print("\nrows equal to what others computed, per metric:")
        for metric, count in sorted(checked.items()):
            print(f"  {metric:<40} {count:>6}" + (f"  ({absent[metric]} without both sides)" if absent[metric] else ""))
    assert not wrong, (len(wrong), Counter(w[0] for w in wrong), [w[-2:] for w in wrong[:5]])
    assert set(checked) == set(SAME)
    assert not absent
