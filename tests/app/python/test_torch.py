"""triangulum.torch: values against torch's own, gradients against finite differences, and the memory that they take."""

import os

import numpy as np
import pytest
import triangulum

torch = pytest.importorskip("torch")

from triangulum.torch import energy, pdist  # noqa: E402

LAWS = (
    ("gravity", dict(G=1.5, eps=0.2)), ("lennard-jones", dict(sigma=0.5)), ("axilrod-teller", dict(nu=0.5)),
    ({"pair": "lennard-jones", "sigma": 0.4, "triple": "axilrod-teller", "nu": 0.1}, {}),
)


def points(n, d, dtype=torch.float64, seed=1):
    torch.manual_seed(seed)
    return torch.randn(n, d, dtype=dtype).requires_grad_()


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
@pytest.mark.parametrize("n, d", ((1, 3), (2, 1), (7, 3), (65, 16), (300, 4)))
def test_pdist_is_torch_pdist_with_its_gradient(n, d, dtype):
    x, y = points(n, d, dtype), points(n, d, dtype)
    ours, theirs = pdist(x, backend="cpu"), torch.pdist(y)
    assert ours.dtype == dtype and ours.shape == theirs.shape
    eps = torch.finfo(dtype).eps
    torch.testing.assert_close(ours, theirs, rtol=16 * eps, atol=16 * eps)
    weights = torch.rand_like(theirs)
    (ours * weights).sum().backward()
    (theirs * weights).sum().backward()
    torch.testing.assert_close(x.grad, y.grad, rtol=100 * eps, atol=100 * n * eps)


@pytest.mark.parametrize("n, d", ((2, 3), (3, 1), (7, 3), (12, 5)))
def test_gradcheck_of_pdist(n, d):
    assert torch.autograd.gradcheck(lambda x: pdist(x, backend="cpu"), points(n, d))


def test_blocks_of_rows_are_summed_alike(monkeypatch):
    grads = []
    for at_once in (1, 100, 1 << 22):
        monkeypatch.setattr("triangulum.torch._AT_ONCE", at_once)
        x = points(70, 3)
        pdist(x, backend="cpu").pow(2).sum().backward()
        grads.append(x.grad)
    x = points(70, 3).detach()
    exact = 2 * (len(x) * x - x.sum(0))  # of the sum of all squared distances
    for grad in grads:
        torch.testing.assert_close(grad, exact)


def test_equal_points_have_no_pull():
    x = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    pdist(x, backend="cpu").sum().backward()
    assert torch.equal(x.grad, torch.zeros_like(x))


def test_backward_never_makes_an_array_of_all_differences():
    n, d = 3000, 16
    largest = 0

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            nonlocal largest
            out = func(*args, **(kwargs or {}))
            if isinstance(out, torch.Tensor):
                largest = max(largest, out.untyped_storage().nbytes())
            return out

    x = points(n, d, torch.float32)
    loss = pdist(x, backend="cpu").sum()
    with Watch():
        loss.backward()
    assert x.grad.isfinite().all() and 0 < largest < n * n * d * 4 / 8


def test_a_view_that_is_not_contiguous():
    x = points(3, 9).detach().T.requires_grad_()
    assert torch.equal(pdist(x, backend="cpu"), pdist(x.detach().contiguous(), backend="cpu"))


@pytest.mark.parametrize("x", (np.zeros((3, 2)), [[0.0]], None))
def test_what_is_no_tensor(x):
    with pytest.raises(TypeError, match="give a tensor"):
        pdist(x)
    with pytest.raises(TypeError, match="give a tensor"):
        energy(x, 1.0, "gravity")


@pytest.mark.parametrize("law, parameters", LAWS)
def test_gradcheck_of_energies(law, parameters):
    x = (points(6, 3) * 0.2 + torch.arange(6)[:, None]).detach().requires_grad_()
    assert torch.autograd.gradcheck(lambda y: energy(y, 1.0, law, backend="cpu", **parameters), x)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_the_gradient_is_minus_the_forces(dtype):
    x, m = points(50, 3, dtype), torch.rand(50, dtype=dtype)
    how = dict(eps=0.1, accumulate="ordered", backend="cpu")
    u = energy(x, m, "gravity", **how)
    assert u.dtype == dtype and u.shape == ()
    (3 * u).backward()
    forces, total = triangulum.forces(x.detach().numpy(), m.numpy(), "gravity", energy=True, **how)
    assert np.array_equal(x.grad.numpy(), -3 * forces) and float(u.detach()) == pytest.approx(total, rel=1e-6)


def test_options_may_be_tensors():
    x, radii = points(30, 3), torch.rand(30, dtype=torch.float64)
    u = energy(x, torch.ones(30, dtype=torch.float64), "contact", radii=radii, stiffness=5.0, backend="cpu")
    how = dict(radii=radii.numpy(), stiffness=5.0, energy=True, backend="cpu")
    assert float(u.detach()) == triangulum.forces(x.detach().numpy(), 1.0, "contact", **how)[1] > 0


def test_descent_finds_the_minimum_of_a_pair():
    x = torch.tensor([[0.0, 0, 0], [1.5, 0, 0]], dtype=torch.float64, requires_grad=True)
    for _ in range(400):
        (gradient,) = torch.autograd.grad(energy(x, 1.0, "lennard-jones", backend="cpu"), x)
        with torch.no_grad():
            x -= 0.003 * gradient
    assert float(pdist(x.detach(), backend="cpu")) == pytest.approx(2 ** (1 / 6), rel=1e-6)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_on_a_gpu(dtype):
    if not torch.cuda.is_available():
        (pytest.fail if os.environ.get("TRI_REQUIRE_CUDA") == "1" else pytest.skip)("torch finds no GPU")
    x = points(500, 4, dtype).detach()
    there, here = x.cuda().requires_grad_(), x.clone().requires_grad_()
    d, expected = pdist(there), torch.pdist(here)
    assert d.device.type == "cuda" and d.dtype == dtype
    d.sum().backward(), expected.sum().backward()
    eps = torch.finfo(dtype).eps
    torch.testing.assert_close(d.cpu(), expected, rtol=16 * eps, atol=16 * eps)
    torch.testing.assert_close(there.grad.cpu(), here.grad, rtol=100 * eps, atol=1e5 * eps)


def test_energies_on_a_gpu():
    if not torch.cuda.is_available():
        (pytest.fail if os.environ.get("TRI_REQUIRE_CUDA") == "1" else pytest.skip)("torch finds no GPU")
    there, here = points(500, 3).detach().cuda().requires_grad_(), points(500, 3)
    radii = torch.full((500,), 0.2, dtype=torch.float64)
    values = energy(there, 1.0, "contact", radii=radii.cuda()), energy(here, 1.0, "contact", radii=radii, backend="cpu")
    assert values[0].device.type == "cuda"
    torch.testing.assert_close(values[0].cpu(), values[1])
    values[0].backward(), values[1].backward()
    torch.testing.assert_close(there.grad.cpu(), here.grad)
