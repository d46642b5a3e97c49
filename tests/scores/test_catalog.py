"""The laws, over the whole catalog; and compare, which must agree with each single function."""

import inspect
import math
import re
from fractions import Fraction

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import _core

# Metrics against several annotators compare no two segmentations; tests/scores/test_annotators.py has their laws.
METRICS = {name: metric for name, metric in ss.METRICS.items() if not metric.only_tables}

ALL = pytest.mark.parametrize("name", METRICS)
IN_TIME = pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.in_time])


def undefined(name, truth, pred, n):
    """Whether a score may be nan: no window fits, nothing to be near, no pairs of pairs."""
    if METRICS[name].family == "windows":
        return n <= max(2, round(Fraction(n, 2 * (len(truth) + 1))))
    if name in ("mean_error", "median_error"):
        return (not truth) != (not pred)
    if name in ("mean_delay", "delay_quantile", "miss_rate"):
        return not truth or (name != "miss_rate" and not ss.online(truth, pred, n=n).detected)
    return name == "modified_adjusted_rand_index" and (n < 4 or not ss.pair_counts(truth, pred, n=n).both)


def score(name, truth, pred, **given):
    margin = {"margin": 2} if METRICS[name].needs_margin else {}
    return METRICS[name].function(truth, pred, **margin, **given)


def same(value, other):
    return value == pytest.approx(other, rel=1e-12, abs=1e-12) or (math.isnan(value) and math.isnan(other))


@st.composite
def cases(draw, least=0):
    n = draw(st.integers(least, 40))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted) if n > 1 else st.just([])
    return draw(cuts), draw(cuts), n


@ALL
@given(case=cases())
def test_bounds_identity_symmetry(name, case):
    truth, pred, n = case
    metric = METRICS[name]
    value = score(name, truth, pred, n=n)
    assert metric.low <= value <= metric.high or (math.isnan(value) and undefined(name, truth, pred, n))
    identity = score(name, truth, truth, n=n)
    if math.isfinite(metric.best) and name != "expected_f1":  # a mean over predictions, of which few are the best
        best = identity == pytest.approx(metric.best, abs=1e-12)
        assert best or (math.isnan(identity) and undefined(name, truth, truth, n))
    if metric.symmetric:
        assert same(score(name, pred, truth, n=n), value)


NO_MIRROR = {"boundary_similarity", "segmentation_similarity"}  # its moves are found from the left
NO_MIRROR |= {
    name for name, metric in METRICS.items() if metric.family == "delays"
}  # an alarm before a change detects nothing


@ALL
@given(case=cases())
def test_reversal(name, case):
    truth, pred, n = case
    if name not in NO_MIRROR:
        mirrored = [[n - c for c in reversed(cuts)] for cuts in (truth, pred)]
        assert same(score(name, *mirrored, n=n), score(name, truth, pred, n=n))


@ALL
@given(case=cases(least=1), before=st.integers(1, 20), after=st.integers(1, 20))
def test_translation_of_an_interior_pattern(name, case, before, after):
    # Between two segments that both have, a pattern scores the same wherever it stands. Windows near an end do not, and
    # fewer random cuts are within the margin of a cut near an end.
    truth, pred, n = case
    if METRICS[name].family == "windows" or name in ("expected_f1", "order_adjusted_f1"):
        return
    total = n + before + after
    one, other = ([[c + shift for c in (0, *cuts, n)] for cuts in (truth, pred)] for shift in (before, after))
    assert same(score(name, *one, n=total), score(name, *other, n=total))


@given(case=cases(least=2), data=st.data())
def test_refinement(case, data):
    # A finer prediction, as long as it keeps a pair together: pair_precision of none is not defined by its pairs.
    truth, pred, n = case
    finer = sorted({*pred, data.draw(st.integers(1, n - 1))})
    if len(finer) == n - 1:
        return
    for name in ("purity", "b_cubed_precision", "mutual_information", "homogeneity"):
        assert score(name, truth, finer, n=n) >= score(name, truth, pred, n=n) - 1e-12, name
    for name in ("coverage", "b_cubed_recall", "pair_recall"):
        assert score(name, truth, finer, n=n) <= score(name, truth, pred, n=n) + 1e-12, name


