from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.segmentation import Cuts

def __getattr__(name: str) -> Callable[..., float]: ...  # the metrics of the catalog, each by its name

class Plan:
    def __init__(
        self,
        entries: Sequence[tuple[int, tuple[Any, ...]]],
        margin: float | None,
        relative_margin: float | None,
        together: Sequence[tuple[str, float]] = ...,
    ) -> None: ...

class RunningPairs:
    def __init__(self) -> None: ...
    def cut_truth(self, cut: int) -> None: ...
    def cut_pred(self, cut: int) -> None: ...
    def counts(self, t: int) -> tuple[int, int, int, int]: ...
    def rand_index(self, t: int) -> float: ...

def load_cuts(cuts: Cuts, n: int | None, name: str) -> tuple[bytes, int]: ...
def load_both(truth: Cuts, pred: Cuts, n: int | None) -> tuple[bytes, bytes, int]: ...
def load_ends(ends: Cuts) -> tuple[bytes, int]: ...
def load_integers(values: object, name: str) -> bytes: ...
def load_n(n: object) -> int: ...
def load_chances(values: object, name: str, is_logits: bool) -> tuple[bytes, bytes]: ...
def load_times(times: object, duration: object, name: str) -> tuple[bytes, float]: ...
def soft_rand(
    truth: object,
    truth_chances: tuple[bytes, bytes] | None,
    pred: object,
    pred_chances: tuple[bytes, bytes] | None,
    n: int | None,
    duration: float | None,
    name: str,
) -> tuple[float, float]: ...
def soft_counts(
    truth: object,
    truth_chances: tuple[bytes, bytes] | None,
    pred: object,
    pred_chances: tuple[bytes, bytes] | None,
    n: int | None,
    duration: float | None,
) -> tuple[float, float, float, float, float, float, float, float, float]: ...
def soft_brier(
    truth: object,
    truth_chances: tuple[bytes, bytes] | None,
    pred: object,
    pred_chances: tuple[bytes, bytes] | None,
    n: int | None,
) -> float: ...
def near_chances(
    truth: object,
    pred: object,
    pred_chances: tuple[bytes, bytes] | None,
    n: int | None,
    duration: float | None,
    margin: float | None,
    relative_margin: float | None,
) -> tuple[bytes, bytes]: ...
def soft_best_cuts(
    pred: object,
    pred_chances: tuple[bytes, bytes] | None,
    n: int | None,
    duration: float | None,
    least_length: float | None,
) -> list[Any]: ...
def soft_losses(
    truth: NDArray[np.float64],
    pred: NDArray[np.float64],
    mask: NDArray[np.bool_],
    name: str,
    is_logits: bool,
    is_one: bool,
    losses: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> None: ...
def count_cells(truth: Cuts, pred: Cuts, n: int | None, duration: float | None) -> int: ...
def pair_counts(
    truth: Cuts, pred: Cuts, n: int | None, duration: float | None
) -> tuple[int, int, int, int] | tuple[float, float, float, float]: ...
def metrics() -> list[tuple[str, str, float, float, float, bool, str, bool, bool, tuple[str, ...]]]: ...
def scores(
    plan: Plan, names: tuple[str, ...], truth: Cuts, pred: Cuts, n: int | None, duration: float | None
) -> dict[str, float]: ...
def match(
    truth: Cuts,
    pred: Cuts,
    n: int | None,
    duration: float | None,
    margin: float | None,
    relative_margin: float | None,
) -> tuple[list[int], list[int], list[float], list[float]]: ...
def margin_curve(
    truth: Cuts, pred: Cuts, n: int | None, duration: float | None
) -> tuple[list[float], list[int], list[float], list[float], list[float], int, int, float]: ...
def margin_area(
    margins: list[float],
    matched: list[int],
    n: float,
    margin: float | None,
    relative_margin: float | None,
    weight: int,
    whole: int,
) -> float: ...
def threshold_curve(
    truth: Cuts,
    pred: Cuts,
    confidence: Iterable[float],
    n: int | None,
    duration: float | None,
    margin: float | None,
    relative_margin: float | None,
    name: str,
) -> tuple[list[float], list[int], list[int], list[float], list[float], list[float], int, float]: ...
def online(
    truth: Cuts, pred: Cuts, n: int | None, duration: float | None, max_delay: float | None
) -> tuple[list[int], list[int], list[float], list[float], float]: ...
def region_counts(
    pred: Cuts, n: int | None, duration: float | None, starts: list[float], ends: list[float]
) -> list[int]: ...
def information(
    truth: Cuts, pred: Cuts, n: int | None, duration: float | None, base: float
) -> tuple[float, float, float, float, float]: ...
def window_curve(
    truth: Cuts, pred: Cuts, n: int | None, windows: list[int], is_pk: bool, weighted: bool, lamprier: bool
) -> list[float]: ...
def best_ious(truth: Cuts, pred: Cuts, n: int | None) -> list[float]: ...
def expected_disagreement(truth: bytes, n: int, r: int) -> float: ...
def expected_disagreement_of_both(n: int, r: int, s: int) -> float: ...
def expected_disagreement_of_bernoulli(truth: bytes, n: int, p: float) -> float: ...
def log_chance_to_miss(n: float, length: float, m: float) -> float: ...
def drawn_scores(
    plan: Plan, truth: bytes, pred: bytes, n: int, null: int, p: float, draws: int, seed: int
) -> tuple[float, list[float]]: ...
def drawn_cuts(pred: bytes, n: int, null: int, p: float, count: int, seed: int) -> list[bytes]: ...
def explain(truth: Cuts, pred: Cuts, n: int | None) -> tuple[bytes, bytes, bytes, bytes, int]: ...
def score_matrix(
    plan: Plan,
    truths: Iterable[Cuts],
    preds: Iterable[Cuts] | None,
    n: int | None,
    threads: int,
    result: NDArray[np.float64],
) -> None: ...
def score_table(
    stream: object,
    truth: str,
    pred: str,
    plan: Plan,
    length: int | float | str | None,
    in_time: bool,
    threads: int,
    nested: bool,
    against_others: bool,
) -> tuple[list[NDArray[np.float64]], NDArray[np.uint8], dict[int, str], dict[str, int]]: ...
def table_rows(
    stream: object, truth: str, pred: str, length: int | float | str | None, nested: bool
) -> list[tuple[list[list[int]], list[int], int] | None]: ...
def read_text(text: str, name: str) -> list[int] | list[list[int]] | None: ...
def together(truths: list[bytes], pred: bytes, n: int, margin: float) -> tuple[float, float, float]: ...
def nearest(
    plan: Plan,
    segmentations: Iterable[Cuts],
    queries: Iterable[Cuts],
    n: int | None,
    threads: int,
    indices: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> int: ...
def consensus(
    segmentations: Iterable[Cuts], n: int | None, weights: Iterable[float] | None
) -> tuple[list[int], int, list[int]]: ...
def boundary_edits(
    truth: Cuts, pred: Cuts, n: int | None, n_t: int
) -> tuple[list[int], list[tuple[int, int]], list[int], list[int]]: ...
