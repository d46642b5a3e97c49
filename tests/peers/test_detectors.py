"""Detectors of five libraries, run by a study: each answers in its own way, and all cuts mean the same.

The expected answers were measured; a library that changes its convention fails here.
"""

import importlib
from importlib import metadata

import numpy as np
import pytest

from segscore import study
from segscore.study import calibration, detectors

pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries
CUT = calibration.STEP


def steps(*cuts, n=200):
    """A signal that rises by 10 at each cut, with a little noise."""
    level = 10.0 * np.searchsorted(cuts, np.arange(n), side="right")
    return level + 0.1 * np.random.default_rng(1).standard_normal(n)


def waves():
    """A change of frequency at 300, for detectors that compare shapes."""
    noise = 0.05 * np.random.default_rng(0).standard_normal(600)
    return np.r_[np.sin(np.arange(300) / 2), np.sin(np.arange(300) / 5)] + noise


def raw(detector, signal, params=None):
    """What a detector answers before the answer is read."""
    own = detectors.ready(detector, params, 0)
    return own.call(own.prepare(signal)), own


def ruptures(cuts=2):
    import ruptures as rpt

    kinds = {name: getattr(rpt, name) for name in ("Dynp", "Binseg", "BottomUp", "KernelCPD")}
    return {
        **{f"ruptures {name}": study.Detector(make(), predict={"n_bkps": cuts}) for name, make in kinds.items()},
        "ruptures Window": study.Detector(rpt.Window(width=20), predict={"n_bkps": cuts}),
        "ruptures Pelt": study.Detector(rpt.Pelt(model="l2"), predict={"pen": 10}),
    }


def aeon():
    from aeon.segmentation import BinSegmenter, EAggloSegmenter

    return {"aeon BinSegmenter": BinSegmenter(n_cps=2), "aeon EAgglo": EAggloSegmenter()}


def sktime():
    from sktime.detection.bs import BinarySegmentation
    from sktime.detection.moving_window import MovingWindow
    from sktime.detection.pelt import PELT
    from sktime.detection.seeded_binseg import SeededBinarySegmentation

    return {
        "sktime BinarySegmentation": BinarySegmentation(threshold=1),
        "sktime MovingWindow": MovingWindow(bandwidth=20),
        "sktime PELT": PELT(),
        "sktime SeededBinarySegmentation": SeededBinarySegmentation(),
    }


def skchange():
    from skchange.detectors import CAPA, CROPS, FPOP, PELT, MovingWindow, SeededBinarySegmentation

    kinds = (CAPA, CROPS, FPOP, PELT, MovingWindow, SeededBinarySegmentation)
    return {f"skchange {make.__name__}": make() for make in kinds}


def test_detectors_of_four_libraries_find_the_same_steps(tmp_path):
    methods = {**ruptures(), **aeon(), **sktime(), **skchange()}
    found = study.run(methods, {"a": steps(60, 140)}, out=tmp_path / "runs.parquet", workers=2, progress=False)
    answers = dict(zip(found["method"], zip(found["status"], found["pred"].to_list(), strict=True), strict=True))
    wanted = {name: ("ok", [60, 140]) for name in methods}
    # CAPA calls the level in the middle normal, and CROPS chooses how many changes there are.
    assert {name: answers[name] for name in methods if name not in ("skchange CAPA", "skchange CROPS")} == {
        name: answer for name, answer in wanted.items() if name not in ("skchange CAPA", "skchange CROPS")
    }
    assert {answers[name][0] for name in ("skchange CAPA", "skchange CROPS")} == {"ok"}
    assert '"sktime":"1.' in found.filter(method="sktime PELT")["versions"][0]


def test_the_two_classes_of_sktime_are_corrected_by_name_and_version():
    from sktime.detection.bs import BinarySegmentation
    from sktime.detection.ggs import GreedyGaussianSegmentation

    assert metadata.version("sktime").startswith("1.2."), "check both classes, and extend detectors.CORRECTIONS"
    signal = steps(CUT)
    answer, own = raw(BinarySegmentation(threshold=1), signal)
    assert answer["ilocs"].to_list() == [CUT - 1]
    assert (own.kind, own.shift) == (None, 1)
    assert study.cuts_of(answer, len(signal), own.kind, shift=own.shift) == [CUT]
    answer, own = raw(GreedyGaussianSegmentation(k_max=1), signal)
    assert answer["ilocs"].to_list() == [0] * CUT + [1] * CUT
    assert study.cuts_of(answer, len(signal), own.kind, shift=own.shift) == [CUT]