@IN_TIME
@given(case=cases(least=1), scale=st.sampled_from([0.25, 3.0, 1e6]))
def test_scale_in_continuous_time(name, case, scale):
    truth, pred, n = case
    value = score(name, [float(c) for c in truth], [float(c) for c in pred], duration=float(n))
    margin = {"margin": 2 * scale} if METRICS[name].needs_margin else {}
    scaled = [[c * scale for c in cuts] for cuts in (truth, pred)]
    other = METRICS[name].function(*scaled, duration=n * scale, **margin)
    unit = {"mirkin_distance": scale**2, "hausdorff": scale, "directed_hausdorff": scale, "mean_error": scale}
    unit |= {"median_error": scale, "mean_delay": scale, "false_alarm_rate": 1 / scale}
    unit |= {"delay_quantile": scale, "average_run_length": scale}
    assert same(other, value * unit.get(name, 1)) or math.isinf(value)


GRID_IS_THE_SAME = [
    name
    for name, metric in METRICS.items()
    if metric.in_time
    and metric.family in ("information", "overlap", "boundaries", "curves", "delays")
    and name != "adjusted_mutual_information"  # chance depends on the sampling
]


@pytest.mark.parametrize("name", GRID_IS_THE_SAME)
@given(case=cases(least=1))
def test_continuous_time_on_the_grid_is_the_same(name, case):
    truth, pred, n = case
    assert same(score(name, truth, pred, duration=n), score(name, truth, pred, n=n))


@ALL
@given(case=cases())
def test_every_kind_of_input(name, case):
    truth, pred, n = case
    value = score(name, truth, pred, n=n)
    for make in (tuple, iter, lambda cuts: np.array(cuts, dtype=np.uint16), lambda cuts: ss.Segmentation(cuts, n=n)):
        assert same(score(name, make(truth), make(pred), n=n), value)
    assert same(score(name, ss.Segmentation.from_ends([*truth, n]), iter([*pred, n])), value)


@ALL
def test_bad_input_never_gives_a_number(name):
    for truth, pred, length in (([5, 3], [], {"n": 9}), ([3], [12], {"n": 9}), ([3], [4], {}), (None, [], {"n": 3})):
        with pytest.raises((ValueError, TypeError)):
            score(name, truth, pred, **length)
    with pytest.raises(ValueError, match="pred has n = 8 but truth has n = 9; both sides must have one length"):
        score(name, ss.Segmentation([3], n=9), ss.Segmentation([3], n=8))
    if not METRICS[name].in_time:
        message = (
            "counts points; expected n=, not duration= (count whole units such as milliseconds, or use f1 with margin=)"
        )
        with pytest.raises(ValueError, match=f"^{name} {re.escape(message)}$"):
            score(name, [3.0], [4.0], duration=9.0)


def at_margin(name, margin):
    """Return the name of a score that a common margin gives."""
    return f"{name}({margin})" if METRICS[name].needs_margin else name


