"""Soft segmentations: cuts with probabilities, and the expected Rand Index.

A soft segmentation gives each of its cuts a probability. All cuts are independent of each other, within a side and
between the two sides. A plain segmentation is a soft segmentation whose probabilities are all 1. Two points are
together if all cuts between them are absent. The probability of this is a product over these cuts, so all pairs are
counted in one walk over the cuts, as for the Rand Index.

All functions that compare two sides share these arguments:

truth, pred
    Two segmentations of the same points. Each side is a `SoftSegmentation`, or a plain segmentation: interior cuts in
    any sequence, array, column or iterator, or a `Segmentation`.
n
    The number of points. A `SoftSegmentation` and a `Segmentation` have their own length.
duration
    Replaces n for real-valued cuts in (0, duration). Pairs of moments are then measured as areas.

The expected counts have a relative error of at most 4 (r + s + 2) 2**-53, because nothing is subtracted.
In practice the relative error is below 1e-13 for a million cuts. ``docs/soft.md`` has the derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from .. import _core
from ..segmentation.segmentation import Cuts, Segmentation
from ..segmentation.sides import refuse_labels
from ..showing import count_text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

__all__ = [
    "SoftPairCounts",
    "SoftSegmentation",
    "soft_pair_counts",
    "soft_rand_distance",
    "soft_rand_index",
]

SHOWN_CUTS = 6  # cuts that the text of a soft segmentation shows


class SoftSegmentation:
    """A segmentation in which each cut has a probability. Immutable.

    Parameters
    ----------
    cuts
        Interior cuts, strictly increasing; a leading 0 and a trailing n are accepted and dropped.
    probability
        The probability of each cut, from 0 to 1. A cut that is not listed has probability 0.
    n, duration
        The number of points, or the duration for cuts in real-valued time.

    Examples
    --------
    >>> soft = SoftSegmentation([4, 8], [0.9, 0.8], n=10)
    >>> soft
    SoftSegmentation([4, 8], [0.9, 0.8], n=10)
    >>> soft.cuts, soft.probability
    ([4, 8], [0.9, 0.8])
    >>> SoftSegmentation([2.5], [0.9], duration=10.0)
    SoftSegmentation([2.5], [0.9], duration=10.0)

    """

    __slots__ = ("_chances", "_places", "duration", "n")

    _places: Segmentation
    _chances: tuple[bytes, bytes]  # the probability that there is a cut, and that there is none
    n: int | None
    duration: float | None

    def __new__(
        cls,
        cuts: Cuts,
        probability: Iterable[float],
        *,
        n: int | None = None,
        duration: float | None = None,
    ) -> Self:
        """Check the cuts and the probabilities, and make the object."""
        refuse_labels("SoftSegmentation", cuts)
        places = located(cuts, n, duration, "cuts")
        chances = _core.load_chances(probability, "probability", False)
        number, count = len(chances[0]) // 8, len(places._cuts) // 8
        if number != count:
            raise ValueError(
                f"probability has {count_text(number, 'value')} for {count_text(count, 'cut')}; "
                "expected one value per cut (0 and n are not cuts)"
            )
        return cls._of(places, chances)

    @classmethod
    def _of(cls, places: Segmentation, chances: tuple[bytes, bytes]) -> Self:
        """Make a soft segmentation of parts that are already checked."""
        soft = super().__new__(cls)
        object.__setattr__(soft, "_places", places)
        object.__setattr__(soft, "_chances", chances)
        object.__setattr__(soft, "n", places.n)
        object.__setattr__(soft, "duration", places.duration)
        return soft

    @classmethod
    def from_probabilities(cls, probabilities: Iterable[float]) -> Self:
        """Make a soft segmentation from one probability per gap: n - 1 values for n points.

        Value k is the probability of cut k + 1, between the points k and k + 1.

        >>> SoftSegmentation.from_probabilities([0, 0.5, 0.25])
        SoftSegmentation([1, 2, 3], [0.0, 0.5, 0.25], n=4)
        """
        return cls._of_gaps(_core.load_chances(probabilities, "probabilities", False))

    @classmethod
    def from_logits(cls, logits: Iterable[float]) -> Self:
        """Make a soft segmentation from one logit per gap: n - 1 values for n points.

        The probability of a cut is 1 / (1 + exp(-z)), and the probability of no cut is 1 / (1 + exp(z)). Both are
        computed directly, so logits of -50 and 50 keep their digits. An infinite logit means a certain cut or no cut.

        >>> SoftSegmentation.from_logits([-50, 0, 50])
        SoftSegmentation([1, 2, 3], [1.92875e-22, 0.5, 1.0], n=4)
        """
        return cls._of_gaps(_core.load_chances(logits, "logits", True))

    @classmethod
    def _of_gaps(cls, chances: tuple[bytes, bytes]) -> Self:
        n = len(chances[0]) // 8 + 1
        return cls._of(Segmentation(range(1, n), n=n), chances)

    @classmethod
    def from_samples(cls, samples: Iterable[Cuts], *, n: int | None = None, duration: float | None = None) -> Self:
        """Make a soft segmentation from samples of a posterior, or from several annotators.

        The probability of a cut is the share of the samples, or of the annotators, that have the cut. These are the
        marginal probabilities: the dependence of cuts within a sample is lost.

        >>> SoftSegmentation.from_samples([[3, 8], [4, 8], [4, 7], [8]], n=10)
        SoftSegmentation([3, 4, 7, 8], [0.25, 0.5, 0.25, 0.75], n=10)
        """
        import numpy as np

        all_cuts, first = [], None
        if not isinstance(samples, Iterable):
            raise TypeError(f"samples is a {type(samples).__name__}; expected several segmentations")
        for number, sample in enumerate(samples):
            refuse_labels("from_samples", sample)
            places = located(sample, n, duration, f"samples[{number}]")
            first = first or places
            if (places.n, places.duration) != (first.n, first.duration):
                own, others = (
                    f"n = {x.n}" if x.duration is None else f"duration = {x.duration}" for x in (places, first)
                )
                raise ValueError(f"samples[{number}] has {own} but the others have {others}; expected one length")
            all_cuts.append(places._array())
        if first is None:
            raise ValueError("samples is empty; expected at least one segmentation")
        cuts, counts = np.unique(np.concatenate(all_cuts), return_counts=True)
        chances = (counts / len(all_cuts)).tobytes(), ((len(all_cuts) - counts) / len(all_cuts)).tobytes()
        return cls._of(located(cuts, first.n, first.duration, "cuts"), chances)

    @property
    def cuts(self) -> list[int] | list[float]:
        """The interior cuts, integers or times."""
        return self._places.cuts

    @property
    def probability(self) -> list[float]:
        """The probability of each cut."""
        return [float(p) for p in memoryview(self._chances[0]).cast("d")]

    def to_probabilities(self) -> NDArray[Any]:
        """Return one probability per gap, n - 1 values; gaps without a cut have probability 0.

        >>> SoftSegmentation([2], [0.5], n=4).to_probabilities()
        array([0. , 0.5, 0. ])
        """
        import numpy as np

        if self.n is None:
            raise TypeError(
                "to_probabilities needs points, and times have no gaps; expected a soft segmentation with n"
            )
        try:
            values = np.zeros(max(self.n - 1, 0))
        except (MemoryError, ValueError):
            raise MemoryError(
                f"to_probabilities makes one value per gap, too many for n = {self.n}; use .cuts and .probability"
            ) from None
        values[self._places._array() - 1] = np.frombuffer(self._chances[0])
        return values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SoftSegmentation):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[Segmentation, tuple[bytes, bytes]]:
        return self._places, self._chances

    def __repr__(self) -> str:
        length = f"n={self.n}" if self.n is not None else f"duration={self.duration}"
        if len(self._chances[0]) // 8 <= SHOWN_CUTS:
            return f"SoftSegmentation({self.cuts}, [{self._shown_probabilities()}], {length})"
        places = self._places._view()
        first = ", ".join(map(str, places[:SHOWN_CUTS]))
        return (
            f"<SoftSegmentation of {len(places)} cuts, {length}: [{first}, ...], [{self._shown_probabilities()}, ...]>"
        )

    def _shown_probabilities(self) -> str:
        values = memoryview(self._chances[0]).cast("d")[:SHOWN_CUTS]
        return ", ".join(str(p) if len(str(p)) <= 8 else f"{p:.6g}" for p in values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a SoftSegmentation cannot be changed; make a new one instead of setting {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a SoftSegmentation cannot be changed; {name} cannot be deleted")

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        return type(self)._of, self._parts()


def located(cuts: Cuts, n: int | None, duration: float | None, name: str) -> Segmentation:
    """Check cuts; return them as a Segmentation in points or in time, without labels."""
    origin = cuts._origin if isinstance(cuts, Segmentation) else None
    return Segmentation._of(*_core.load_cuts(cuts, n, duration, name), origin=origin)


SoftCuts: TypeAlias = "SoftSegmentation | Cuts"


def _soft_sides(
    truth: SoftCuts, pred: SoftCuts, n: int | None, duration: float | None
) -> tuple[Any, Any, Any, Any, int | None, float | None]:
    """Return both sides with their chances, and the length, as the core expects them."""
    return (*parts_of(truth), *parts_of(pred), n, duration)


def parts_of(side: SoftCuts) -> tuple[Any, tuple[bytes, bytes] | None]:
    """Return the cuts of a side and their chances as the core expects them; None if all cuts are certain."""
    if not isinstance(side, SoftSegmentation):
        return side, None
    return side._places, side._chances


def certain(soft: SoftSegmentation, cuts: Cuts) -> Segmentation:
    """Return cuts as a plain segmentation with the length, and the origin of timestamps, of a soft segmentation."""
    return Segmentation(cuts, n=soft.n, duration=soft.duration)._from(soft._places._origin)


class SoftPairCounts(NamedTuple):
    """Expected numbers of pairs kept together by both segmentations, by one, or by neither.

    The numbers are areas with ``duration=``. The fields ``plug_in_...`` are the formulas of the pair family with
    expected counts in place of counts. They are ratios of expectations, not expectations of ratios.
    """

    both: float
    truth_only: float
    pred_only: float
    neither: float
    plug_in_precision: float
    plug_in_recall: float
    plug_in_f1: float
    plug_in_jaccard: float
    plug_in_adjusted_rand: float


def soft_rand_index(truth: SoftCuts, pred: SoftCuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Expected Rand Index of two segmentations whose cuts have probabilities.

    1 - E[d] / T, in [0, 1], best 1, symmetric, O(r+s) time, O(1) memory besides the input. The value is 1 for n < 2. It
    equals `rand_index` if all probabilities are 0 or 1. A right prediction scores higher with a higher probability.
    `expected_rand_index` is another number: the mean over random predictions.

    >>> pred = SoftSegmentation([4, 8], [0.9, 0.8], n=10)
    >>> round(soft_rand_index([3, 8], pred), 6)
    0.787556

    Reference: E[d] is the expected Binder loss of Bayesian clustering (Binder 1978); ``docs/soft.md`` for the walk.
    """
    return _core.soft_rand(*_soft_sides(truth, pred, n, duration), name="soft_rand_index")[0]


