"""The loss for PyTorch: the values of the core, the checks of PyTorch's own, and recurrences against the core."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

import segscore as ss
import segscore.torch
from segscore.torch import soft_rand_loss

close = pytest.approx
DOCS = Path(__file__).parents[2] / "docs"
KINDS = ["logits", "probabilities"]


@pytest.fixture(params=["core", "recurrences"])
def way(request, monkeypatch):
    """Compute in the core, and as on a device other than the CPU."""
    if request.param == "recurrences":
        monkeypatch.setattr(segscore.torch, "_by_core", segscore.torch._by_scans)
    return request.param


def batch(kind, shape=(3, 40), seed=0, dtype=torch.float64):
    draw = torch.Generator().manual_seed(seed)
    truth = (torch.rand(shape, generator=draw) < 0.2).to(dtype)
    values = 3 * torch.randn(shape, generator=draw, dtype=dtype) - 1
    values = values if kind == "logits" else values.sigmoid()
    return truth, values.requires_grad_(), torch.rand(shape, generator=draw) < 0.9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gaps", [0, 1, 2, 3, 40, 700])
def test_the_loss_and_its_gradient_are_those_of_numpy(way, kind, gaps):
    for seed in range(4):
        truth, values, known = batch(kind, (3, gaps), seed)
        truth = 0.1 + 0.8 * truth if seed % 2 else truth
        mask = known if seed < 2 else None
        losses = soft_rand_loss(truth, **{kind: values}, mask=mask)
        (torch.tensor([1.0, 2.0, -3.0], dtype=torch.float64) * losses).sum().backward()
        arrays = {kind: values.detach().numpy(), "mask": None if mask is None else mask.numpy()}
        wanted = ss.soft_rand_loss(truth.numpy(), **arrays)
        assert losses.dtype == torch.float64 and losses.detach().numpy() == close(wanted.loss, rel=1e-12, abs=1e-300)
        assert values.grad.numpy() == close(wanted.gradient * [[1], [2], [-3]], rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("masked", [False, True])
def test_the_check_of_pytorch(way, kind, masked):
    truth, values, known = batch(kind, (2, 9), 1)
    mask = known if masked else None
    soft = (0.1 + 0.8 * truth).requires_grad_()
    if kind == "probabilities":
        values = (0.1 + 0.8 * values.detach()).requires_grad_()
    assert torch.autograd.gradcheck(lambda y, x: soft_rand_loss(y, **{kind: x}, mask=mask), (soft, values))
    assert torch.autograd.gradcheck(lambda x: soft_rand_loss(truth, **{kind: x}, mask=mask), (values,))


def test_derivatives_by_the_truth_alone(way):
    truth, logits, known = batch("logits", (4, 30), 2)
    soft = (0.1 + 0.8 * truth).requires_grad_()
    soft_rand_loss(soft, logits=logits.detach(), mask=known).sum().backward()
    exchanged = ss.soft_rand_loss(
        logits.detach().sigmoid().numpy(), probabilities=soft.detach().numpy(), mask=known.numpy()
    )
    assert soft.grad.numpy() == close(exchanged.gradient, rel=1e-9, abs=1e-15)
    assert logits.grad is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_other_types(way, dtype):
    truth, logits, known = batch("logits", (2, 3000), 3)
    narrow = logits.detach().to(dtype).requires_grad_()
    found = soft_rand_loss(truth.bool(), logits=narrow, mask=known)
    found.sum().backward()
    wanted = ss.soft_rand_loss(truth.numpy(), logits=narrow.detach().double().numpy(), mask=known.numpy())
    rounding = torch.finfo(dtype).eps
    assert found.dtype == narrow.grad.dtype == dtype
    assert found.detach().double().numpy() == close(wanted.loss, rel=2 * rounding + 1e-5)
    smallest = torch.finfo(dtype).smallest_normal
    assert narrow.grad.double().numpy() == close(
        wanted.gradient, rel=2 * rounding, abs=2 * smallest * rounding + 1e-5 * abs(wanted.gradient).max()
    )


@pytest.mark.parametrize("kind", [torch.int64, torch.uint8, torch.bool, torch.float32])
def test_truths_of_other_types(way, kind):
    truth, logits, _ = batch("logits")
    assert soft_rand_loss(truth.to(kind), logits=logits).tolist() == soft_rand_loss(truth, logits=logits).tolist()


def test_hidden_values_are_not_read(way):
    truth, logits, known = batch("logits", (3, 50), 4)
    wanted = soft_rand_loss(truth, logits=logits, mask=known)
    (by_logits,) = torch.autograd.grad(wanted.sum(), logits)
    hidden = torch.where(known, logits.detach(), torch.nan).requires_grad_()
    found = soft_rand_loss(torch.where(known, truth, torch.nan), logits=hidden, mask=known)
    found.sum().backward()
    assert found.tolist() == wanted.tolist()
    assert hidden.grad.tolist() == by_logits.tolist() and not hidden.grad[~known].any()
    nothing = soft_rand_loss(truth, logits=logits, mask=torch.zeros_like(known))
    assert nothing.tolist() == [0, 0, 0] and not torch.autograd.grad(nothing.sum(), logits)[0].any()


def test_confident_logits_keep_their_gradients(way):
    truth = torch.zeros(60, dtype=torch.float64)
    truth[[20, 40]] = 1
    logits = torch.where(truth == 1, 50.0, -50.0).double().requires_grad_()
    soft_rand_loss(truth, logits=logits).backward()
    wanted = ss.soft_rand_loss(truth.numpy(), logits=logits.detach().numpy()).gradient
    assert logits.grad.numpy() == close(wanted, rel=1e-9) and logits.grad.all()
    extreme = torch.tensor([1000.0, -1000, torch.inf, -torch.inf, 0]).requires_grad_()
    loss = soft_rand_loss(torch.tensor([0, 1, 1, 0, 1]), logits=extreme)
    loss.backward()
    # Of the 15 pairs, (0, 1) and (1, 2) differ for certain, (3, 5) and (4, 5) with probability 1/2.
    assert loss.item() == close(3 / 15)
    assert extreme.grad.isfinite().all() and extreme.grad[-1].item() == close(-2 * 0.25 / 15)


def test_batches_of_any_shape(way):
    truth, logits, known = batch("logits", (2, 3, 20), 5)
    deep = soft_rand_loss(truth, logits=logits, mask=known)
    assert deep.shape == (2, 3)
    flat = soft_rand_loss(truth.reshape(6, 20), logits=logits.reshape(6, 20), mask=known.reshape(6, 20))
    assert deep.reshape(6).tolist() == flat.tolist()
    turned = soft_rand_loss(truth.mT.contiguous().mT, logits=logits.mT.contiguous().mT, mask=known)
    assert turned.tolist() == deep.tolist()
    for shape in ((0, 5), (0, 0), (2, 3, 0), (0,)):
        empty = torch.zeros(shape, requires_grad=True)
        found = soft_rand_loss(torch.zeros(shape), logits=empty)
        found.sum().backward()
        assert found.shape == shape[:-1] and not found.any() and empty.grad.shape == shape


def test_the_transforms_of_torch_func(way):
    truth, logits, known = batch("logits", (3, 30), 6)
    logits = logits.detach()
    wanted = ss.soft_rand_loss(truth.numpy(), logits=logits.numpy(), mask=known.numpy())
    by_logits = torch.func.grad(lambda z, y, m: soft_rand_loss(y, logits=z, mask=m))
    each = torch.func.vmap(by_logits)(logits, truth, known)
    assert each.numpy() == close(wanted.gradient, rel=1e-9, abs=1e-15)
    turned = torch.func.vmap(by_logits, in_dims=(1, 0, None))(logits.T, truth, known[0])
    assert turned[0].numpy() == close(wanted.gradient[0], rel=1e-9, abs=1e-15)
    of_truth = torch.func.vmap(torch.func.grad(lambda y, z: soft_rand_loss(y, logits=z)))(truth, logits)
    exchanged = ss.soft_rand_loss(logits.sigmoid().numpy(), probabilities=truth.numpy())
    assert of_truth.numpy() == close(exchanged.gradient, rel=1e-9, abs=1e-15)


def test_a_second_derivative_is_refused(way):
    truth, logits, _ = batch("logits")
    (first,) = torch.autograd.grad(soft_rand_loss(truth, logits=logits).sum(), logits, create_graph=True)
    message = "soft_rand_loss has no second derivative; expected one differentiation"
    with pytest.raises(RuntimeError, match=f"^{re.escape(message)}$"):
        (first + logits**2).sum().backward()


def test_many_gaps_in_both_ways(monkeypatch):
    truth, logits, known = batch("logits", (10**6,), 7, torch.float32)
    for mask in (None, known | (torch.arange(10**6) % 1000 != 0)):
        found = []
        for engine in (segscore.torch._by_core, segscore.torch._by_scans):
            losses, _, gradient = engine(truth, logits.detach(), mask, "logits", False)
            found.append((losses.item(), gradient))
        (loss, exact), (other, gradient) = found
        assert other == close(loss, rel=1e-5)
        assert (gradient - exact).abs().max() <= 1e-5 * exact.abs().max()


def test_a_device_without_values_is_not_read():
    nothing = torch.zeros((2, 3), device="meta")
    assert soft_rand_loss(nothing, logits=nothing, mask=nothing == 0).device.type == "meta"


def test_training_lowers_the_loss():
    truth, logits, _ = batch("logits", (4, 60), 8, torch.float32)
    optimiser = torch.optim.Adam([logits], lr=0.2)
    first = soft_rand_loss(truth, logits=logits).mean().item()
    for _ in range(100):
        optimiser.zero_grad()
        loss = soft_rand_loss(truth, logits=logits).mean()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.05 * first


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, TypeError, "soft_rand_loss needs logits= or probabilities=; expected one of them"),
        (
            {"logits": torch.zeros(2), "probabilities": torch.zeros(2)},
            TypeError,
            "soft_rand_loss needs logits= or probabilities=; expected one of them",
        ),
        ({"logits": torch.tensor([1, 2])}, TypeError, "logits holds torch.int64; expected floats"),
        ({"logits": "ab"}, TypeError, "logits is a str; expected a tensor of numbers"),
        (
            {"logits": torch.tensor(1.0)},
            ValueError,
            "logits has no dimension; expected one value per gap, n - 1 for n points",
        ),
        (
            {"logits": torch.zeros(1)},
            ValueError,
            "truth has shape (2,) but logits has shape (1,); expected one value per gap, n - 1 for n points",
        ),
        (
            {"logits": torch.zeros(2), "mask": torch.ones(2, dtype=torch.int64)},
            TypeError,
            "mask holds torch.int64; expected bools, True where the truth is known",
        ),
        (
            {"logits": torch.zeros(2), "mask": torch.ones(3, dtype=torch.bool)},
            ValueError,
            "mask has shape (3,) but logits has shape (2,); expected one value per gap, n - 1 for n points",
        ),
        (
            {"logits": torch.zeros(2, device="meta")},
            ValueError,
            "truth is on cpu but logits is on meta; expected one device",
        ),
        (
            {"logits": torch.zeros(2), "truth": torch.zeros(2, dtype=torch.complex64)},
            TypeError,
            "truth holds torch.complex64; expected 0 and 1, or probabilities",
        ),
        (
            {"logits": torch.zeros(2).to_sparse()},
            TypeError,
            "logits has the layout torch.sparse_coo; expected a dense tensor (use .to_dense())",
        ),
        (
            {"logits": torch.tensor([0.0, torch.nan])},
            ValueError,
            "logits[1] = nan is not a number; expected logits, which may be infinite",
        ),
        (
            {"probabilities": torch.tensor([[0.0], [1.5]]), "truth": torch.zeros(2, 1)},
            ValueError,
            "probabilities[1, 0] = 1.5 is not a probability; expected a number from 0 to 1",
        ),
    ],
)
def test_wrong_arguments(given, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        soft_rand_loss(given.pop("truth", torch.tensor([0.0, 1.0])), **given)


def test_the_example_of_the_documentation():
    (code,) = [
        block for block in re.findall(r"```python\n(.*?)```", (DOCS / "soft.md").read_text(), re.S) if "torch" in block
    ]
    names = {}
    exec(code, names)
    assert np.isfinite(names["loss"].item()) and names["logits"].grad.shape == (2, 9)
    shown = re.search(r"loss\.backward\(\)  # the loss is ([\d.]+)", code)
    assert names["loss"].item() == close(float(shown[1]), abs=5e-5)