@ALL
@pytest.mark.parametrize("n", range(0, 6))
def test_compare_agrees_with_each_function(name, n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            scores = ss.compare(truth, pred, n=n, metrics=[name], margin=2)
            assert list(scores) == [at_margin(name, "margin=2")]
            assert same(scores[name], score(name, truth, pred, n=n))


@given(case=cases())
def test_compare_all_agrees_with_each_function(case):
    truth, pred, n = case
    scores = ss.compare(truth, pred, n=n, margin=2)
    by_default = {name: metric for name, metric in METRICS.items() if metric.family != "delays"}
    names = [name for name, metric in by_default.items() if metric.cost == "O(r+s)"]
    assert list(scores) == [at_margin(name, "margin=2") for name in names]
    for name in names:
        assert same(scores[name], score(name, truth, pred, n=n)), name
    in_time = ss.compare(truth, pred, duration=n + 0.5)
    quick = [metric for metric in by_default.values() if metric.cost == "O(r+s)"]
    assert list(in_time) == [metric.name for metric in quick if metric.in_time and not metric.needs_margin]
    for name, value in in_time.items():
        assert same(value, score(name, truth, pred, duration=n + 0.5)), name


@given(st.data())
def test_compare_of_long_arrays(data):
    seed = data.draw(st.integers(0, 10**6))
    generator = np.random.default_rng(seed)
    n = 10**6
    truth, pred = (np.unique(generator.integers(1, n, generator.integers(1, 3000))) for _ in range(2))
    scores = ss.compare(truth, pred, n=n, relative_margin=2e-6)
    for name, value in scores.items():
        assert same(value, score(name.partition("(")[0], truth, pred, n=n)), name


def test_what_scores_look_like():
    scores = ss.compare([3, 8], [4, 8], n=10, metrics=["rand_index", "f1"], margin=0)
    assert (
        repr(scores) == "Scores(  # margin=0\n    rand_index = 0.8444,  # best 1\n    f1         = 0.5000,  # best 1\n)"
    )
    assert scores.f1 == scores["f1"] == 0.5
    assert scores.to_dict() == dict(scores) == {"rand_index": 38 / 45, "f1(margin=0)": 0.5}
    assert "f1" in dir(scores)
    assert len(scores) == 2
    html = scores._repr_html_()
    assert html.startswith("<p>margin=0</p><table>") and "<td>0.8444</td>" in html and "Harmonic mean" in html
    assert repr(ss.compare([3], [4], n=10, metrics=[])) == "Scores()"
    with pytest.raises(ValueError, match=r"truth\[1\] = 3 does not exceed truth\[0\] = 5"):
        ss.compare([5, 3], [99], n=10, metrics=[])
    with pytest.raises(AttributeError, match=r"no score 'pk' here; there are rand_index, f1\(margin=0\)"):
        _ = scores.pk


def test_the_catalog_cannot_be_changed():
    with pytest.raises(TypeError):
        ss.METRICS["mine"] = METRICS["pk"]
    assert repr(ss.Scores({"mine": 1.0})) == "Scores(\n    mine = 1.0000,  # best unknown\n)"


@ALL
def test_the_catalog_says_which_kinds_a_metric_takes(name):
    metric, options = METRICS[name], {"margin": 1} if METRICS[name].needs_margin else {}
    inputs = {
        "points": ss.Segmentation([3, 8], n=10),
        "time": ss.Segmentation([3.5, 8], duration=10),
        "labels": ss.Segmentation([3, 8], "ABA", n=10),
    }
    for kind, side in inputs.items():
        if kind in metric.kinds or kind == "labels":  # scores of cuts ignore labels
            assert isinstance(metric.function(side, side, **options), float | int)
        else:
            with pytest.raises(ValueError, match=r"counts points"):
                metric.function(side, side, **options)
    both = ss.Segmentation([3.5, 8], "ABA", duration=10)
    if {"time", "labels"} <= set(metric.kinds):
        assert metric.function(both, both, **options) == pytest.approx(metric.best) or metric.best > 1
    assert (metric.in_time, metric.takes_labels) == ("time" in metric.kinds, "labels" in metric.kinds)
    assert bool(metric.instead) != metric.in_time


def test_the_catalog_shows_itself():
    lines = repr(ss.METRICS).split("\n")
    assert len(lines) == len(ss.METRICS) + 1
    assert lines[0].split() == ["metric", "family", "best", "kinds", "meaning"]
    assert lines[1].split()[:6] == ["rand_index", "pairs", "1", "points,", "time,", "labels"]
    assert "<td style='text-align:left'>points, time, labels</td>" in ss.METRICS._repr_html_()
    assert dict(ss.METRICS) == {metric.name: metric for metric in ss.METRICS.values()}


def test_metrics_by_name():
    assert list(ss.compare([3], [4], n=10, metrics="pk")) == ["pk"]
    with pytest.raises(ValueError, match=r"unknown metric 'rand'; did you mean 'rand_index'\?"):
        ss.compare([3], [4], n=10, metrics=["rand"])
    with pytest.raises(ValueError, match=r"unknown metric 'zzz'; segscore\.METRICS lists them"):
        ss.compare([3], [4], n=10, metrics=["zzz"])
    with pytest.raises(TypeError, match="metrics = 5 is int; expected names of scores"):
        ss.compare([3], [4], n=10, metrics=5)
    with pytest.raises(TypeError, match="metric None is NoneType; expected the name of a metric"):
        ss.compare([3], [4], n=10, metrics=[None])
    with pytest.raises(TypeError, match="f1 has no margin; expected margin= "):
        ss.compare([3], [4], n=10, metrics=["f1"])
    with pytest.raises(ValueError, match="boundary_similarity counts points; expected n=, not duration="):
        ss.compare([3], [4], duration=10, metrics=["boundary_similarity"])


VALUES = {  # of each option, whichever metric takes it
    "margin": [2, 0],
    "relative_margin": [0.25, 0.1],
    "beta": [0.5],
    "average": ["arithmetic", "geometric", "min", "max", "joint"],
    "base": [2],
    "symmetric": [True],
    "k": [3, 2],
    "weighted": [True],
    "lamprier": [True],
    "n_t": [4, 8],
    "insertion": [1],
    "deletion": [3.5],
    "shift": [0.25],
    "max_delay": [3, 0],
    "share": [0.25, 1],
}


def options_of(metric):
    """Yield each option of a metric by itself, and all options together."""
    margin = {"margin": 3} if metric.needs_margin else {}
    own = [name for name in metric.parameters if name not in ("margin", "relative_margin")]
    for name in metric.parameters:
        for value in VALUES[name]:
            yield {name: value} | (margin if name in own else {})
    if len(own) > 1:
        yield margin | {name: VALUES[name][-1] for name in own}


def test_every_option_of_every_metric_by_every_road():
    truth, pred, n = [3, 8, 20], [4, 8, 15], 30
    texts = {ss.metric(name, **given): (name, given) for name, m in METRICS.items() for given in options_of(m)}
    assert len(texts) > 30
    expected = {text: getattr(ss, name)(truth, pred, n=n, **given) for text, (name, given) in texts.items()}
    assert ss.compare(truth, pred, n=n, metrics=texts).to_dict() == expected
    table = pl.DataFrame({"truth": [truth], "pred": [pred], "n": [n]})
    assert ss.score(table, metrics=texts).select(list(texts)).row(0, named=True) == expected
    for text in texts:
        assert ss.cross([truth], [pred] * 4, n=n, metric=text).tolist() == [[expected[text]] * 4]
        assert ss.rand_test(truth, pred, n=n, metric=text, draws=9).score == expected[text]
        assert ss.rand_test(truth, pred, n=n, metric=text, draws=9).metric == text


def test_parameters_are_those_of_the_signature():
    shared = ("truth", "pred", "n", "duration", "null")
    for metric in METRICS.values():
        own = tuple(name for name in inspect.signature(metric.function).parameters if name not in shared)
        assert metric.parameters == own, metric.name


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("f1", "f1(margin=1)"),
        ("f1()", "f1(margin=1)"),
        (" f1 ( beta = 2 , margin = 5.0 ) ", "f1(margin=5,beta=2)"),
        ("f1(margin=1e1)", "f1(margin=10)"),
        ("f1(relative_margin=0.050)", "f1(relative_margin=0.05)"),
        ("window_diff(lamprier=true,k=3)", "window_diff(k=3,lamprier=True)"),
        ("normalized_mutual_information(average=max)", "normalized_mutual_information(average=max)"),
        # An option that is equal to its default is left out.
        ("f1(margin=5,beta=1)", "f1(margin=5)"),
        ("window_diff(k=3,weighted=False,lamprier=false)", "window_diff(k=3)"),
        ("normalized_mutual_information(average=arithmetic)", "normalized_mutual_information"),
        # Each number has one text.
        ("f1(margin=1e-07)", "f1(margin=1e-7)"),
        ("f1(margin=-0.0)", "f1(margin=0)"),
        ("f1(margin=1e18)", "f1(margin=1000000000000000000)"),
        ("f1(margin=100000000000000000000)", "f1(margin=1e20)"),
        ("f1(margin=1e+20)", "f1(margin=1e20)"),
        (f"f1(margin=1{'0' * 400})", "f1(margin=inf)"),
    ],
)
def test_the_canonical_text(given, canonical):
    length = {"duration": 9} if canonical == "f1(margin=1e-7)" else {"n": 9}  # in points a margin is whole
    assert list(ss.compare([3], [4], **length, metrics=[given], margin=1)) == [canonical]
    name, _, _ = canonical.partition("(")
    known = {"max": "max", "inf": math.inf}
    options = eval(f"dict({canonical[len(name) + 1 : -1]})", known) if "(" in canonical else {}
    assert ss.metric(name, **options) == canonical


