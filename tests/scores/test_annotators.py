"""Several annotators: the definitions in full, TCPDBench's and segeval's numbers, chance by all predictions."""

import math
import re
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import oracle
import polars as pl
import pytest
import segeval
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import _core, compat

PEOPLE = {"Ada": [4, 8], "Ben": [4], "Cid": [5, 9]}


def rand_index(truth, pred, n):
    return oracle.rand_index(*oracle.pair_counts(truth, pred, n))


def test_the_example_of_the_spec():
    scores = ss.annotated(PEOPLE, [4, 9], n=12, metrics=["rand_index"])
    assert scores.probabilistic_rand_index == pytest.approx(28 / 33, rel=1e-15)
    expected = Fraction(3757, 5445)
    normalized = (Fraction(28, 33) - expected) / (1 - expected)
    assert scores.normalized_probabilistic_rand_index == pytest.approx(float(normalized), rel=1e-14)
    assert scores.f1 is scores.precision is scores.recall is None
    assert list(scores) == ["rand_index"]


def test_the_examples_of_tcpdbench():
    assert ss.annotated({1: [10, 20], 2: [11, 20], 3: [10], 4: [5]}, [10, 20], n=45, margin=5).f1 == 1.0
    scores = ss.annotated({1: [], 2: [10], 3: [50]}, [10], n=99, margin=5)
    assert scores.f1 == pytest.approx(0.9090909090909091, rel=1e-15)
    assert ss.annotated({1: [], 2: [10], 3: [50]}, [], n=99, margin=5).f1 == pytest.approx(0.8, rel=1e-15)
    assert ss.annotated({1: [], 2: [10], 3: [40]}, [10], n=45).covering == pytest.approx(0.7954144620811286, rel=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(1, 6))
def test_the_probabilistic_index_is_that_of_pairs_and_their_chance_to_be_together(n):
    for people in combinations(list(oracle.segmentations(n)), min(3, 2 ** (n - 1))):
        labels = [oracle.labels(cuts, n) for cuts in people]
        for pred in oracle.segmentations(n):
            of_pred = oracle.labels(pred, n)
            total = Fraction(0)
            for x, y in combinations(range(n), 2):
                chance = Fraction(sum(side[x] == side[y] for side in labels), len(labels))
                total += chance if of_pred[x] == of_pred[y] else 1 - chance
            wanted = total / comb(n, 2) if n > 1 else 1
            found = ss.annotated(people, pred, n=n).probabilistic_rand_index
            assert found == pytest.approx(float(wanted), rel=1e-14)


@pytest.mark.parametrize("n", range(1, 8))
def test_chance_is_the_mean_over_all_predictions(n):
    everything = list(oracle.segmentations(n))
    for truth in everything:
        for r in range(n):
            preds = [pred for pred in everything if len(pred) == r]
            mean = sum(rand_index(truth, pred, n) for pred in preds) / len(preds)
            for pred in preds[:1]:
                scores = ss.annotated([truth], pred, n=n)
                score = rand_index(truth, pred, n)
                wanted = 1.0 if mean == 1 else float((score - mean) / (1 - mean))
                assert scores.normalized_probabilistic_rand_index == pytest.approx(wanted, abs=1e-13)


def exact_disagreement(lengths, n, r):
    def missed(length):
        return Fraction(comb(n - length, r + 2), comb(n, r + 2)) if length + r + 2 <= n else Fraction(0)

    together = Fraction(n * (n - 1 - r), r + 2)
    both = together * (r + 2 - sum(1 - missed(length) for length in lengths)) / (r + 1)
    return together + sum(comb(length, 2) for length in lengths) - 2 * both


