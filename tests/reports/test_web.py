"""The core in the browser computes what the extension computes: the same code, compiled by another compiler."""

import base64
import itertools
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import segscore as ss

ASSETS = Path(ss.__file__).parent / "reports" / "page"
LOGARITHMS = 1e-12  # of another library of mathematics; without logarithms all bits are the same


@pytest.fixture(scope="module")
def core(browser):
    """Return a function that evaluates JavaScript with `core` in reach."""
    page = browser.new_page()
    page.set_content("<p>The core alone</p>")
    page.add_script_tag(content=(ASSETS / "core.js").read_text())
    module = base64.b64encode((ASSETS / "core.wasm").read_bytes()).decode()
    page.evaluate(
        "async text => { window.core = await loadCore(Uint8Array.from(atob(text), (x) => x.charCodeAt(0))); }", module
    )
    yield page.evaluate
    page.close()


OF_LOGARITHMS = {"expected_f1", "order_adjusted_f1"}


def random_pairs(count, seed, digits):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, 10 ** int(rng.integers(1, digits + 1))))
        sizes = rng.integers(0, min(n, 40), 2)
        yield (*(np.unique(rng.integers(1, max(n, 2), k)).tolist() if n > 1 else [] for k in sizes), n)


def assert_equal_scores(core, pairs, names, margin):
    found = core(
        "([pairs, names, margin]) => pairs.map(([t, p, n]) => core.scores(t, p, n, names.map((name) => ({ name, margin }))))",
        [pairs, names, margin],
    )
    for (truth, pred, n), values in zip(pairs, found, strict=True):
        wanted = ss.compare(truth, pred, n=n, margin=margin, metrics=names)
        for name, value in zip(names, map(float, values), strict=True):
            inexact = ss.METRICS[name].family == "information" or "information" in name or name in OF_LOGARITHMS
            close = math.isclose(value, wanted[name], rel_tol=LOGARITHMS, abs_tol=LOGARITHMS) if inexact else False
            same = value == wanted[name] or (math.isnan(value) and math.isnan(wanted[name]))
            assert same or close, (name, value, wanted[name], truth, pred, n)


