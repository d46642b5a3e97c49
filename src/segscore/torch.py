"""The expected Rand distance as a loss for PyTorch, with its gradient.

On the CPU the core computes the loss and the gradient. On other devices both are computed by PyTorch, with recurrences
in O(n) operations and O(log n) steps that depend on each other. ``docs/soft.md`` has the derivation and says what the
loss rewards.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

from .optional import library
from .soft.losses import soft_rand_loss as loss_of_arrays

__all__ = ["soft_rand_loss"]


def soft_rand_loss(
    truth: Any,  # noqa: ANN401
    *,
    logits: Any = None,  # noqa: ANN401
    probabilities: Any = None,  # noqa: ANN401
    mask: Any = None,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Compute the expected Rand distance of each series, from one value per gap, for PyTorch.

    The arguments are those of `segscore.soft_rand_loss`, as tensors of any number of dimensions; the last dimension
    holds the n - 1 gaps. The result has one value per series, in the type of ``logits`` or ``probabilities``. PyTorch
    differentiates the result by ``logits``, ``probabilities`` and ``truth``, also with ``torch.func.grad`` and
    ``torch.func.vmap``. There is no second derivative.

    On the CPU all sums are float64 and values are checked. On other devices sums are float32, or float64 for float64
    tensors, and values are not checked, because checks would wait for the device. The cost is O(n) time and a few
    vectors of memory. The function needs the extra ``torch``.

    >>> import torch
    >>> logits = torch.zeros(3, requires_grad=True)
    >>> loss = soft_rand_loss(torch.tensor([0.0, 1.0, 0.0]), logits=logits)
    >>> loss.item()
    0.3541666567325592
    >>> loss.backward()
    >>> logits.grad
    tensor([ 0.0104, -0.0938,  0.0104])
    """
    if (logits is None) == (probabilities is None):
        raise TypeError("soft_rand_loss needs logits= or probabilities=; expected one of them")
    name, given = ("probabilities", probabilities) if logits is None else ("logits", logits)
    torch = library("torch", extra="torch")
    given = _tensor(given, name)
    if not given.is_floating_point():
        raise TypeError(f"{name} holds {given.dtype}; expected floats")
    if given.ndim == 0:
        raise ValueError(f"{name} has no dimension; expected one value per gap, n - 1 for n points")
    wanted, marks = _tensor(truth, "truth"), None if mask is None else _tensor(mask, "mask")
    if wanted.is_complex():
        raise TypeError(f"truth holds {wanted.dtype}; expected 0 and 1, or probabilities")
    for tensor, what in ((wanted, "truth"), (marks, "mask")):
        if tensor is None:
            continue
        if tensor.shape != given.shape:
            raise ValueError(
                f"{what} has shape {tuple(tensor.shape)} but {name} has shape {tuple(given.shape)}; expected one value "
                "per gap, n - 1 for n points"
            )
        if tensor.device != given.device:
            raise ValueError(f"{what} is on {tensor.device} but {name} is on {given.device}; expected one device")
    if marks is not None and marks.dtype != torch.bool:
        raise TypeError(f"mask holds {marks.dtype}; expected bools, True where the truth is known")
    return _function().apply(wanted, given, marks, name, wanted.requires_grad)[0]


def _tensor(given: Any, name: str) -> Any:  # noqa: ANN401
    """Return a dense tensor, which may be made from an array or from lists."""
    torch = library("torch", extra="torch")
    try:
        tensor = torch.as_tensor(given)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"{name} is a {type(given).__name__}; expected a tensor of numbers") from None
    if tensor.layout != torch.strided:
        raise TypeError(f"{name} has the layout {tensor.layout}; expected a dense tensor (use .to_dense())")
    return tensor