@given(st.data())
def test_chance_keeps_its_digits_at_any_length(data):
    n = data.draw(st.sampled_from([2, 9, 300, 2000, 10**6, 10**9, 10**12]))
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=12)))
    r = data.draw(st.integers(0, min(n - 1, 400)))
    truth = ss.Segmentation(cuts, n=n)
    wanted = exact_disagreement(truth.lengths, n, r)
    found = _core.expected_disagreement(truth._cuts, n, r)
    assert found == pytest.approx(float(wanted), rel=1e-14, abs=1e-300)


def test_chance_by_a_data_set():
    others = [[3], [3, 7], [9]]
    scores = ss.annotated(PEOPLE, [4, 9], n=12, dataset=others)
    expected = sum(rand_index(cuts, other, 12) for cuts, other in product(PEOPLE.values(), others)) / 9
    rand = Fraction(28, 33)
    assert scores.normalized_probabilistic_rand_index == pytest.approx(float((rand - expected) / (1 - expected)))


def tcpdbench(people, pred, margin):
    """TCPDBench's scores with the largest matching, found by trying all."""
    sets = [sorted({0, *cuts}) for cuts in people]
    found = sorted({0, *pred})
    union = sorted(set().union(*sets))
    precision = Fraction(oracle.matching(union, found, margin)[0], len(found))
    recall = sum(Fraction(oracle.matching(cuts, found, margin)[0], len(cuts)) for cuts in sets) / len(sets)
    return precision, recall, 2 * precision * recall / (precision + recall)


@given(st.data())
def test_precision_recall_and_f1_are_those_of_the_definition(data):
    n = 30
    cuts = st.sets(st.integers(1, n - 1), max_size=5).map(sorted)
    people, pred, margin = (
        data.draw(st.lists(cuts, min_size=1, max_size=3)),
        data.draw(cuts),
        data.draw(st.integers(0, 4)),
    )
    scores = ss.annotated(people, pred, n=n, margin=margin)
    wanted = tcpdbench(people, pred, margin)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx([float(x) for x in wanted], rel=1e-14)
    theirs = compat.tcpdbench.f_measure(dict(enumerate(people)), pred, margin=margin, return_PR=True)
    assert scores.precision >= theirs[1] - 1e-15  # as many as can be
    assert scores.recall >= theirs[2] - 1e-15
    assert scores.covering == pytest.approx(compat.tcpdbench.covering(dict(enumerate(people)), pred, n), rel=1e-14)


def test_any_score_over_the_annotators():
    scores = ss.annotated(PEOPLE, [4, 9], n=12, margin=1)
    for name in ss.compare([4], [9], n=12, margin=1):
        each = [ss.compare(cuts, [4, 9], n=12, margin=1, metrics=[name])[name] for cuts in PEOPLE.values()]
        assert scores[name] == pytest.approx((sum(each) / 3, min(each), max(each)))
    assert scores["covering"].mean == pytest.approx(scores.covering)


def test_chance_that_leaves_no_room():
    assert ss.annotated([[4]], [5], n=12, dataset=[[4]]).normalized_probabilistic_rand_index == -math.inf
    assert ss.annotated([[4]], [4], n=12, dataset=[[4]]).normalized_probabilistic_rand_index == 1.0
    labelled = ss.Segmentation([4, 8], "aba", n=12)
    assert ss.annotated([labelled], [4, 8]).normalized_probabilistic_rand_index is None
    assert ss.annotated([labelled], [4, 8], dataset=[[3]]).normalized_probabilistic_rand_index is not None


def test_names_as_an_iterator_and_the_length_of_the_prediction():
    pred = ss.Segmentation([4], n=12)
    assert list(ss.annotated([[4], [5]], pred, metrics=(x for x in ["rand_index", "covering"]))) == [
        "rand_index",
        "covering",
    ]


def test_annotators_who_are_one_object():
    same = ss.Segmentation([4], n=12)
    as_lists = ss.agreement({"a": [4], "b": [4], "c": [9]}, n=12, metric="f1", margin=1)
    found = ss.agreement({"a": same, "b": same, "c": [9]}, metric="f1", margin=1)
    assert found.leave_one_out == as_lists.leave_one_out
    near = ss.agreement([[4], [8]], n=12, metric="boundary_similarity", n_t=5)
    assert near.matrix[0, 1] == ss.boundary_similarity([4], [8], n=12, n_t=5)


