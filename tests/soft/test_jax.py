"""The loss for JAX: the values of the core, the checks of JAX's own, jit and vmap."""

import re
from pathlib import Path

import numpy as np
import pytest

import segscore as ss

jax = pytest.importorskip("jax", reason="jax is not installed")
jnp = jax.numpy
from jax.test_util import check_grads  # noqa: E402

from segscore.jax import soft_rand_loss  # noqa: E402

close = pytest.approx


@pytest.fixture(autouse=True)
def double():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def batch(seed=0, rows=3, gaps=40):
    rng = np.random.default_rng(seed)
    truth = (rng.random((rows, gaps)) < 0.2).astype(float)
    return truth, rng.normal(-1, 3, (rows, gaps)), rng.random((rows, gaps)) < 0.9


@pytest.mark.parametrize("gaps", [0, 1, 40, 700])
@pytest.mark.parametrize("kind", ["logits", "probabilities"])
def test_the_loss_and_its_gradient_are_those_of_the_core(gaps, kind):
    def total(truth, given, mask):
        losses = soft_rand_loss(truth, **{kind: given}, mask=mask)
        return losses.sum(), losses

    both = jax.jit(jax.grad(total, argnums=1, has_aux=True))
    for seed in range(4):
        truth, values, known = batch(seed, 3, gaps)
        truth = 0.1 + 0.8 * truth if seed % 2 else truth
        values = values if kind == "logits" else 1 / (1 + np.exp(-values))
        mask = known if seed < 2 else None
        wanted = ss.soft_rand_loss(truth, **{kind: values}, mask=mask)
        gradient, losses = both(truth, values, mask)
        assert np.asarray(losses) == close(wanted.loss, rel=1e-12)
        assert np.asarray(gradient) == close(wanted.gradient, rel=1e-9, abs=1e-12)


def test_the_check_of_jax():
    truth, logits, known = batch(1, 2, 12)
    soft = 0.1 + 0.8 * truth
    check_grads(lambda y, z: soft_rand_loss(y, logits=z, mask=known), (soft, logits), order=1, modes=["rev"])
    chances = 1 / (1 + np.exp(-logits))
    check_grads(lambda y, p: soft_rand_loss(y, probabilities=p), (soft, chances), order=1, modes=["rev"])


def test_series_without_known_gaps():
    truth, logits, known = batch()
    known[1] = False
    hidden = np.where(known, logits, np.nan)
    loss, pull = jax.vjp(lambda z: soft_rand_loss(np.where(known, truth, np.nan), logits=z, mask=known), hidden)
    (gradient,) = pull(np.ones(3))
    wanted = ss.soft_rand_loss(truth, logits=logits, mask=known)
    assert loss[1] == 0 and np.asarray(loss) == close(wanted.loss, rel=1e-12)
    assert np.asarray(gradient) == close(wanted.gradient, rel=1e-9, abs=1e-12) and not gradient[1].any()


def test_jit_and_vmap():
    truth, logits, known = batch()
    plain = soft_rand_loss(truth, logits=logits, mask=known)
    assert plain.shape == (3,)
    compiled = jax.jit(lambda y, z, m: soft_rand_loss(y, logits=z, mask=m))
    assert np.asarray(compiled(truth, logits, known)) == close(np.asarray(plain), rel=1e-12)
    mapped = jax.vmap(lambda y, z, m: soft_rand_loss(y, logits=z, mask=m))
    assert np.asarray(mapped(truth, logits, known)) == close(np.asarray(plain), rel=1e-12)
    each = jax.jit(jax.vmap(jax.grad(lambda z, y: soft_rand_loss(y, logits=z))))(logits, truth)
    assert np.asarray(each) == close(ss.soft_rand_loss(truth, logits=logits).gradient, rel=1e-9, abs=1e-12)
    deep = soft_rand_loss(truth[:, None], logits=logits[:, None])
    assert deep.shape == (3, 1)


def test_single_precision_is_near():
    truth, logits, known = batch(2, 2, 3000)
    found = soft_rand_loss(truth.astype(np.float32), logits=logits.astype(np.float32), mask=known)
    assert found.dtype == jnp.float32
    assert np.asarray(found) == close(ss.soft_rand_loss(truth, logits=logits, mask=known).loss, rel=1e-4)


