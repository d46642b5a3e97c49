"""The standard signals: levels, change points and noise as the literature has them."""

import numpy as np
import pytest

import segscore as ss


@pytest.mark.parametrize("name", ss.simulate.SIGNALS)
def test_a_signal_is_its_levels_and_noise(name):
    model = ss.simulate.SIGNALS[name]
    clean = ss.simulate.signal(name, sigma=0)
    assert np.array_equal(clean.values, clean.levels)
    assert len(clean.values) == clean.truth.n == model.n
    assert clean.truth == ss.Segmentation.from_labels(clean.levels)  # it changes at the cuts, and nowhere else
    assert len(model.levels) == len(model.cuts) + 1
    noisy = ss.simulate.signal(name, count=400, rng=1)
    assert noisy.values.shape == (400, model.n)
    assert (noisy.values - noisy.levels).std() == pytest.approx(model.sigma, rel=0.02)


def test_the_change_points_of_the_literature():
    starts = {  # the first point of each new segment, counted from 1
        "blocks": [205, 267, 308, 472, 512, 820, 902, 1332, 1557, 1598, 1659],
        "fms": [139, 226, 243, 300, 309, 333],
        "mix": [11, 21, 41, 61, 91, 121, 161, 201, 251, 301, 361, 421, 491],
        "teeth": list(range(11, 141, 10)),
        "stairs": list(range(11, 151, 10)),
    }
    for name, wanted in starts.items():
        truth = ss.simulate.signal(name).truth
        assert truth == ss.Segmentation.from_starts([1, *wanted], n=truth.n, one_based=True)


def test_seeds_scales_and_noise():
    first, second = (ss.simulate.signal("fms", rng=3).values for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, ss.simulate.signal("fms", rng=4).values)
    assert np.array_equal(ss.simulate.signal("fms", rng=-1).values, ss.simulate.signal("fms", rng=np.int64(-1)).values)
    assert ss.simulate.signal("teeth", scale=np.uint8(2)).truth.n == 280
    long = ss.simulate.signal("teeth", scale=7, sigma=0)
    assert long.truth.cuts == [70 * k for k in range(1, 14)]
    for wrong in ({"name": "bloks"}, {"name": "fms", "sigma": -1}, {"name": "fms", "scale": 0}):
        with pytest.raises(ValueError, match=r"expected"):
            ss.simulate.signal(**wrong)
    with pytest.raises(TypeError, match="like is"):
        ss.simulate.segmentations(3, [3, 4])
    with pytest.raises(ValueError, match="count = -1"):
        ss.simulate.segmentations(-1, ss.Segmentation([3], n=9))
