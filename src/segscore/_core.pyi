# Cuts are whatever the gate reads; the alias of the same name in segmentation.py would make a cycle of imports.
from builtins import object as Cuts
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

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

class RunningAreas:
    def __init__(self) -> None: ...
    def cut_truth(self, cut: float) -> None: ...
    def cut_pred(self, cut: float) -> None: ...
    def counts(self, t: float) -> tuple[float, float, float, float]: ...
    def rand_index(self, t: float) -> float: ...

class WindowedPairs:
    def __init__(self, window: int) -> None: ...
    def cut_truth(self, cut: int) -> None: ...
    def cut_pred(self, cut: int) -> None: ...
    def counts(self, t: int) -> tuple[int, int, int, int]: ...
    def rand_index(self, t: int) -> float: ...
    def kept(self) -> int: ...

class WindowedAreas:
    def __init__(self, window: float) -> None: ...
    def cut_truth(self, cut: float) -> None: ...
    def cut_pred(self, cut: float) -> None: ...
    def counts(self, t: float) -> tuple[float, float, float, float]: ...
    def rand_index(self, t: float) -> float: ...
    def kept(self) -> int: ...

def load_cuts(cuts: Cuts, n: int | None, duration: float | None, name: str) -> tuple[bytes, int | float]: ...
def load_both(truth: Cuts, pred: Cuts, n: int | None, duration: float | None) -> tuple[bytes, bytes, int | float]: ...
def load_ends(ends: Cuts) -> tuple[bytes, int]: ...
def load_integers(values: object, name: str) -> bytes: ...
def load_reals(values: object, name: str) -> bytes: ...
def load_n(n: object) -> int: ...
def load_duration(duration: object) -> float: ...
def load_chances(values: object, name: str, is_logits: bool) -> tuple[bytes, bytes]: ...
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
    truth: NDArray[Any],
    pred: NDArray[Any],
    mask: NDArray[np.bool_] | None,
    name: str,
    is_logits: bool,
    is_one: bool,
    losses: NDArray[np.float64],
    gradient: NDArray[Any],
) -> None: ...
def count_cells(truth: Cuts, pred: Cuts, n: int | None, duration: float | None) -> int: ...
def pair_counts(
    truth: Cuts, pred: Cuts, n: int | None, duration: float | None
) -> tuple[int, int, int, int] | tuple[float, float, float, float]: ...
def metrics() -> list[tuple[str, str, float, float, float, bool, str, tuple[str, ...], str, tuple[str, ...]]]: ...
def refuse_time(name: str, instead: str) -> NoReturn: ...
def refuse_labels(name: str) -> NoReturn: ...
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
) -> tuple[list[int], list[int], list[float], list[float], float, float]: ...
def region_counts(
    pred: Cuts, n: int | None, duration: float | None, starts: list[float], ends: list[float]
) -> list[int]: ...
def information(
    truth: Cuts, pred: Cuts, n: int | None, duration: float | None, base: float
) -> tuple[float, float, float, float, float]: ...
def window_curve(
    truth: Cuts,
    pred: Cuts,
    n: int | None,
    duration: float | None,
    name: str,
    windows: list[float],
    weighted: bool,
    lamprier: bool,
) -> list[float]: ...
def best_ious(truth: Cuts, pred: Cuts, n: int | None) -> list[float]: ...
def expected_disagreement(truth: bytes, length: float, r: int) -> float: ...
def expected_disagreement_of_both(length: float, r: int, s: int) -> float: ...
def expected_disagreement_of_random_cuts(truth: bytes, length: float, p: float) -> float: ...
def log_chance_to_miss(n: float, length: float, m: float) -> float: ...
def drawn_scores(
    plan: Plan, truth: bytes, pred: bytes, length: float, null: int, p: float, draws: int, seed: int
) -> tuple[float, list[float]]: ...
def drawn_cuts(pred: bytes, length: float, null: int, p: float, count: int, seed: int) -> list[bytes]: ...
def explain(
    truth: Cuts, pred: Cuts, n: int | None, duration: float | None
) -> tuple[bytes, bytes, bytes, bytes, int | float]: ...
def score_matrix(
    plan: Plan,
    truths: Iterable[Cuts],
    preds: Iterable[Cuts] | None,
    n: int | None,
    duration: float | None,
    threads: int,
    result: NDArray[np.float64],
) -> None: ...
def score_table(
    stream: object,
    truth: str,
    pred: str,
    truth_labels: str | None,
    pred_labels: str | None,
    plan: Plan,
    length: int | float | str | None,
    in_time: bool,
    threads: int,
    nested: bool,
    against_others: bool,
) -> tuple[list[NDArray[np.float64]], NDArray[np.uint8], dict[int, str], dict[str, int]]: ...
def table_rows(
    stream: object,
    truth: str,
    pred: str,
    truth_labels: str | None,
    pred_labels: str | None,
    length: int | float | str | None,
    in_time: bool,
    nested: bool,
) -> list[tuple[list[list[Any]], list[Any], Any] | None]: ...
def read_labels(text: str, name: str) -> list[Any] | None: ...
def read_text(text: str, name: str, in_time: bool = ...) -> list[float] | list[list[float]] | None: ...
def together(truths: list[bytes], pred: bytes, length: float, margin: float) -> tuple[float, float, float]: ...
def nearest(
    plan: Plan,
    segmentations: Iterable[Cuts],
    queries: Iterable[Cuts],
    n: int | None,
    duration: float | None,
    threads: int,
    indices: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> int: ...
def consensus(
    segmentations: Iterable[Cuts], n: int | None, duration: float | None, weights: Iterable[float] | None
) -> tuple[list[Any], Any, list[Any]]: ...
def boundary_edits(
    truth: Cuts, pred: Cuts, n: int | None, duration: float | None, n_t: int
) -> tuple[list[int], list[tuple[int, int]], list[int], list[int]]: ...