def random_pairs_in_time(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        duration = float(10.0 ** rng.uniform(-6, 9))
        near = rng.uniform(0, duration, 3)
        sides = (
            np.concatenate([rng.uniform(0, duration, k), near[:2] * (1 + 1e-12 * k)]) for k in rng.integers(0, 30, 2)
        )
        yield (*(np.unique(side[(side > 0) & (side < duration)]).tolist() for side in sides), duration)


def test_scores_in_time_are_the_same(core):
    names = [name for name, metric in ss.METRICS.items() if metric.in_time and not metric.only_tables]
    assert core("core.metricsInTime") == names
    pairs = list(random_pairs_in_time(300, 4))
    found = core(
        "([pairs, names]) => pairs.map(([t, p, duration]) => "
        "core.scores(t, p, { duration }, names.map((name) => ({ name, relative_margin: 0.01 }))))",
        [pairs, names],
    )
    for (truth, pred, duration), values in zip(pairs, found, strict=True):
        wanted = ss.compare(truth, pred, duration=duration, relative_margin=0.01, metrics=names)
        for name, value in zip(names, map(float, values), strict=True):
            exact = value == wanted[name] or (math.isnan(value) and math.isnan(wanted[name]))
            close = math.isclose(value, wanted[name], rel_tol=LOGARITHMS, abs_tol=LOGARITHMS)
            assert exact or ("information" in (ss.METRICS[name].family + name) and close), (name, value, wanted[name])


def test_options_in_time_have_the_same_effect(core):
    pairs = list(random_pairs_in_time(100, 5))
    for name, options in (("pk", {"k": 0.3}), ("window_diff", {"k": 0.7, "weighted": True, "lamprier": True})):
        entries = [{"name": name, **options, "k": options["k"] * duration} for _, _, duration in pairs]
        found = core(
            "([pairs, entries]) => pairs.map(([t, p, duration], k) => core.scores(t, p, { duration }, [entries[k]])[0])",
            [pairs, entries],
        )
        for (truth, pred, duration), entry, value in zip(pairs, entries, found, strict=True):
            given = {key: option for key, option in entry.items() if key != "name"}
            assert value == getattr(ss, name)(truth, pred, duration=duration, **given)


def test_matches_cells_and_explanations_in_time_are_the_same(core):
    for truth, pred, duration in random_pairs_in_time(30, 6):
        given = [truth, pred, duration]
        matched = core("([t, p, duration]) => core.match(t, p, { duration }, duration / 50)", given)
        assert [tuple(pair) for pair in matched] == [
            (truth.index(t), pred.index(p))
            for t, p in ss.match(truth, pred, duration=duration, margin=duration / 50).pairs
        ]
        wanted = ss.explain(truth, pred, duration=duration)
        cells = core("([t, p, duration]) => core.cells(t, p, { duration })", given)
        assert [(c["start"], c["end"]) for c in cells] == sorted((c.start, c.end) for c in wanted.cells)
        changes = core("([t, p, duration]) => core.explain(t, p, { duration })", given)
        assert sorted((what, change) for what, _, change in changes) == sorted((a, c) for a, _, c in wanted.rows())


def test_the_browser_widens_margins_in_time_for_rounding(core):
    given = [[10.0], [10.07], 200.0, 0.07]
    assert core("([t, p, duration, margin]) => core.match(t, p, { duration }, margin)", given) == [[0, 0]]
    wanted = '{ name: "f1", margin }, { name: "online_f1", max_delay: margin }'
    found = core(f"([t, p, duration, margin]) => core.scores(t, p, {{ duration }}, [{wanted}])", given)
    assert found == [1.0, 1.0]


def test_it_has_every_metric_of_the_catalog(core):
    assert core("core.metrics") == [name for name, metric in ss.METRICS.items() if not metric.only_tables]


@pytest.mark.slow
def test_scores_of_random_pairs_are_the_same(core):
    assert_equal_scores(core, list(random_pairs(1000, 1, 3)), core("core.metrics"), 3)
    quick = [name for name in core("core.metrics") if ss.METRICS[name].cost == "O(r+s)"]
    assert_equal_scores(core, list(random_pairs(1000, 1, 15)), quick, 3)


def test_scores_of_all_published_segmentations_are_the_same(core, published_data):
    table = pl.read_parquet(published_data / "segmentations.parquet")
    items = table.group_by("dataset", "series", "n", maintain_order=True).agg("change_points")
    several = items.filter(pl.col("change_points").list.len() > 1)
    pairs = [(cuts[0], cuts[-1], n) for cuts, n in several.select("change_points", "n").iter_rows()]
    assert len(pairs) > 1000
    # Costs of some scores grow with n: these are compared where n is small.
    assert_equal_scores(core, [pair for pair in pairs if pair[2] < 10**4], core("core.metrics"), 5)
    quick = [name for name in core("core.metrics") if ss.METRICS[name].cost == "O(r+s)"]
    assert_equal_scores(core, [pair for pair in pairs if pair[2] >= 10**4], quick, 5)


def test_many_pairs_at_once_are_the_same(core):
    pairs = list(random_pairs(60, 7, 3))
    found = core(
        """pairs => {
            const wanted = ["rand_index", { name: "f1", margin: 2 }], sides = pairs.map(([t, p, n]) => [t, p, n]);
            sides.push([sides[0][0], sides[0][1], sides[0][2]], [sides[0][1], sides[0][0], sides[0][2]]);  // known sides
            const gathered = core.gather(sides), all = [...gathered.scores(wanted)], part = [...gathered.scores(wanted, 7, 9)];
            return [gathered.size, all, part, sides.flatMap((each) => core.scores(...each, wanted))];
        }""",
        pairs,
    )
    size, every, part, single = found
    assert size == 62
    assert every == single
    assert part == every[14:18]
    assert every[:2] == every[120:122]
    assert every[1] == ss.f1(*pairs[0][:2], n=pairs[0][2], margin=2)


def test_labels_are_scored_as_in_python(core):
    rng, pairs = np.random.default_rng(8), []
    for (truth, pred, n), kind in zip(random_pairs(120, 8, 3), itertools.cycle(("both", "truth", "pred"))):
        own = [rng.choice(["a", "b", "c"], len(side) + 1).tolist() for side in (truth, pred)]
        own = [labels if kind in ("both", name) else None for labels, name in zip(own, ("truth", "pred"), strict=True)]
        pairs.append(({"cuts": truth, "labels": own[0]}, {"cuts": pred, "labels": own[1]}, n))
    names = [name for name, metric in ss.METRICS.items() if metric.takes_labels and not metric.only_tables]
    assert core("core.metricsOfLabels") == names
    for length in ("n", "duration"):
        usual = [name for name in [*names, "precision", "window_diff"] if length == "n" or ss.METRICS[name].in_time]
        found = core(
            "([pairs, names, inTime]) => pairs.map(([t, p, n]) => "
            "core.scores(t, p, inTime ? { duration: n } : n, names.map((name) => ({ name, margin: 2 }))))",
            [pairs, usual, length == "duration"],
        )
        for (*sides, n), values in zip(pairs, found, strict=True):
            made = [ss.Segmentation(side["cuts"], **{length: n}, labels=side["labels"]) for side in sides]
            wanted = ss.compare(*made, metrics=usual, margin=2)
            for name, value in zip(usual, map(float, values), strict=True):
                same = value == wanted[name] or (math.isnan(value) and math.isnan(wanted[name]))
                close = math.isclose(value, wanted[name], rel_tol=LOGARITHMS, abs_tol=LOGARITHMS)
                inexact = "information" in ss.METRICS[name].family + name
                assert same or (inexact and close), (name, value, wanted[name])


def test_one_side_may_meet_sides_with_and_without_labels(core):
    found = core(
        """() => {
            const truth = [30, 60], labelled = { cuts: [33, 61], labels: ["a", "b", "a"] };
            const pairs = [[truth, [33, 61], 100], [truth, labelled, 100], [truth, [20], 100]];
            return [...core.gather(pairs).scores(["rand_index"])];
        }"""
    )
    sides = [33, 61], ss.Segmentation([33, 61], n=100, labels="aba"), [20]
    assert found == [ss.rand_index([30, 60], side, n=100) for side in sides]
    assert len(set(found)) == 3


OPTIONS = [
    ("f1", {"margin": 2.0}),
    ("f1", {"relative_margin": 0.02}),
    ("f1", {"margin": 4, "beta": 2}),
    ("covering", {"symmetric": True}),
    ("pk", {"k": 3}),
    ("window_diff", {"k": 4, "lamprier": True}),
    ("window_diff", {"weighted": True}),
    ("normalized_mutual_information", {"average": "geometric"}),
    ("normalized_mutual_information", {"average": "joint"}),
    ("variation_of_information", {"base": 2}),
    ("boundary_similarity", {"n_t": 5}),
    ("segmentation_similarity", {"n_t": 5}),
    ("generalized_hamming", {"insertion": 1.5}),
    ("generalized_hamming", {"deletion": 1.5}),
    ("generalized_hamming", {"shift": 0.5}),
    ("online_f1", {"max_delay": 3}),
    ("delay_quantile", {"share": 0.9}),
]


def test_every_option_is_tried(core):
    assert {option for _, options in OPTIONS for option in options} == set(core("core.options"))


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_options_have_the_same_effect(core, name, options):
    pairs = [(truth, pred, n) for truth, pred, n in random_pairs(200, 2, 4) if n > 10]
    found = core(
        "([pairs, entry]) => pairs.map(([t, p, n]) => core.scores(t, p, n, [entry])[0])",
        [pairs, {"name": name, **options}],
    )
    differ = 0
    for (truth, pred, n), value in zip(pairs, found, strict=True):
        wanted = getattr(ss, name)(truth, pred, n=n, **options)
        assert value == pytest.approx(wanted, rel=LOGARITHMS, abs=LOGARITHMS, nan_ok=True)
        plain = {} if name not in ("f1",) else {"margin": 0}
        differ += value != getattr(ss, name)(truth, pred, n=n, **plain)
    assert differ > 0


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("core.scores([3, 3], [], 10, ['rand_index'])", "truth[1] = 3: expected increasing cuts, 0 < cut < 10"),
        ("core.match([3], [10], 10, 2)", "pred[0] = 10: expected increasing cuts, 0 < cut < 10"),
        ("core.cells([0], [], 10)", "truth[0] = 0: expected increasing cuts, 0 < cut < 10"),
        (
            "core.scores({cuts: [3], labels: ['a']}, [4], 10, ['rand_index'])",
            "truth has 1 labels for 2 segments: expected one label per segment",
        ),
        ("core.gather([[[3], [4], 10], [[3], [4], 4]])", "pred[0] = 4: expected increasing cuts, 0 < cut < 4"),
        ("core.scores([3], [4], 10, ['f1'])", "f1 needs a margin"),
        ("core.scores([3], [4], 10, ['f2'])", "f2 is not a metric"),
        ("core.scores([3], [4], 10, [{name: 'pk', k: 2.5}])", "k = 2.5: expected a positive integer"),
        ("core.scores([3], [4], {duration: 10}, [{name: 'pk', k: 0}])", "k = 0: expected a positive number"),
        (
            "core.scores([3], [4], {duration: 10}, ['boundary_similarity'])",
            "boundary_similarity counts points: expected a number of points, not a duration",
        ),
        ("core.scores([3], [4], {duration: -1}, ['pk'])", "duration = -1: expected a positive number"),
        ("core.cells([3.5], [NaN], {duration: 9.5})", "pred[0] = NaN: expected increasing cuts, 0 < cut < 9.5"),
        ("core.match([3.5, 3.5], [], {duration: 9.5}, 1)", "truth[1] = 3.5: expected increasing cuts, 0 < cut < 9.5"),
    ],
)
def test_faults_are_named(core, script, message):
    assert core(f"(() => {{ try {{ {script}; }} catch (error) {{ return error.message; }} }})()") == message


def test_cells_are_those_of_the_walk(core):
    assert core("core.cells([3, 8], [4, 8], 10)") == [
        {"start": 0, "end": 3, "truth": 3, "prediction": 4, "beyond": "prediction"},
        {"start": 3, "end": 4, "truth": 8, "prediction": 4, "beyond": "truth"},
        {"start": 4, "end": 8, "truth": 8, "prediction": 8, "beyond": "prediction"},
        {"start": 8, "end": 10, "truth": 10, "prediction": 10, "beyond": "prediction"},
    ]
