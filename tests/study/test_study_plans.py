"""What a study declares before its runs: the plan, what detectors are told, and repeats with seeds of their own."""

import json
import random
import re

import numpy as np
import polars as pl
import pytest

from segscore import study
from segscore.study import digests
from segscore.study.plans import plan_of

pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

SIGNALS = {"a": np.arange(140.0), "b": np.arange(150.0)}


def run(detectors, **options):
    return study.run(detectors, SIGNALS, **{"out": None, "workers": 2, "progress": False, **options})


def first(signal):
    return [1]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"score": "f1", "margin": 5}, '{"failures":"worst","reference":null,"score":"f1(margin=5)"}'),
        ({"score": " f1( beta=2,margin=5.0 )"}, '{"failures":"worst","reference":null,"score":"f1(margin=5,beta=2)"}'),
        ({"score": "f1(beta=2)", "margin": 5}, '{"failures":"worst","reference":null,"score":"f1(margin=5,beta=2)"}'),
        ({"score": "covering", "failures": "common", "reference": "PELT"}, '{"failures":"common","reference":"PELT","score":"covering"}'),
        ({"score": "own score"}, '{"failures":"worst","reference":null,"score":"own score"}'),
        ({"score": "seconds"}, '{"failures":"worst","reference":null,"score":"seconds"}'),
    ],
)  # fmt: skip
def test_a_plan_is_one_text(given, text):
    plan = study.Plan(**given)
    assert plan.text == text
    assert plan_of(text) == plan
    assert plan.digest == study.Plan(**given).digest != study.Plan("rand_index").digest
    assert re.fullmatch("[0-9a-f]{12}", plan.digest)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"score": "f1"}, "the plan has score = 'f1', which needs a margin; expected 'f1(margin=5)'"),
        ({"score": 3}, "the plan has score = 3; expected the name of a score"),
        ({"score": ""}, "the plan has score = ''; expected the name of a score"),
        ({"score": "f1(margin=5)", "margin": 3}, "the plan has margin = 3 and score = 'f1(margin=5)'; expected a metric that takes a margin, and one margin"),
        ({"score": "own", "margin": 3}, "the plan has margin = 3 and score = 'own'; expected a metric that takes a margin, and one margin"),
        ({"score": "covering", "failures": "drop"}, "failures = 'drop' is unknown; expected 'worst', 'no_cuts', 'common' or 'omit'"),
        ({"score": "covering", "reference": 1}, "the plan has reference = 1; expected the name of a method"),
    ],
)  # fmt: skip
def test_a_plan_that_cannot_be_one_is_refused(given, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        study.Plan(**given)
    assert str(caught.value) == message


def test_a_plan_must_fit_the_study():
    with pytest.raises(ValueError, match="expected") as caught:
        run({"x": first}, plan=study.Plan("covering", reference="y"))
    assert str(caught.value) == "the plan has reference = 'y', which is not run; expected x"
    with pytest.raises(TypeError) as caught:
        run({"x": first}, plan={"score": "covering"})
    assert str(caught.value) == "plan = {'score': 'covering'} is a dict; expected a segscore.study.Plan"


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "3", "{}", "nan", "[" * 9999, '{"score":"f1"}', '{"score": "covering"}']
)
def test_a_text_that_is_no_plan_is_none(text):
    assert plan_of(text) is None


def test_a_run_keeps_the_plan_with_which_it_was_made(tmp_path):
    out = tmp_path / "runs.parquet"
    before, after = study.Plan("covering"), study.Plan("rand_index")
    assert run({"x": first}, out=out, plan=before)["plan"].to_list() == [before.text] * 2
    # Neither a new plan nor none makes finished runs look as if they had been planned in another way.
    found = run({"x": first, "y": first}, out=out, plan=after)
    assert found.select("method", "plan").unique(maintain_order=True).rows() == [("x", before.text), ("y", after.text)]
    assert run({"x": first, "y": first}, out=out)["plan"].to_list() == found["plan"].to_list()
    assert pl.read_parquet(out)["plan"].to_list() == found["plan"].to_list()
    unplanned = run({"z": first}, out=tmp_path / "z.parquet")
    assert unplanned["plan"].to_list() == [None] * 2
    assert run({"z": first}, out=tmp_path / "z.parquet", plan=before)["plan"].to_list() == [None] * 2


