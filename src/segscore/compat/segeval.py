"""segeval: hypothesis before reference; masses by default; results are `decimal.Decimal`.

Each score takes two segmentations, one dataset ``{item: {coder: segmentation}}`` or two datasets. For one dataset it
compares all coders of each item. For datasets the result is a dict from ``"item,coder,coder"`` to values. Segmentations
to be compared must have boundaries of one type; several types are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any, NamedTuple

from ..arguments import choice
from ..scores import edits, windows
from ..scores.agreement import ChanceAgreement, chance_agreement
from ..segmentation.segmentation import Segmentation

__all__ = [
    "BoundaryFormat",
    "actual_agreement_linear",
    "artstein_poesio_bias_linear",
    "boundary_similarity",
    "boundary_string_from_masses",
    "compute_window_size",
    "convert_masses_to_positions",
    "convert_nltk_to_masses",
    "convert_positions_to_masses",
    "fleiss_kappa_linear",
    "fleiss_pi_linear",
    "pk",
    "segmentation_similarity",
    "window_diff",
]


class BoundaryFormat:
    """Format of a segmentation."""

    mass = "mass"  # the lengths of the segments
    position = "position"  # the number of its segment for each point
    sets = "sets"  # one set per gap, non-empty at a boundary
    nltk = "nltk"  # a string with one mark per gap


class Addition(NamedTuple):
    """A boundary that only one side has: ``a`` for the first side, ``b`` for the second."""

    type: Any
    side: str


class Transposition(NamedTuple):
    """A boundary that moved, with the gaps that hold the boundary on either side."""

    start: int
    end: int
    type: Any


def convert_positions_to_masses(positions: Iterable[Any]) -> tuple[int, ...]:
    """Convert positions to masses, the lengths of the runs.

    >>> convert_positions_to_masses((1, 1, 1, 2, 2))
    (3, 2)
    """
    return tuple(Segmentation.from_labels(positions).lengths)


def convert_masses_to_positions(masses: Iterable[int]) -> tuple[int, ...]:
    """Convert masses to positions, the number of the segment of each point.

    >>> convert_masses_to_positions((3, 2))
    (1, 1, 1, 2, 2)
    """
    return tuple(chain.from_iterable([k] * mass for k, mass in enumerate(masses, 1)))


def convert_nltk_to_masses(string: str, boundary_symbol: str = "1") -> tuple[int, ...]:
    """Convert a string with one mark per gap to masses.

    >>> convert_nltk_to_masses("001000")
    (3, 4)
    """
    return tuple(len(part) + 1 for part in string.split(boundary_symbol))


def boundary_string_from_masses(masses: Iterable[int]) -> tuple[frozenset[int], ...]:
    """Convert masses to one set per gap, which holds 1 at a boundary.

    >>> boundary_string_from_masses((1, 2))
    (frozenset({1}), frozenset())
    """
    segmentation = Segmentation.from_lengths(masses)
    cuts = set(segmentation.cuts)
    return tuple(frozenset({1} if cut in cuts else ()) for cut in range(1, segmentation.n))


def compute_window_size(
    reference: Any,  # noqa: ANN401
    *,
    fnc_round: Callable[[Decimal], Any] = round,
    boundary_format: str = BoundaryFormat.mass,
) -> int:
    """Half the mean mass of a segmentation or a dataset, rounded half to even, at least 2.

    >>> compute_window_size((5, 5, 6))
    3
    """

    def given(inner: Any) -> Iterable[Any]:  # noqa: ANN401
        return chain.from_iterable(map(given, inner.values())) if isinstance(inner, Mapping) else [inner]

    segmentations, _ = _of_one_type("reference", list(given(reference)), boundary_format)
    lengths = [length for segmentation in segmentations for length in segmentation.lengths]
    return max(2, int(fnc_round(Decimal(sum(lengths)) / len(lengths) / 2))) if lengths else 2


def pk(
    hypothesis: Any = None,  # noqa: ANN401
    reference: Any = None,  # noqa: ANN401
    *,
    dataset: Any = None,  # noqa: ANN401
    boundary_format: str = BoundaryFormat.mass,
    window_size: int | None = None,
    one_minus: bool = False,
    return_parts: bool = False,
    fnc_round: Callable[[Decimal], Any] = round,
    permuted: bool = True,
) -> Any:  # noqa: ANN401
    """Pk, or the numbers of differing windows and of all windows.

    >>> pk((3, 7), (5, 5), window_size=2)
    Decimal('0.5')
    """

    def score(hyp: Segmentation, ref: Segmentation, _: Any) -> Any:  # noqa: ANN401
        k = compute_window_size(ref.lengths, fnc_round=fnc_round) if window_size is None else window_size
        every = max(0, ref.n - k)
        differ = round(windows.pk(ref, hyp, k=k) * every) if every and k else 0
        return _share(differ, every, one_minus, return_parts)

    return _compare(score, hypothesis, reference, dataset, boundary_format, permuted)


def window_diff(
    hypothesis: Any = None,  # noqa: ANN401
    reference: Any = None,  # noqa: ANN401
    *,
    dataset: Any = None,  # noqa: ANN401
    boundary_format: str = BoundaryFormat.mass,
    window_size: int | None = None,
    one_minus: bool = False,
    return_parts: bool = False,
    fnc_round: Callable[[Decimal], Any] = round,
    permuted: bool = True,
    lamprier_et_al_2007_fix: bool = False,
) -> Any:  # noqa: ANN401
    """WindowDiff, or the numbers of differing windows and of all windows.

    >>> window_diff((3, 7), (5, 5), window_size=2)
    Decimal('0.5')
    """

    def score(hyp: Segmentation, ref: Segmentation, _: Any) -> Any:  # noqa: ANN401
        k = compute_window_size(ref.lengths, fnc_round=fnc_round) if window_size is None else window_size
        every = ref.n + max(k, 2 - k) + 1 if lamprier_et_al_2007_fix else max(0, ref.n - k)
        differ = (
            round(windows.window_diff(ref, hyp, k=k, lamprier=lamprier_et_al_2007_fix) * every) if every and k else 0
        )
        return _share(differ, every, one_minus, return_parts and not one_minus)

    return _compare(score, hypothesis, reference, dataset, boundary_format, permuted)


def boundary_similarity(
    hypothesis: Any = None,  # noqa: ANN401
    reference: Any = None,  # noqa: ANN401
    *,
    dataset: Any = None,  # noqa: ANN401
    boundary_format: str = BoundaryFormat.mass,
    n_t: int = 2,
    one_minus: bool = False,
    return_parts: bool = False,
    permuted: bool = False,
    boundary_types: Any = None,  # noqa: ANN401
    weight: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]] | None = None,
) -> Any:  # noqa: ANN401
    """Boundary similarity (B), or the parts of which B is computed.

    The parts are numerator, denominator, additions, substitutions and transpositions.

    >>> boundary_similarity((4, 6), (5, 5))
    Decimal('0.5')
    """

    def score(hyp: Segmentation, ref: Segmentation, kind: Any) -> Any:  # noqa: ANN401
        matches, additions, transpositions, cost = _edits(hyp, ref, n_t, weight, kind)
        every = matches + len(additions) + len(transpositions)
        if return_parts:
            return every - cost, every, additions, [], transpositions
        return _share(every - cost, every, one_minus, False, of_nothing=1)

    return _compare(score, hypothesis, reference, dataset, boundary_format, permuted)


def segmentation_similarity(
    hypothesis: Any = None,  # noqa: ANN401
    reference: Any = None,  # noqa: ANN401
    *,
    dataset: Any = None,  # noqa: ANN401
    boundary_format: str = BoundaryFormat.mass,
    n_t: int = 2,
    one_minus: bool = False,
    return_parts: bool = False,
    permuted: bool = False,
    boundary_types: Any = None,  # noqa: ANN401
    weight: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]] | None = None,
) -> Any:  # noqa: ANN401
    """Segmentation similarity (S), or its numerator and denominator.

    >>> segmentation_similarity((4, 6), (5, 5))
    Decimal('0.9444444444444444444444444444')
    """

    def score(hyp: Segmentation, ref: Segmentation, kind: Any) -> Any:  # noqa: ANN401
        cost = _edits(hyp, ref, n_t, weight, kind)[-1]
        return _share(ref.n - 1 - cost, ref.n - 1, one_minus, return_parts, of_nothing=1)

    return _compare(score, hypothesis, reference, dataset, boundary_format, permuted)


def actual_agreement_linear(dataset: Mapping[Any, Mapping[Any, Any]], *, n_t: int = 2) -> Decimal:
    """Observed agreement of the coders of all items by boundary similarity."""
    return _decimal(_agreement(dataset, n_t).observed)


def fleiss_pi_linear(dataset: Mapping[Any, Mapping[Any, Any]], *, n_t: int = 2, return_parts: bool = False) -> Any:  # noqa: ANN401
    """Agreement beyond chance with one cut rate for all coders, or observed and expected."""
    parts = _agreement(dataset, n_t)
    return _decimal_pair(parts.observed, parts.expected_pi) if return_parts else _decimal(parts.pi)


def fleiss_kappa_linear(dataset: Mapping[Any, Mapping[Any, Any]], *, n_t: int = 2, return_parts: bool = False) -> Any:  # noqa: ANN401
    """Agreement beyond chance with one cut rate per coder, or observed and expected."""
    parts = _agreement(dataset, n_t)
    return _decimal_pair(parts.observed, parts.expected_kappa) if return_parts else _decimal(parts.kappa)


def artstein_poesio_bias_linear(
    dataset: Mapping[Any, Mapping[Any, Any]],
    *,
    n_t: int = 2,
    return_parts: bool = False,
) -> Any:  # noqa: ANN401
    """Difference of the two expected agreements: how unlike the coders are."""
    parts = _agreement(dataset, n_t)
    if return_parts:
        return _decimal_pair(parts.expected_pi, parts.expected_kappa)
    return _decimal(parts.expected_pi - parts.expected_kappa)


def _segmentation(given: Any, boundary_format: str) -> Segmentation:  # noqa: ANN401
    if isinstance(given, Segmentation):
        return given
    makers: dict[str, Callable[[Any], Segmentation]] = {
        BoundaryFormat.mass: lambda masses: Segmentation.from_lengths([masses] if isinstance(masses, int) else masses),
        BoundaryFormat.position: Segmentation.from_labels,
        BoundaryFormat.sets: lambda gaps: Segmentation([k for k, g in enumerate(gaps, 1) if g], n=len(gaps) + 1),
        BoundaryFormat.nltk: lambda marks: Segmentation.from_lengths(convert_nltk_to_masses(marks)),
    }
    return makers[choice(boundary_format, "boundary_format", makers)](given)


def _of_one_type(where: str, given: Collection[Any], boundary_format: str) -> tuple[list[Segmentation], Any]:
    """Return segmentations to be compared with each other, and the type of their boundaries."""
    kinds = {1}
    if boundary_format == BoundaryFormat.sets:
        kinds = {kind for side in given if not isinstance(side, Segmentation) for gap in side for kind in gap} or kinds
    if len(kinds) > 1:
        found = ", ".join(sorted(map(repr, kinds)))
        raise ValueError(
            f"{where}: the boundaries have several types: {found}; expected one type (compare the types one by one)"
        )
    return [_segmentation(side, boundary_format) for side in given], kinds.pop()


def _compare(
    score: Callable[[Segmentation, Segmentation, Any], Any],
    hypothesis: Any,  # noqa: ANN401
    reference: Any,  # noqa: ANN401
    dataset: Any,  # noqa: ANN401
    boundary_format: str,
    permuted: bool,
) -> Any:  # noqa: ANN401
    """Return the score of two segmentations, or of all pairs of coders, by "item,coder,coder"."""

    def of_two(where: str, *given: Any) -> Any:  # noqa: ANN401
        sides, kind = _of_one_type(where, given, boundary_format)
        if sides[0].n != sides[1].n:
            raise ValueError(f"the segmentations have {sides[0].n} and {sides[1].n} points; expected one length")
        return score(sides[0], sides[1], kind)

    if dataset is None and reference is None:
        if not isinstance(hypothesis, Mapping):
            raise TypeError(
                "there is one segmentation; expected hypothesis and reference, or a dataset (a dict of dicts)"
            )
        dataset = hypothesis
    boundary_format = getattr(hypothesis if dataset is None else dataset, "boundary_format", boundary_format)
    if dataset is None and not isinstance(hypothesis, Mapping):
        return of_two("hypothesis and reference", hypothesis, reference)
    found = {}
    if dataset is None:
        for item in hypothesis.keys() & reference.keys():
            for m, n in product(hypothesis[item], reference[item]):
                found[f"{item},{m},{n}"] = of_two(f"item {item!r}", hypothesis[item][m], reference[item][n])
        return found
    for item, coders in dataset.items():
        for m, n in combinations(coders, 2):
            found[f"{item},{m},{n}"] = of_two(f"item {item!r}", coders[m], coders[n])
            if permuted:
                found[f"{item},{n},{m}"] = of_two(f"item {item!r}", coders[n], coders[m])
    return found


def _share(part: Any, whole: int, one_minus: bool, return_parts: bool, of_nothing: int = 0) -> Any:  # noqa: ANN401
    if return_parts:
        return part, whole
    value = Decimal(part) / whole if whole > 0 else Decimal(of_nothing)
    return 1 - value if one_minus else value


def _edits(
    hyp: Segmentation,
    ref: Segmentation,
    n_t: int,
    weight: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]] | None,
    kind: Any,  # noqa: ANN401
) -> tuple[int, list[Addition], list[Transposition], Any]:
    """Return the matches, additions and transpositions of one type of boundary, and their cost."""
    found = edits.boundary_edits(hyp, ref, n_t=n_t)
    sides = [(cut, "a") for cut in found.missed] + [(cut, "b") for cut in found.added]
    additions = [Addition(kind, side) for _, side in sorted(sides)]
    transpositions = [Transposition(min(move) - 1, max(move) - 1, kind) for move in found.moved]
    if weight is None:
        cost = len(additions) + Decimal(sum(move.end - move.start for move in transpositions)) / n_t
    else:
        of_additions, of_substitutions, of_transpositions = weight
        cost = of_additions(additions) + of_substitutions([], kind, kind) + of_transpositions(transpositions, n_t)
    return len(found.matched), additions, transpositions, cost


def _agreement(dataset: Mapping[Any, Mapping[Any, Any]], n_t: int) -> ChanceAgreement:
    boundary_format = getattr(dataset, "boundary_format", BoundaryFormat.mass)
    items = []
    for item, coders in dataset.items():
        segmentations, _ = _of_one_type(f"item {item!r}", coders.values(), boundary_format)
        items.append(dict(zip(coders, segmentations, strict=True)))
    return chance_agreement(items, n_t=n_t)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _decimal_pair(*values: Fraction) -> tuple[Decimal, ...]:
    return tuple(_decimal(value) for value in values)