def test_agreement():
    found = ss.agreement(PEOPLE, n=12, metric="covering")
    people = list(PEOPLE.values())
    assert found.names == ("Ada", "Ben", "Cid")
    for i, j in product(range(3), repeat=2):
        assert found.matrix[i, j] == ss.covering(people[i], people[j], n=12)
    assert found.mean == pytest.approx(sum(found.matrix[i, j] for i in range(3) for j in range(3) if i != j) / 6)
    for k, name in enumerate(PEOPLE):
        others = {other: cuts for other, cuts in PEOPLE.items() if other != name}
        assert found.leave_one_out[name] == pytest.approx(ss.annotated(others, people[k], n=12).covering)
    assert found.human == pytest.approx(sum(found.leave_one_out.values()) / 3)
    by_f1 = ss.agreement(PEOPLE, n=12, metric="f1", margin=0)
    for k, name in enumerate(PEOPLE):
        others = {other: cuts for other, cuts in PEOPLE.items() if other != name}
        assert by_f1.leave_one_out[name] == ss.annotated(others, people[k], n=12, margin=0).f1
    assert isinstance(found.pi, float) and isinstance(found.kappa, float)
    assert ss.agreement([[3], [3]], n=9).mean == 1.0


def test_agreement_beyond_chance_is_that_of_segeval():
    for data in (segeval.HEARST_1997_STARGAZER, segeval.KAZANTSEVA2012_G5, segeval.KAZANTSEVA2012_G2):
        items = {
            item: {coder: ss.Segmentation.from_lengths(masses) for coder, masses in coders.items()}
            for item, coders in data.items()
        }
        for n_t in (2, 4):
            assert ss.fleiss_pi(items, n_t=n_t) == pytest.approx(
                float(segeval.fleiss_pi_linear(data, n_t=n_t)), rel=1e-15
            )
            assert ss.cohen_kappa(items, n_t=n_t) == pytest.approx(
                float(segeval.fleiss_kappa_linear(data, n_t=n_t)), rel=1e-15
            )


def test_agreement_of_one_and_of_many_items():
    one = {"Ada": [4, 8], "Ben": [4]}
    assert ss.fleiss_pi(one, n=12) == ss.fleiss_pi([one], n=12) == ss.fleiss_pi({"text": one}, n={"text": 12})
    assert ss.fleiss_pi([one, one], n=[12, 12]) == ss.fleiss_pi([one, one], n=12)
    assert ss.fleiss_pi(list(one.values()), n=12) == ss.fleiss_pi(one, n=12)
    assert ss.agreement(one, n=12).pi == ss.fleiss_pi(one, n=12)
    assert ss.agreement(one, n=12).kappa == ss.cohen_kappa(one, n=12)
    assert ss.fleiss_pi({"Ada": [], "Ben": []}, n=12) == 1.0  # segeval fails
    assert ss.fleiss_pi([range(1, 5), range(1, 5)], n=5) == 1.0  # everybody cuts everything


