"""Arrays that another thread rewrites while they are scored: an error or a number, never a crash or a hang.

The scores run in processes of their own, which a crash or a hang does not survive. The sanitizer build of the extension
runs this file too, and sees what is read past the end.
"""

import subprocess
import sys

import pytest

import segscore as ss

REWRITE = """
import sys, threading, time
import numpy as np
import segscore as ss

size, seconds = int(sys.argv[1]), float(sys.argv[2])
n = 10 * size
rng = np.random.default_rng(0)
cuts = [np.sort(rng.choice(np.arange(1, n), size, replace=False)) for _ in range(2)]


def rewrite(sides, good, extremes, stop):
    while not stop.is_set():
        for side, right in zip(sides, good):
            few = rng.integers(0, size, 3)
            side[few] = rng.choice(extremes, 3)
            side[size // 3 : size // 2] = side[size // 3]
            side[:] = np.roll(right, 1) if rng.random() < 0.1 else right[::-1] if rng.random() < 0.1 else right * 0 + 5
            side[:] = right


for name in sys.argv[3:]:
    print(name, end=": ", flush=True)
    metric, in_time = name.removesuffix(" in time"), name.endswith(" in time")
    good = [side.astype(float if in_time else np.int64) for side in cuts]
    extremes = [np.nan, np.inf, -np.inf, -1.0] if in_time else [np.iinfo(np.int64).min, np.iinfo(np.int64).max, -1, 0, n]
    sides = [side.copy() for side in good]
    length = {"duration": float(n)} if in_time else {"n": n}
    options = {"margin": 3} if metric == "match" or metric in ss.METRICS and ss.METRICS[metric].needs_margin else {}
    if metric in ("boundary_similarity", "boundary_edits", "segmentation_similarity"):
        options = {"n_t": 50}
    function, stop = getattr(ss, metric), threading.Event()
    thread = threading.Thread(target=rewrite, args=(sides, good, extremes, stop))
    thread.start()
    outcomes = set()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            try:
                function(*sides, **length, **options)
                outcomes.add("number")
            except ValueError as error:
                outcomes.add(str(error))
    finally:
        stop.set()
        thread.join()
    print(outcomes, flush=True)
"""

NAMES = [
    *(name for name, metric in ss.METRICS.items() if not metric.only_tables),
    *(f"{name} in time" for name, metric in ss.METRICS.items() if metric.in_time and not metric.only_tables),
    *("soft_rand_distance", "soft_rand_distance in time"),
    *("boundary_edits", "match", "f1_curve", "f1_curve in time", "explain", "pair_counts", "mirkin_distance"),
]


def run(names, size, seconds):
    command = [sys.executable, "-c", REWRITE, str(size), str(seconds), *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{done.stdout[-200:]}: {done.returncode} {done.stderr[-2000:]}"
    assert [line.split(": ")[0] for line in done.stdout.splitlines()] == names


# Several scores share a process, because its start takes longer than a score. The output names the score that failed.
@pytest.mark.slow
@pytest.mark.parametrize("names", [NAMES[k : k + 12] for k in range(0, len(NAMES), 12)], ids=lambda names: names[0])
def test_every_score_survives(names):
    run(names, 2000, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["median_error", "median_error in time", "boundary_similarity", "boundary_edits"])
def test_what_read_past_the_end_or_never_ended(name):
    run([name], 2**20 + 5 if name.startswith("median") else 20_000, 2)


class Labelled:
    """What passes for a Segmentation, with as many labels as it likes."""

    def __init__(self, labels, in_time=False):
        import numpy as np

        self._cuts = np.array([3, 8], dtype=float if in_time else np.int64).tobytes()
        self._labels = np.array(labels, dtype=np.int64).tobytes()
        self.n, self.duration = (None, 10.0) if in_time else (10, None)


@pytest.mark.parametrize("labels", [[], [0], [0, 1], [0, 1, 0, 1], [0, 1, -1], [0, 1, 3], [2**62, 0, 1]])
def test_labels_that_do_not_fit(labels):
    message = (
        f"truth has {len(labels)} label{'s' * (len(labels) != 1)} for 3 segments, or a label out of range; "
        "expected a Segmentation that segscore made"
    )
    for in_time, length in ((False, {"n": 10}), (True, {"duration": 10}), (True, {})):
        with pytest.raises(ValueError, match=f"^{message}$"):
            ss.rand_index(Labelled(labels, in_time), [4], **length)
        right = ss.Segmentation([3, 8], ["a", "b", "a"], **(length or {"duration": 10}))
        assert ss.rand_index(Labelled([0, 1, 0], in_time), [4], **length) == ss.rand_index(right, [4])


def test_what_only_looks_like_a_segmentation():
    for n, duration, message in (
        (None, None, "truth is a Labelled; expected a sequence of cuts"),
        ("ten", None, "truth is a Labelled; expected a sequence of cuts"),
        (2**70, None, "truth is a Labelled; expected a sequence of cuts"),
        (None, 10, "truth is a Labelled; expected a sequence of cuts"),
    ):
        fake = Labelled([0, 1, 0])
        fake.n, fake.duration = n, duration
        with pytest.raises(TypeError, match=f"^{message}$"):
            ss.rand_index(fake, [4], n=10)
    for duration in (float("nan"), float("inf"), 0.0, -1.0):
        fake = Labelled([0, 1, 0], in_time=True)
        fake.duration = duration
        with pytest.raises(ValueError, match=r"is not positive and finite; expected the length of the recording$"):
            ss.rand_index(fake, [4])
