"""What people and chance score."""

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore.results.references import references
from segscore.tables import Options


def test_chance_is_drawn_anew_for_each_series():
    rows = pl.DataFrame(
        {"series": [f"s{k}" for k in range(50)], "n": [1000] * 50, "truth": [[list(range(100, 900, 100))]] * 50}
    )
    options = Options(metrics=["rand_index"], on_error="null")
    found = [references(rows, options, seed)["chance"]["rand_index"] for seed in range(6)]
    assert found[0] == references(rows, options, 0)["chance"]["rand_index"]
    assert np.std(found) < 0.0015  # of one and the same 100 draws for all it would be 0.003
    assert np.mean(found) == pytest.approx(ss.expected_rand_index(range(100, 900, 100), 8, n=1000), abs=0.001)


def test_what_people_and_chance_score():
    truths = {"a": (50, [[10, 30], [12, 30], [30]]), "b": (40, [[20], [5, 21], []])}
    rows = pl.DataFrame(
        [(name, n, cuts) for name, (n, cuts) in truths.items() for _ in range(2)],
        schema={"series": pl.String, "n": pl.Int64, "truth": pl.List(pl.List(pl.Int64))},
        orient="row",
    )
    names = ["rand_index", "covering", "f1"]
    found = references(rows, Options(metrics=names, margin=3, on_error="null"))
    for name in names:
        means = []
        for n, people in truths.values():
            options = {"n": n, "metrics": [name], "margin": 3}
            alone = [
                np.mean([ss.compare(other, own, **options)[name] for k, other in enumerate(people) if k != j])
                for j, own in enumerate(people)
            ]
            means.append(np.mean(alone))
        assert found["human"][name] == pytest.approx(np.mean(means))
    expected = [
        np.mean([ss.expected_rand_index(truth, len(own), n=n) for own in people for truth in people])
        for n, people in truths.values()
    ]
    assert found["chance"]["rand_index"] == pytest.approx(np.mean(expected), abs=0.03)
    alone = references(rows.with_columns(pl.col("truth").list.head(1)), Options(metrics=names, margin=3))
    assert set(alone) == {"chance"}
    assert references(rows.clear(), Options(metrics=names, margin=3)) == {}