def test_another_version_of_sktime_stops_the_study(monkeypatch):
    from sktime.detection.bs import BinarySegmentation

    monkeypatch.setattr(detectors, "CORRECTIONS", {})
    answer, own = raw(BinarySegmentation(threshold=1), calibration.step(0))
    cuts = study.cuts_of(answer, calibration.LENGTH, own.kind, shift=own.shift)
    with pytest.raises(ValueError, match="puts the cut at 99, but the step is at 100; expected shift=1"):
        calibration.finds_step("BinarySegmentation", cuts, cuts)


# Each line of the table in docs/study.md: how a detector is made, how its answer is read, and the answer for one step.
TABLE = {
    "ruptures Window": (lambda: ruptures(1)["ruptures Window"], "ends", "[np.int64(100), 200]"),
    "ruptures Pelt": (lambda: ruptures(1)["ruptures Pelt"], "ends", "[100, 200]"),
    "aeon BinSegmenter": (lambda: made("aeon.segmentation:BinSegmenter", n_cps=1), "cuts", "array([100])"),
    "aeon EAggloSegmenter": (lambda: made("aeon.segmentation:EAggloSegmenter"), "labels", "array of 200 int64"),
    "aeon HMMSegmenter": (lambda: two_states(), "labels", "array of 200 float64"),
    "sktime PELT": (lambda: made("sktime.detection.pelt:PELT"), None, "ilocs [100]"),
    "sktime MovingWindow": (lambda: made("sktime.detection.moving_window:MovingWindow"), None, "ilocs [100]"),
    "sktime SeededBinarySegmentation": (
        lambda: made("sktime.detection.seeded_binseg:SeededBinarySegmentation"),
        None,
        "ilocs [100]",
    ),
    "sktime CAPA": (lambda: made("sktime.detection.capa:CAPA"), None, "ilocs [100, 200)"),
    "sktime ThresholdDetector": (
        lambda: made("sktime.detection.naive:ThresholdDetector", upper=5),
        None,
        "ilocs [100, 200)",
    ),
    "sktime ClusterSegmenter": (
        lambda: made("sktime.detection.clust:ClusterSegmenter", clusterer=made("sklearn.cluster:KMeans", n_clusters=2)),
        None,
        "200 ilocs",
    ),
    "skchange PELT": (lambda: made("skchange.detectors:PELT"), "cuts", "array([100])"),
}


def made(where, **options):
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(module), name)(**options)


def two_states():
    from scipy.stats import norm

    states = [(norm.pdf, {"loc": mean, "scale": 1}) for mean in (0, 10)]
    moves = np.array([[0.95, 0.05], [0.05, 0.95]])
    return made("aeon.segmentation:HMMSegmenter", emission_funcs=states, transition_prob_mat=moves)


def described(answer):
    if hasattr(answer, "columns"):
        places = answer["ilocs"].to_list()
        return f"{len(places)} ilocs" if len(places) == 200 else f"ilocs {places if places == [CUT] else places[0]}"
    return repr(answer) if len(answer) < 200 else f"array of {len(answer)} {answer.dtype}"


@pytest.mark.parametrize("name", TABLE)
def test_the_raw_answers_are_those_of_the_table(name):
    make, kind, wanted = TABLE[name]
    answer, own = raw(make(), steps(CUT))
    assert (own.kind, described(answer)) == (kind, wanted)
    assert study.cuts_of(answer, 200, own.kind, shift=own.shift) == [CUT]


def test_a_random_segmenter_is_given_the_seed_of_each_run():
    from aeon.segmentation import RandomSegmenter

    random = RandomSegmenter(n_segments=3)
    series = {"a": steps(CUT), "b": steps(CUT)}
    found = study.run({"random": random}, series, out=None, repeats=2, progress=False)
    again = study.run({"random": random}, series, out=None, repeats=2, progress=False, workers=1)
    assert found["status"].to_list() == ["ok"] * 4
    assert found["pred"].to_list() == again["pred"].to_list()
    assert found["pred"].n_unique() == 4


def test_labels_of_aeon_and_sktime_become_cuts():
    from aeon.segmentation import GreedyGaussianSegmenter
    from sktime.detection.igts import InformationGainSegmentation

    signal = np.c_[steps(CUT), steps(CUT)[::-1]]
    answer, own = raw(GreedyGaussianSegmenter(k_max=1), signal)
    assert (own.kind, answer.dtype.kind, answer.shape) == ("labels", "i", (200,))
    assert study.cuts_of(answer, 200, own.kind) == [CUT]
    answer, own = raw(InformationGainSegmentation(k_max=1), signal)
    assert len(answer) == 200 and len(study.cuts_of(answer, 200, own.kind)) == 1