@cache
def _function() -> Any:  # noqa: ANN401
    """Make the differentiable function when PyTorch is needed first."""
    torch = library("torch", extra="torch")

    class Scaled(torch.autograd.Function):  # type: ignore[misc, name-defined]
        """Derivatives of the losses times the derivative by each loss; a second derivative is refused."""

        generate_vmap_rule = True

        @staticmethod
        def forward(by_loss: Any, derivatives: Any, *_: Any) -> Any:  # noqa: ANN401
            return by_loss[..., None] * derivatives

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ANN401
            pass

        @staticmethod
        def backward(ctx: Any, *_: Any) -> Any:  # noqa: ANN401
            raise RuntimeError("soft_rand_loss has no second derivative; expected one differentiation")

    class ExpectedRandDistance(torch.autograd.Function):  # type: ignore[misc, name-defined]
        """The losses, and their derivatives by the truth and by the prediction, which the backward pass scales."""

        @staticmethod
        def forward(truth: Any, given: Any, mask: Any, name: str, by_truth: bool) -> Any:  # noqa: ANN401
            computed = _by_core if given.device.type == "cpu" else _by_scans
            return computed(truth, given, mask, name, by_truth)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ANN401
            truth, given, _, _, by_truth = inputs
            ctx.by_truth = by_truth
            ctx.mark_non_differentiable(*output[1:])
            ctx.save_for_backward(*output[1:], truth, given)

        @staticmethod
        def backward(ctx: Any, by_loss: Any, *_: Any) -> Any:  # noqa: ANN401
            of_truth, by_pred, truth, given = ctx.saved_tensors
            by_truth = Scaled.apply(by_loss, of_truth, truth, given) if ctx.by_truth else None
            return by_truth, Scaled.apply(by_loss, by_pred, truth, given), None, None, None

        @staticmethod
        def vmap(info: Any, in_dims: Any, *arguments: Any) -> Any:  # noqa: ANN401
            """Move the dimension that is mapped to the front; the function maps over all dimensions but the last."""

            def moved(tensor: Any, dim: int | None) -> Any:  # noqa: ANN401
                if tensor is None:
                    return None
                if dim is None:
                    return tensor.expand(info.batch_size, *tensor.shape)
                return tensor.movedim(dim, 0)

            tensors = [moved(tensor, dim) for tensor, dim in zip(arguments[:3], in_dims[:3], strict=True)]
            return ExpectedRandDistance.apply(*tensors, *arguments[3:]), (0, 0, 0)

    return ExpectedRandDistance


def _by_core(truth: Any, given: Any, mask: Any, name: str, by_truth: bool) -> Any:  # noqa: ANN401
    """Compute the losses and the derivatives in the core."""
    torch = library("torch", extra="torch")
    shape = given.shape
    rows = shape if given.ndim == 1 else (prod(shape[:-1]), shape[-1])

    def array(tensor: Any) -> Any:  # noqa: ANN401
        if tensor.dtype in (torch.float16, torch.bfloat16):
            tensor = tensor.float()
        return tensor.detach().reshape(rows).numpy()

    wanted, values, marks = array(truth), array(given), None if mask is None else array(mask)
    found = loss_of_arrays(wanted, **{name: values}, mask=marks)
    by_pred, of_truth = torch.from_numpy(found.gradient).reshape(shape), given.new_zeros(()).expand(shape)
    if by_truth:
        # The loss is symmetric, so the other derivative is that of the exchanged sides.
        chances = torch.from_numpy(values) if name == "probabilities" else torch.from_numpy(values).double().sigmoid()
        exchanged = loss_of_arrays(chances.numpy(), probabilities=wanted, mask=marks)
        of_truth = torch.from_numpy(exchanged.gradient).reshape(shape)
    losses = torch.as_tensor(found.loss).to(given.dtype).reshape(shape[:-1])
    return losses, of_truth, by_pred


