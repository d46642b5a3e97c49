"""The expected Rand distance as a loss for JAX, under jit, vmap and grad.

The walk is one ``lax.scan`` over the gaps of all series together. The gradient is computed from
two walks, one from each end, so only the sums at each gap are kept. ``docs/soft.md`` has the derivation and says what
the loss rewards.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from .optional import library

__all__ = ["soft_rand_loss"]


def soft_rand_loss(
    truth: Any,  # noqa: ANN401
    *,
    logits: Any = None,  # noqa: ANN401
    probabilities: Any = None,  # noqa: ANN401
    mask: Any = None,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Compute the expected Rand distance of each series, from one value per gap, for JAX.

    The arguments are those of `segscore.soft_rand_loss`, as arrays of JAX of any number of dimensions; the last one
    holds the n - 1 gaps. The result has one value per series, and JAX differentiates it by ``logits``,
    ``probabilities`` and ``truth``, in reverse mode. All sums are float32, or float64 for float64 arrays. Values are
    not checked, because JAX compiles the function before it has values. The function needs the extra ``jax``.
    """
    if (logits is None) == (probabilities is None):
        raise TypeError("soft_rand_loss needs logits= or probabilities=; expected one of them")
    name, given = ("probabilities", probabilities) if logits is None else ("logits", logits)
    jnp = library("jax.numpy", extra="jax")
    given = _array(given, name)
    if not jnp.issubdtype(given.dtype, jnp.floating):
        raise TypeError(f"{name} holds {given.dtype}; expected floats")
    if given.ndim == 0:
        raise ValueError(f"{name} has no dimension; expected one value per gap, n - 1 for n points")
    wanted, marks = _array(truth, "truth"), None if mask is None else _array(mask, "mask")
    if jnp.issubdtype(wanted.dtype, jnp.complexfloating):
        raise TypeError(f"truth holds {wanted.dtype}; expected 0 and 1, or probabilities")
    for array, what in ((wanted, "truth"), (marks, "mask")):
        if array is not None and array.shape != given.shape:
            raise ValueError(
                f"{what} has shape {array.shape} but {name} has shape {given.shape}; expected one value per gap, "
                "n - 1 for n points"
            )
    if marks is not None and marks.dtype != bool:
        raise TypeError(f"mask holds {marks.dtype}; expected bools, True where the truth is known")
    kind = jnp.promote_types(given.dtype, jnp.float32)  # sums of float16 and bfloat16 would end at 2048 and 256 points
    losses = _made()(logits is not None, wanted.astype(kind), given.astype(kind), marks)
    return losses.astype(given.dtype)


def _array(given: Any, name: str) -> Any:  # noqa: ANN401
    """Return an array of JAX."""
    try:
        return library("jax.numpy", extra="jax").asarray(given)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a {type(given).__name__}; expected an array of numbers") from None


@cache
def _made() -> Any:  # noqa: ANN401
    """Make the differentiable function when JAX is needed first."""
    jax = library("jax", extra="jax")
    jnp = library("jax.numpy", extra="jax")

    def step(sums: Any, gap: Any) -> tuple[Any, Any]:  # noqa: ANN401
        """Pass one gap and the point behind the gap; no term is negative, so nothing cancels."""
        truth_only, pred_only, both = sums
        p_truth, k_truth, p_pred, k_pred = gap
        passed = (
            k_truth * (truth_only + p_pred * both),
            k_pred * (pred_only + p_truth * both),
            k_truth * k_pred * both + 1,
        )
        return passed, (sums, passed[0] + passed[1])

    def walk(truth: Any, pred: Any, reverse: bool = False) -> tuple[Any, Any]:  # noqa: ANN401
        """Return the sums before each gap, in the direction of the walk, and the sum of all disagreements."""
        gaps = tuple(jnp.moveaxis(each, -1, 0) for each in (*truth, *pred))
        none = jnp.zeros_like(gaps[0][0])
        _, (before, apart) = jax.lax.scan(step, (none, none, none + 1), gaps, reverse=reverse, unroll=4)
        return tuple(jnp.moveaxis(each, 0, -1) for each in before), jnp.sum(apart, axis=0)

    def sides(is_logits: bool, truth: Any, pred: Any, mask: Any) -> tuple[Any, Any]:  # noqa: ANN401
        """Return probabilities and keeps; a gap that does not count is a certain cut on both sides."""
        cut, keep = (jax.nn.sigmoid(pred), jax.nn.sigmoid(-pred)) if is_logits else (pred, 1 - pred)

        def masked(cut: Any, keep: Any) -> tuple[Any, Any]:  # noqa: ANN401
            return (cut, keep) if mask is None else (jnp.where(mask, cut, 1), jnp.where(mask, keep, 0))

        return masked(truth, 1 - truth), masked(cut, keep)

    def pairs(mask: Any, gaps: int, dtype: Any) -> Any:  # noqa: ANN401
        """Count the pairs of points without an unknown gap between them; 1 if there is none."""
        if mask is None:
            return gaps * (gaps + 1) / 2

        def count(points: Any, known: Any) -> tuple[Any, Any]:  # noqa: ANN401
            return jnp.where(known, points + 1, 1), jnp.where(known, points, 0)

        marks = jnp.moveaxis(mask, -1, 0)
        _, counts = jax.lax.scan(count, jnp.ones(marks.shape[1:], dtype), marks)
        return jnp.maximum(jnp.sum(counts, axis=0), 1)

    def loss(is_logits: bool, truth: Any, pred: Any, mask: Any) -> Any:  # noqa: ANN401
        return forward(is_logits, truth, pred, mask)[0]

    def forward(is_logits: bool, truth: Any, pred: Any, mask: Any) -> tuple[Any, Any]:  # noqa: ANN401
        if pred.shape[-1] == 0:
            return jnp.zeros(pred.shape[:-1], pred.dtype), (truth, pred, mask, None)
        before, total = walk(*sides(is_logits, truth, pred, mask))
        return total / pairs(mask, pred.shape[-1], pred.dtype), (truth, pred, mask, before)

    def backward(is_logits: bool, kept: Any, given: Any) -> tuple[Any, Any, None]:  # noqa: ANN401
        truth, pred, mask, before = kept
        if before is None:
            return truth, pred, None
        both = sides(is_logits, truth, pred, mask)
        (p_truth, k_truth), (p_pred, k_pred) = both
        u, v, c = before
        (x, y, z), _ = walk(*both, reverse=True)
        scale = (given / pairs(mask, pred.shape[-1], pred.dtype))[..., None]
        scale = scale if mask is None else jnp.where(mask, scale, 0)
        by_truth = scale * (c * z * (k_pred - p_pred) - (u * (x + z) + c * x))
        by_pred = scale * (c * z * (k_truth - p_truth) - (v * (y + z) + c * y))
        return by_truth, by_pred * p_pred * k_pred if is_logits else by_pred, None

    made = jax.custom_vjp(loss, nondiff_argnums=(0,))
    made.defvjp(forward, backward)
    return made