@pytest.mark.parametrize("kind", [jnp.float16, jnp.bfloat16])
def test_half_precision_is_summed_in_single_precision(kind):
    truth, logits, _ = batch(4, 2, 3000)
    given = jnp.asarray(logits, kind)
    loss, gradient = jax.value_and_grad(lambda z: soft_rand_loss(truth, logits=z).sum())(given)
    wanted = ss.soft_rand_loss(truth, logits=np.asarray(given, float))
    rounding = float(jnp.finfo(kind).eps)
    assert loss.dtype == gradient.dtype == kind
    assert float(loss) == close(wanted.loss.sum(), rel=2 * rounding)
    least = float(jnp.finfo(kind).smallest_subnormal) + 1e-5 * wanted.gradient.max()
    assert np.asarray(gradient, float) == close(wanted.gradient, rel=2 * rounding, abs=least)


def test_confident_logits_keep_their_gradients():
    truth = np.zeros(60)
    truth[[20, 40]] = 1
    logits = np.where(truth == 1, 50.0, -50.0)
    gradient = jax.grad(lambda z: soft_rand_loss(truth, logits=z))(logits)
    assert np.asarray(gradient) == close(ss.soft_rand_loss(truth, logits=logits).gradient, rel=1e-9)
    assert (np.asarray(gradient) != 0).all()


def test_second_derivatives_are_differences_of_first_ones():
    truth, logits, known = batch(5, 1, 12)
    truth, logits, known = truth[0], logits[0], known[0]
    found = jax.hessian(lambda z: soft_rand_loss(truth, logits=z, mask=known))(logits)
    steps = 1e-5 * np.eye(12)
    wanted = [
        np.subtract(*(ss.soft_rand_loss(truth, logits=logits + s * step, mask=known).gradient for s in (1, -1))) / 2e-5
        for step in steps
    ]
    assert np.asarray(found) == close(np.array(wanted), rel=1e-5, abs=1e-9)
    with pytest.raises(TypeError, match=r"^can't apply forward-mode autodiff"):
        jax.jvp(lambda z: soft_rand_loss(truth, logits=z), (logits,), (logits,))


def test_many_gaps():
    truth, logits, _ = batch(3, 1, 10**5)
    both = jax.jit(jax.value_and_grad(lambda z: soft_rand_loss(truth[0], logits=z)))
    loss, gradient = both(logits[0])
    wanted = ss.soft_rand_loss(truth[0], logits=logits[0])
    assert float(loss) == close(wanted.loss, rel=1e-11)
    assert np.abs(np.asarray(gradient) - wanted.gradient).max() < 1e-10 * np.abs(wanted.gradient).max()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, TypeError, "soft_rand_loss needs logits= or probabilities=; expected one of them"),
        ({"logits": np.array([1, 2])}, TypeError, "logits holds int64; expected floats"),
        ({"logits": "ab"}, TypeError, "logits is a str; expected an array of numbers"),
        (
            {"logits": np.float64(1)},
            ValueError,
            "logits has no dimension; expected one value per gap, n - 1 for n points",
        ),
        (
            {"logits": np.array([1.0, 2.0]), "truth": np.array([0j, 1])},
            TypeError,
            "truth holds complex128; expected 0 and 1, or probabilities",
        ),
        (
            {"logits": np.array([1.0])},
            ValueError,
            "truth has shape (2,) but logits has shape (1,); expected one value per gap, n - 1 for n points",
        ),
        (
            {"logits": np.array([1.0, 2.0]), "mask": np.array([1, 1])},
            TypeError,
            "mask holds int64; expected bools, True where the truth is known",
        ),
    ],
)
def test_wrong_arguments(given, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        soft_rand_loss(given.pop("truth", np.array([0.0, 1.0])), **given)


def test_the_example_of_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "soft.md").read_text()
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "segscore.jax" in block]
    names = {}
    exec(code, names)
    assert names["gradient"].shape == (2, 9) and np.isfinite(names["gradient"]).all()
    shown = re.search(r"  # the loss is ([\d.]+)", code)
    assert float(names["loss"]) == close(float(shown[1]), abs=5e-5)