def _by_scans(truth: Any, given: Any, mask: Any, name: str, by_truth: bool) -> Any:  # noqa: ANN401
    """Compute the losses and the derivatives with operations of PyTorch."""
    torch = library("torch", extra="torch")
    gaps, no_values = given.shape[-1], given.new_zeros(()).expand(given.shape)
    kind = given.dtype if given.dtype == torch.float64 else torch.float32
    truth, given_kind, given = truth.to(kind), given.dtype, given.to(kind)
    if gaps == 0:
        return given.sum(-1).to(given_kind), no_values, no_values
    cut, keep = (given, 1 - given) if name == "probabilities" else (given.sigmoid(), (-given).sigmoid())
    truth_cut, truth_keep = truth, 1 - truth
    if mask is None:
        pairs = torch.full((), gaps * (gaps + 1) / 2, dtype=kind, device=given.device)
    else:
        # A gap that does not count is a certain cut on both sides.
        truth_cut, cut = (torch.where(mask, each, 1) for each in (truth_cut, cut))
        truth_keep, keep = (torch.where(mask, each, 0) for each in (truth_keep, keep))
        places = torch.arange(gaps, device=given.device).expand(given.shape)
        last = torch.where(mask, -1, places).cummax(-1).values
        pairs = torch.where(mask, places - last, 0).sum(-1).clamp(min=1).to(kind)
    # The walks from the start and from the end are one batch.
    sides = (torch.stack([each, each.flip(-1)]) for each in (truth_cut, truth_keep, cut, keep))
    of_truth_only, of_pred_only, of_both, apart = _walked(*sides)
    (u, x), (v, y), (c, z) = ((each[0], each[1].flip(-1)) for each in (of_truth_only, of_pred_only, of_both))
    scale = torch.where(mask, 1 / pairs[..., None], 0) if mask is not None else 1 / pairs
    by_pred = scale * (c * z * (truth_keep - truth_cut) - (v * (y + z) + c * y))
    of_truth = scale * (c * z * (keep - cut) - (u * (x + z) + c * x)) if by_truth else no_values
    by_given = by_pred if name == "probabilities" else by_pred * cut * keep
    return (apart[0].sum(-1) / pairs).to(given_kind), of_truth, by_given


def _walked(truth_cut: Any, truth_keep: Any, cut: Any, keep: Any) -> tuple[Any, Any, Any, Any]:  # noqa: ANN401
    """Return the sums of the walk before each gap, and the disagreements of the point behind each gap.

    The sums are those of ``docs/soft.md``. The sum c depends on itself alone, and u and v depend on c and themselves.
    """
    torch = library("torch", extra="torch")

    def before_and_behind(factors: Any, terms: Any, first: Any) -> tuple[Any, Any]:  # noqa: ANN401
        start = torch.full_like(terms[..., :1], first)
        every = _recurrence(torch.cat([torch.zeros_like(start), factors], -1), torch.cat([start, terms], -1))
        return every[..., :-1], every[..., 1:]

    c, _ = before_and_behind(truth_keep * keep, torch.ones_like(keep), 1)
    terms = torch.stack([truth_keep * cut * c, keep * truth_cut * c])
    before, behind = before_and_behind(torch.stack([truth_keep, keep]), terms, 0)
    return before[0], before[1], c, behind[0] + behind[1]


def _recurrence(factors: Any, terms: Any) -> Any:  # noqa: ANN401
    """Return all x of x[k] = factors[k] x[k - 1] + terms[k] along the last dimension, with 0 before the first x.

    Two steps make one step of a recurrence of half the length, which gives every second x, and one more step from each
    of these gives the others. Nothing is subtracted.
    """
    count = terms.shape[-1]
    if count == 1:
        return terms
    even = slice(0, count - 1, 2)
    odd_factors = factors[..., 1::2]
    odd = _recurrence(odd_factors * factors[..., even], odd_factors * terms[..., even] + terms[..., 1::2])
    every = terms.clone()
    every[..., 1::2] = odd
    every[..., 2::2] += factors[..., 2::2] * odd[..., : (count - 1) // 2]
    return every