def test_labels_are_compared_where_the_score_can():
    song = ss.Segmentation([4, 7], "ABA", n=10)
    other = ss.Segmentation([5], "AB", n=10)
    found = ss.agreement([song, other], metric="rand_index")
    assert found.matrix[0, 1] == ss.rand_index(song, other)
    assert found.pi == ss.agreement([[4, 7], [5]], n=10).pi


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ss.annotated({}, [3], n=9), ValueError, "annotators is empty; expected at least one annotator"),
        (
            lambda: ss.annotated({"Ada": [3, 2]}, [3], n=9),
            ValueError,
            r"annotator 'Ada': cuts\[1\] = 2 does not exceed",
        ),
        (lambda: ss.annotated({"Ada": [3]}, [3.5], n=9), TypeError, r"pred: cuts\[0\] = 3.5 is a float"),
        (lambda: ss.annotated([[3]], [3], n=9, metrics=["rand"]), ValueError, "did you mean 'rand_index'"),
        (lambda: ss.annotated([[3]], [3], n=9, dataset=[]), ValueError, "dataset is empty"),
        (lambda: ss.annotated(3, [3], n=9), TypeError, "annotators is 3; expected a mapping from names to cuts"),
        (
            lambda: ss.annotated([ss.Segmentation([3], n=9), ss.Segmentation([3], n=8)], [3]),
            ValueError,
            "annotator 1 has n = 8 but the others have n = 9; expected one length",
        ),
        (lambda: ss.agreement([[3]], n=9), ValueError, "there is 1 annotator; expected at least two"),
        (lambda: ss.agreement([[3], [4]], n=9, metric="f1"), TypeError, "f1 has no margin"),
        (
            lambda: ss.fleiss_pi([{"a": [3], "b": [4]}, {"a": [3], "c": [4]}], n=9),
            ValueError,
            r"items have different annotators, \['a', 'b'\] and \['a', 'c'\]; expected the same in each",
        ),
        (lambda: ss.fleiss_pi([{"a": [3], "b": [4]}], n=[9, 9]), ValueError, "n has 2 lengths for 1 item"),
        (lambda: ss.fleiss_pi([{"a": [3], "b": [4]}], n={"x": 9}), ValueError, "n and items have different keys"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_results_are_readable():
    text = repr(ss.annotated(PEOPLE, [4, 9], n=12, margin=1, metrics=["covering"]))
    assert text.splitlines()[:3] == [
        "score                                all annotators    mean     min     max",
        "covering                                     0.8167  0.8167  0.7500  0.8500",
        "f1                                           1.0000",
    ]
    assert math.isfinite(np.asarray(ss.agreement(PEOPLE, n=12).matrix).sum())


def test_metrics_with_options():
    found = ss.annotated(PEOPLE, [4, 9], n=12, metrics=["f1(margin=1)", "window_diff(k=2)"])
    for name, function, options in (
        ("f1(margin=1)", ss.f1, {"margin": 1}),
        ("window_diff(k=2)", ss.window_diff, {"k": 2}),
    ):
        each = [function(cuts, [4, 9], n=12, **options) for cuts in PEOPLE.values()]
        assert found[name] == (pytest.approx(np.mean(each)), min(each), max(each))
    for text, metric, options in (
        ("f1(margin=1)", "f1", {"margin": 1}),
        ("boundary_similarity(n_t=4)", "boundary_similarity", {"n_t": 4}),
    ):
        one, other = ss.agreement(PEOPLE, n=12, metric=text), ss.agreement(PEOPLE, n=12, metric=metric, **options)
        assert one.matrix.tolist() == other.matrix.tolist() and one.leave_one_out == other.leave_one_out
    sides = list(PEOPLE.values())
    matrix = ss.agreement(PEOPLE, n=12, metric="window_diff(k=2)").matrix
    assert matrix[0, 1] == ss.window_diff(sides[0], sides[1], n=12, k=2)
    message = "f1(margin=1,beta=2): only margin is supported with several annotators; expected f1(margin=...)"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.agreement(PEOPLE, n=12, metric="f1(margin=1,beta=2)")


NAMES = ("annotated_precision", "annotated_recall", "annotated_f1", "annotated_covering")
SETS = st.lists(st.lists(st.integers(1, 39), unique=True, max_size=6).map(sorted), min_size=1, max_size=4)


@given(SETS, SETS.map(lambda sets: sets[0]), st.integers(0, 6))
def test_tables_have_the_scores_of_annotated_bit_for_bit(people, pred, margin):
    wanted = ss.annotated(people, pred, n=40, margin=margin, metrics=[])
    table = pl.DataFrame({"truth": [people], "pred": [pred], "n": [40]}, schema=KINDS)
    row = ss.score(table, metrics=[*NAMES, "covering"], margin=margin).row(0, named=True)
    found = {name.partition("(")[0]: value for name, value in row.items()}
    assert [found[name] for name in NAMES] == [wanted.precision, wanted.recall, wanted.f1, wanted.covering]
    assert found["covering"] == found["annotated_covering"]
    for name in NAMES:
        options = {"margin": margin} if ss.METRICS[name].needs_margin else {}
        assert getattr(ss, name)(people, pred, n=40, **options) == found[name]
    text = table.with_columns(truth=pl.lit(str(people)), pred=pl.lit(str(pred)))
    assert ss.score(text, metrics=NAMES, margin=margin)[f"annotated_f1(margin={margin})"].item() == wanted.f1


KINDS = {"truth": pl.List(pl.List(pl.Int64)), "pred": pl.List(pl.Int64), "n": pl.Int64}


@given(SETS.filter(lambda sets: len(sets) > 1), SETS.map(lambda sets: sets[0]))
def test_scores_against_the_others_leave_out_each_annotator(people, pred):
    metrics = ["annotated_f1(margin=2)", "rand_index"]
    table = pl.DataFrame({"truth": [people], "pred": [pred], "n": [40]}, schema=KINDS)
    found = ss.score(table, metrics=metrics, against="others").row(0, named=True)
    sets = [[cuts for j, cuts in enumerate(people) if j != k] for k in range(len(people))]
    each = ss.score(
        pl.DataFrame({"truth": sets, "pred": [pred] * len(sets), "n": [40] * len(sets)}, schema=KINDS),
        metrics=metrics,
    )
    for name in metrics:
        assert found[name] == pytest.approx(each[name].mean(), rel=1e-14)


def test_metrics_of_several_annotators_by_every_road():
    table = pl.DataFrame(
        {"series": ["a", "a"], "method": ["x", "y"], "truth": [[3], [3]], "pred": [[4], []], "n": [9, 9]}
    )
    found = ss.score(table, metrics=["annotated_f1(margin=1)", "annotated_f1"], margin=0)
    assert found["annotated_f1(margin=1)"].to_list() == [1.0, ss.annotated_f1([[3]], [], n=9, margin=1)]
    assert found["annotated_f1(margin=0)"].to_list() == [0.5, ss.annotated_f1([[3]], [], n=9, margin=0)]
    assert ss.leaderboard(found, "annotated_f1(margin=1)").methods == ["x", "y"]
    assert ss.metric("annotated_f1", margin=5.0) == "annotated_f1(margin=5)"
    several = [metric for metric in ss.METRICS.values() if metric.family == "annotators"]
    assert all(metric.only_tables for metric in several)
    assert [metric.name for metric in several] == list(NAMES)
    message = (
        r"^annotated_f1 compares a prediction with several annotators; expected a table with several annotators "
        r"\(segscore\.score\(\)\), or segscore\.annotated_f1\(\)$"
    )
    for refused in (
        lambda: ss.compare([3], [4], n=9, metrics=["annotated_f1"], margin=1),
        lambda: ss.rand_test([3], [4], n=9, metric="annotated_f1", margin=1),
        lambda: ss.pairwise([[3], [4]], n=9, metric="annotated_f1", margin=1),
        lambda: ss.agreement([[3], [4]], n=9, metric="annotated_f1", margin=1),
    ):
        with pytest.raises(ValueError, match=message):
            refused()
    with pytest.raises(TypeError, match=r"^annotated_f1 has no margin; expected margin= \(0 for the same cut\)$"):
        ss.score(table, metrics=["annotated_f1"], relative_margin=0.1)
    with pytest.raises(TypeError, match=r"^annotated_f1 has no margin; expected margin= \(0 for the same cut\)$"):
        ss.annotated_f1([[3]], [3], n=9, margin=None)
    with pytest.raises(
        ValueError, match=r"^row 0: truth has one annotator; with against='others', expected at least two$"
    ):
        ss.score(table, metrics=["rand_index"], against="others")
    with pytest.raises(ValueError, match=r"^against = 'none' is unknown; expected 'all' or 'others'$"):
        ss.score(table, metrics=["rand_index"], against="none")


# ---- in time ----

POINTS = "counts points; expected n=, not duration= (count whole units such as milliseconds"
SECONDS = {"Ada": [12.5, 30.0], "Ben": [13.0], "Cid": [11.75, 33.25]}


def test_scores_in_time_by_hand():
    # Margin 1: the start counts; 12.0 matches 12.5, 13.0 and 11.75, and 31.5 nothing.
    scores = ss.annotated(SECONDS, [12.0, 31.5], duration=60, margin=1, metrics=["rand_index"])
    assert scores.precision == 2 / 3
    assert scores.recall == pytest.approx((2 / 3 + 2 / 2 + 2 / 3) / 3, rel=1e-15)
    assert scores.f1 == pytest.approx(2 / (1 / scores.precision + 1 / scores.recall), rel=1e-15)
    each = [ss.rand_index(cuts, [12.0, 31.5], duration=60) for cuts in SECONDS.values()]
    assert scores.probabilistic_rand_index == scores["rand_index"].mean == sum(each) / 3
    assert scores["rand_index"][1:] == (min(each), max(each))
    coverings = [ss.covering(cuts, [12.0, 31.5], duration=60) for cuts in SECONDS.values()]
    assert scores.covering == sum(coverings) / 3
    chance = np.mean([ss.expected_rand_distance(cuts, 2, duration=60) for cuts in SECONDS.values()])
    wanted = 1 - (1 - scores.probabilistic_rand_index) / chance
    assert scores.normalized_probabilistic_rand_index == pytest.approx(wanted, rel=1e-13)
    for part in ("precision", "recall", "f1"):
        found = getattr(ss, f"annotated_{part}")(SECONDS, [12.0, 31.5], duration=60, margin=1)
        assert found == getattr(scores, part)
    assert ss.annotated_covering(SECONDS, [12.0, 31.5], duration=60) == scores.covering


@given(st.data())
def test_scores_in_time_on_the_grid_are_those_in_points(data):
    n = data.draw(st.integers(2, 30))
    cuts = st.sets(st.integers(1, n - 1), max_size=6).map(sorted)
    people, pred = data.draw(st.lists(cuts, min_size=1, max_size=4)), data.draw(cuts)
    margin = data.draw(st.integers(0, 4))
    scale = 0.125
    in_points = ss.annotated(people, pred, n=n, margin=margin, metrics=["covering", "f1", "window_diff(k=2)"])
    scaled = [[c * scale for c in side] for side in (*people, pred)]
    options = {"metrics": ["covering", "f1", f"window_diff(k={2 * scale})"], "margin": margin * scale}
    in_time = ss.annotated(scaled[:-1], scaled[-1], duration=n * scale, **options)
    for name in ("precision", "recall", "f1", "covering"):
        assert getattr(in_time, name) == pytest.approx(getattr(in_points, name), rel=1e-14)
    for one, other in zip(in_points.values(), in_time.values(), strict=True):
        assert other == pytest.approx(one, rel=1e-12, abs=1e-12, nan_ok=True)


def test_the_duration_of_any_side_is_that_of_all():
    known = ss.Segmentation([12.0, 31.5], duration=60)
    wanted = ss.annotated(SECONDS, [12.0, 31.5], duration=60, margin=1)
    assert ss.annotated(SECONDS, known, margin=1) == wanted
    assert ss.annotated({**SECONDS, "Ben": ss.Segmentation([13.0], duration=60)}, [12.0, 31.5], margin=1) == wanted
    other = ss.annotated(SECONDS, known, dataset=[[20.0], known], metrics=[])
    mean = np.mean([ss.rand_distance(a, b, duration=60) for a in SECONDS.values() for b in ([20.0], known)])
    found = other.normalized_probabilistic_rand_index
    assert found == pytest.approx(1 - (1 - other.probabilistic_rand_index) / mean, rel=1e-13)


@pytest.mark.parametrize("metric", ["rand_index", "covering", "pk(k=2.5)", "window_diff", "f1(margin=1)", "v_measure"])
def test_agreement_in_time(metric):
    found = ss.agreement(SECONDS, duration=60, metric=metric)
    name, options = metric.split("(")[0], eval(f"dict({metric.partition('(')[2] or ')'}")
    for i, truth in enumerate(SECONDS.values()):
        for j, pred in enumerate(SECONDS.values()):
            assert found.matrix[i, j] == getattr(ss, name)(truth, pred, duration=60, **options)
    if name == "f1":
        others = {key: cuts for key, cuts in SECONDS.items() if key != "Ada"}
        assert found.leave_one_out["Ada"] == ss.annotated_f1(others, SECONDS["Ada"], duration=60, margin=1)
    assert math.isnan(found.pi) and math.isnan(found.kappa)
    assert "pi" not in repr(found).splitlines()[0]
    assert found == ss.agreement(
        {key: ss.Segmentation(cuts, duration=60) for key, cuts in SECONDS.items()}, metric=metric
    )


def test_tables_in_time_score_against_all_annotators():
    rows = {"truth": [list(SECONDS.values())], "pred": [[12.0, 31.5]], "end": [60.0]}
    names = ["annotated_f1", "annotated_precision", "annotated_recall", "annotated_covering", "pk"]
    found = ss.score(pl.DataFrame(rows), duration="end", margin=1, metrics=names).row(0, named=True)
    scores = ss.annotated(SECONDS, [12.0, 31.5], duration=60, margin=1, metrics=["pk"])
    for name in ("f1", "precision", "recall", "covering"):
        column = f"annotated_{name}" + ("" if name == "covering" else "(margin=1)")
        assert found[column] == pytest.approx(getattr(scores, name), rel=1e-15)
    assert found["pk"] == pytest.approx(scores["pk"].mean, rel=1e-15)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        *(
            (
                lambda f=f: getattr(ss, f)(SECONDS, duration=60),
                ValueError,
                f"{f} {POINTS}, or use agreement with a metric)",
            )
            for f in ("fleiss_pi", "cohen_kappa")
        ),
        (
            lambda: ss.fleiss_pi({name: ss.Segmentation(cuts, duration=60) for name, cuts in SECONDS.items()}),
            ValueError,
            f"fleiss_pi {POINTS}, or use agreement with a metric)",
        ),
        (
            lambda: ss.agreement(SECONDS, duration=60, metric="boundary_similarity"),
            ValueError,
            f"boundary_similarity {POINTS}, or use f1 with margin=)",
        ),
        (
            lambda: ss.annotated(SECONDS, [12.0], n=60, duration=60),
            TypeError,
            "annotator 'Ada': n= and duration= exclude each other; expected one of them",
        ),
        (
            lambda: ss.annotated(SECONDS, ss.Segmentation([12.0], duration=61), duration=60),
            ValueError,
            "pred has duration = 61.0 but the others have duration = 60.0; expected one length",
        ),
        (
            lambda: ss.annotated(SECONDS, ss.Segmentation([12], n=60), duration=60),
            TypeError,
            "pred: cuts is a Segmentation in points; in time expected a sequence of times, or Segmentation(..., duration=)",
        ),
        (
            lambda: ss.annotated([[3.5]], [4], n=9),
            TypeError,
            "annotator 0: cuts[0] = 3.5 is a float; cuts must be integers (use int(), or duration= for real-valued time)",
        ),
    ],
)
def test_what_is_wrong_in_time_is_said(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()