def test_what_a_detector_is_told_is_a_column_and_no_reason_to_run_again(tmp_path):
    out = tmp_path / "runs.parquet"
    grid = study.Grid(lambda k: lambda signal: [k], {"k": [10, 20]})
    plain = {"x": study.Detector(first, shift=0), "y": grid, "z": first}
    found = run(plain, out=out)
    assert found["knows"].to_list() == [None] * 8
    told = {
        "x": study.Detector(first, shift=0, knows="number of cuts"),
        "y": study.Grid(grid.make, grid.parameters, knows="the best setting per series"),
        "z": first,
    }
    again = run(told, out=out)
    assert dict(again.select("method", "knows").unique().iter_rows()) == {
        "x": "number of cuts", "y": "the best setting per series", "z": None
    }  # fmt: skip
    assert again.drop("knows").equals(found.drop("knows"))


@pytest.mark.parametrize("knows", ["", "  ", 3, True, ["n"]])
def test_what_a_detector_is_told_is_in_words(knows):
    with pytest.raises(TypeError) as caught:
        run({"x": study.Detector(first, knows=knows)})
    assert str(caught.value) == f"detector 'x' has knows = {knows!r}; expected words, as 'number of cuts', or None"


def test_a_setting_cannot_know_more_than_its_grid():
    grid = study.Grid(lambda k: study.Detector(first, knows="the truth"), {"k": [1]})
    found = run({"x": grid}, workers=1)
    assert set(found["error"]) == {
        "ValueError: make returns a Detector with knows = 'the truth'; expected it in Grid(..., knows=)"
    }
    open_ = study.Grid(lambda k: study.Detector(first, knows="the truth"), {"k": [1]}, knows="the truth")
    assert run({"x": open_}, workers=1)["status"].to_list() == ["ok"] * 2


class Seeded:
    """An object with a seed that may be free."""

    def __init__(self, seed=None):
        self.seed = seed

    def get_params(self, deep=False):
        return {"seed": self.seed}

    def set_params(self, seed):
        self.seed = seed

    def fit(self, signal):
        return self

    def predict(self, signal):
        return [1 + self.seed % 9]


def raises_after_a_draw(signal):
    random.random()
    raise ValueError


def test_whether_a_run_draws_random_numbers_is_stored():
    detectors = {
        "none": first,
        "python": lambda signal: [random.randrange(1, 9)],
        "numpy": lambda signal: [np.random.randint(1, 9)],
        "normal": lambda signal: [1 + int(abs(np.random.standard_normal())) % 9],
        "seed": lambda signal, seed: [1 + seed % 9],
        "random_state": lambda signal, random_state=None: [1],
        "own": lambda signal: [int(np.random.default_rng(3).integers(1, 9))],
        "object": Seeded(),
        "fixed": Seeded(4),
        "invalid": lambda signal: [random.randrange(1, 9), 0, 0],
        "fails": raises_after_a_draw,
    }
    found = dict(run(detectors, retry=None).select("method", "random").unique().iter_rows())
    draws = ("python", "numpy", "normal", "seed", "random_state", "object", "invalid")
    assert found == {name: None if name == "fails" else name in draws for name in detectors}


def test_repeats_have_seeds_of_their_own_and_go_on(tmp_path):
    out = tmp_path / "runs.parquet"
    detectors = {"x": lambda signal, seed: [1 + seed % 99], "y": first}
    three = run(detectors, repeats=3, out=out)
    assert three["repeat"].to_list() == [0, 1, 2] * 4
    assert three["seed"].to_list() == [
        digests.run_seed(0, series, method, None, repeat) for series in "ab" for method in "xy" for repeat in range(3)
    ]
    assert three.filter(method="x")["pred"].n_unique() > 3
    five = run(detectors, repeats=5, out=out)
    assert five.height == 20
    assert five.filter(pl.col("repeat") < 3).equals(three)  # not run again: the start and the seconds are the same
    lines = out.with_name("runs.parquet.journal").read_text().splitlines()
    assert len(lines) == 20
    assert {json.loads(line)["repeat"] for line in lines} == set(range(5))
    assert run(detectors, repeats=3, out=out).equals(three)