def test_several_channels_and_missing_values_are_skipped_where_a_library_says_so():
    from aeon.segmentation import BinSegmenter, GreedyGaussianSegmenter
    from skchange.detectors import FPOP, PELT

    methods = {"one": BinSegmenter(), "several": GreedyGaussianSegmenter(), "FPOP": FPOP(), "PELT": PELT()}
    two = np.c_[steps(CUT), steps(CUT)]
    holes = steps(CUT)
    holes[7] = np.nan
    series = {"one channel": steps(CUT), "two channels": two, "holes": holes}
    found = study.run(methods, series, out=None, progress=False)
    errors = {(row["series"], row["method"]): (row["status"], row["error"]) for row in found.iter_rows(named=True)}
    assert {key: error for key, (status, error) in errors.items() if status == "skip"} == {
        ("one channel", "several"): "GreedyGaussianSegmenter of aeon does not take one channel",
        ("two channels", "one"): "BinSegmenter of aeon does not take several channels",
        ("two channels", "FPOP"): "FPOP of skchange does not take several channels",
        ("holes", "one"): "BinSegmenter of aeon does not take missing values",
        ("holes", "several"): "GreedyGaussianSegmenter of aeon does not take one channel",
        ("holes", "FPOP"): "FPOP of skchange does not take missing values",
        ("holes", "PELT"): "PELT of skchange does not take missing values",
    }
    assert errors["two channels", "PELT"] == errors["one channel", "PELT"] == ("ok", None)


def test_claspy_answers_cuts_and_its_stream_is_collected():
    from claspy.segmentation import BinaryClaSPSegmentation
    from claspy.streaming.segmentation import StreamingClaSPSegmentation

    signal = waves()
    answer, own = raw(BinaryClaSPSegmentation(n_estimators=2, window_size=20, n_jobs=1), signal)
    (cut,) = study.cuts_of(answer, 600, own.kind)
    assert abs(cut - 300) < 20
    answer, own = raw(BinaryClaSPSegmentation(), steps(CUT))  # no shape to compare: an empty array of floats
    assert (answer.dtype, study.cuts_of(answer, 200, own.kind)) == (np.float64, [])
    # predict() counts from the start of a sliding window, so the log is used.
    stream = StreamingClaSPSegmentation(n_timepoints=600, n_warmup=200, window_size=20, jump=50)
    answer, own = raw(stream, signal)
    cuts = study.cuts_of(answer, 600, own.kind)
    assert cuts and all(abs(cut - 300) < 40 for cut in cuts)
    with pytest.raises(
        study.Skip, match="StreamingClaSPSegmentation of claspy does not take fewer points than n_warmup = 200"
    ):
        raw(stream, steps(CUT)[:150])


def test_detectors_that_ask_for_all_cores_get_those_of_the_run():
    from aeon.segmentation import ClaSPSegmenter
    from claspy.segmentation import BinaryClaSPSegmentation

    few = {"n_estimators": 2, "window_size": 20}
    methods = {
        "claspy": BinaryClaSPSegmentation(**few),  # n_jobs=-1
        "claspy, more": BinaryClaSPSegmentation(**few, n_jobs=64),
        "claspy, grid": study.Grid(lambda n_jobs: BinaryClaSPSegmentation(**few, n_jobs=n_jobs), {"n_jobs": [-1, 64]}),
        "claspy, function": lambda signal: BinaryClaSPSegmentation(**few).fit_predict(signal),
        "aeon": ClaSPSegmenter(period_length=20, n_cps=1, n_jobs=-1),
        "aeon, more": ClaSPSegmenter(period_length=20, n_cps=1, n_jobs=64),
    }
    for cores in (1, 2):
        found = study.run(methods, {"a": waves()}, out=None, workers=1, cores=cores, timeout=300, progress=False)
        assert found["error"].to_list() == [None] * 7
        assert all(abs(cut - 300) < 20 for (cut,) in found["pred"].to_list())


def test_settings_of_a_grid_reach_the_libraries():
    import ruptures as rpt
    from aeon.segmentation import BinSegmenter

    methods = {
        "ruptures": study.Grid(rpt.Binseg(jump=1), {"n_bkps": [1, 2]}),
        "aeon": study.Grid(BinSegmenter, {"n_cps": [1, 2]}),
    }
    found = study.run(methods, {"a": steps(60, 140)}, out=None, progress=False)
    assert found["params"].to_list() == ['{"n_bkps":1}', '{"n_bkps":2}', '{"n_cps":1}', '{"n_cps":2}']
    assert [len(cuts) for cuts in found["pred"].to_list()] == [1, 2, 1, 2]


def test_an_impossible_request_of_ruptures_is_a_row():
    import ruptures as rpt

    methods = {"x": study.Detector(rpt.KernelCPD(min_size=50), predict={"n_bkps": 20})}
    found = study.run(methods, {"a": steps(CUT)}, out=None, progress=False)
    assert found.select("status", "error").row(0) == ("error", "BadSegmentationParameters")