def soft_rand_distance(
    truth: SoftCuts, pred: SoftCuts, *, n: int | None = None, duration: float | None = None
) -> float:
    """Expected share of pairs of points that two soft segmentations treat differently.

    E[d] / T, in [0, 1], best 0, symmetric, O(r+s). The value is 0 for n < 2. It is computed by a division of its own,
    so it keeps its digits where the two sides nearly agree. The distance of a soft segmentation from itself is not 0,
    because the two sides are independent.

    >>> pred = SoftSegmentation([4, 8], [0.9, 0.8], n=10)
    >>> round(soft_rand_distance([3, 8], pred), 6)
    0.212444

    Reference: as `soft_rand_index`.
    """
    return _core.soft_rand(*_soft_sides(truth, pred, n, duration), name="soft_rand_distance")[1]


def soft_pair_counts(
    truth: SoftCuts, pred: SoftCuts, *, n: int | None = None, duration: float | None = None
) -> SoftPairCounts:
    """Compute the expected numbers of pairs kept together by both sides, by one, or by neither.

    The four numbers add up to n(n-1)/2, or with ``duration=`` to duration**2 / 2. The result also has plug-in values
    of precision, recall, F1, Jaccard index and adjusted Rand Index: the formulas of the pair family with expected
    counts in place of counts. Plug-in values are not expectations. The cost is O(r+s).

    >>> counts = soft_pair_counts([3, 8], SoftSegmentation([4, 8], [0.9, 0.8], n=10))
    >>> [round(count, 2) for count in counts[:4]]
    [10.4, 3.6, 5.96, 25.04]
    >>> round(counts.plug_in_f1, 4)
    0.6851

    Reference: as `soft_rand_index`.
    """
    return SoftPairCounts(*_core.soft_counts(*_soft_sides(truth, pred, n, duration)))