FORM = "is not of the form name(option=value,option=value); expected one metric per text"


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [
        (["f1(size=3)"], TypeError, "f1 has no option 'size'; it takes margin, relative_margin, beta"),
        (["rand_index(k=3)"], TypeError, "rand_index has no option 'k'; it takes none"),
        (["f1(margin=5"], ValueError, f"metric 'f1(margin=5' {FORM}"),
        (["f1(margin=5)(margin=6)"], ValueError, f"metric 'f1(margin=5)(margin=6)' {FORM}"),
        ("f1(margin=1),f1(margin=2)", ValueError, f"metric 'f1(margin=1),f1(margin=2)' {FORM}"),
        ("rand_index,covering", ValueError, f"metric 'rand_index,covering' {FORM}"),
        (["f1(margin)"], ValueError, "metric 'f1(margin)' has 'margin'; expected option=value"),
        (
            ["f1(margin=5,margin=6)"],
            ValueError,
            "metric 'f1(margin=5,margin=6)' has margin twice; expected each option once",
        ),
        (["f1(margin=x)"], TypeError, "f1(margin=x): margin = 'x' is a str; expected a number"),
        (["f1(margin=-1)"], ValueError, "f1(margin=-1): margin = -1.0 is negative or not a number; expected 0 or more"),
        (
            ["annotated_f1(margin=-1)"],
            ValueError,
            "annotated_f1(margin=-1): margin = -1.0 is negative or not a number; expected 0 or more",
        ),
        (["pk(k=0)"], ValueError, "pk(k=0): k = 0 is out of range; expected 1 <= k < 2**63"),
        (
            ["f1(margin=5,relative_margin=0.1)"],
            TypeError,
            "f1(margin=5,relative_margin=0.1) has both margin and relative_margin; expected one of them",
        ),
        (
            ["covering(symmetric=no)"],
            TypeError,
            "covering(symmetric=no): symmetric = 'no' is a str; expected True or False",
        ),
        (
            ["window_diff(lamprier=1)"],
            TypeError,
            "window_diff(lamprier=1): lamprier = 1 is an int; expected True or False",
        ),
        (
            ["f1(margin=5)", "f1(margin=5,beta=1)"],
            ValueError,
            "f1(margin=5) is asked for twice; expected each metric once",
        ),
        (
            [f"f1(margin={2**64})", "f1(margin=18446744073709551616.0)"],
            ValueError,
            "f1(margin=1.8446744073709552e19) is asked for twice; expected each metric once",
        ),
        (["rand_index", "rand_index"], ValueError, "rand_index is asked for twice; expected each metric once"),
        (["f1(margin=5)", "f1(margin=5.0)"], ValueError, "f1(margin=5) is asked for twice; expected each metric once"),
        (["f2(margin=5)"], ValueError, "unknown metric 'f2'; did you mean 'f1'?"),
        (["f1"], TypeError, "f1 has no margin; expected margin= (0 for the same cut) or relative_margin="),
    ],
)
def test_wrong_options_are_named(metrics, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        ss.compare([3], [4], n=9, metrics=metrics)


def test_margins_of_their_own_go_before_the_common_one():
    found = ss.compare([30], [34], n=100, metrics=["f1", "f1(margin=3)", "recall(margin=4)"], margin=5)
    assert found.to_dict() == {"f1(margin=5)": 1.0, "f1(margin=3)": 0.0, "recall(margin=4)": 1.0}
    with pytest.raises(TypeError, match="f1 has no option 'size'; it takes margin, relative_margin, beta"):
        ss.metric("f1", size=3)
    with pytest.raises(ValueError, match=r"k = 0 is out of range; expected 1 <= k < 2\*\*63"):
        ss.metric("pk", k=0)


FLAGS = [(metric.name, flag) for metric in METRICS.values() for flag in metric.parameters if VALUES[flag][0] is True]


@pytest.mark.parametrize(
    ("name", "flag"), [*FLAGS, ("window_diff_curve", "weighted"), ("window_diff_curve", "lamprier")]
)
def test_a_flag_is_true_or_false(name, flag):
    def value(of):
        windows = {"k": [3]} if name == "window_diff_curve" else {}
        return getattr(ss, name)([3, 8], [4, 5, 6, 15], n=30, **windows, **{flag: of})

    assert value(np.True_) == value(True) != value(False) == value(np.False_)
    for wrong, kind in (("no", "a str"), (1, "an int"), (0, "an int"), (None, "a NoneType"), ([], "a list")):
        with pytest.raises(TypeError, match=f"^{re.escape(f'{flag} = {wrong!r} is {kind}; expected True or False')}$"):
            value(wrong)
    if name in METRICS:
        assert ss.metric(name, **{flag: np.True_}) == f"{name}({flag}=True)"
        assert ss.metric(name, **{flag: np.False_}) == name


def test_metric_takes_a_name_and_values():
    message = "name = 'f1(margin=5)' is not a name alone; expected metric('f1', option=value)"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.metric("f1(margin=5)")
    with pytest.raises(TypeError, match=r"^margin = '5' is a str; expected a number$"):
        ss.metric("f1", margin="5")
    with pytest.raises(TypeError, match=r"^margin = '5' is a str; expected a number$"):
        ss.metric("annotated_f1", margin="5")
    with pytest.raises(TypeError, match=r"^f1 has both margin and relative_margin; expected one of them$"):
        ss.metric("f1", margin=5, relative_margin=0.1)


def test_a_margin_beyond_64_bits_is_a_margin():
    assert ss.f1([1e25], [3e29], duration=1e30, margin=10**20) == 0
    assert ss.f1([1e25], [3e29], duration=1e30, margin=10**400) == 1


@pytest.mark.parametrize("name", ss.METRICS)
def test_signatures_have_the_options_of_the_core_and_their_defaults(name):
    options, signature = _core.options(), inspect.signature(ss.METRICS[name].function).parameters
    defaults = {key: each.default for key, each in signature.items() if key in options}
    assert tuple(defaults) == ss.METRICS[name].parameters == tuple(key for key in options if key in defaults)
    defaults.pop("margin", None)  # the common margin of a call replaces the default
    assert defaults == {key: options[key][1] for key in defaults}
