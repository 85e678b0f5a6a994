"""Distances and energies of torch tensors, with gradients.

    from triangulum.torch import energy, pdist

    d = pdist(x)                      # as torch.pdist(x), and backward() takes memory for the distances alone
    u = energy(x, 1.0, "lennard-jones", cutoff=2.5)
    u.backward()                      # x.grad is minus the forces

Gradients are formulas: that of distances in operations of torch, that of an energy the engine's forces. Neither has a
gradient itself.
"""

from __future__ import annotations

import torch
from torch.autograd.function import once_differentiable

import triangulum

__all__ = ["energy", "pdist"]

_AT_ONCE = 1 << 22  # pairs of a block of rows in the backward pass


def _array(x: torch.Tensor):
    """What triangulum.pdist takes: NumPy's view of a tensor on the CPU, the tensor itself on a GPU."""
    x = x.detach().contiguous()
    return x.numpy() if x.device.type == "cpu" else x


def _beside(x: torch.Tensor, value):
    """The array of a tensor on x's device; anything else as it is."""
    return _array(value.to(x.device)) if isinstance(value, torch.Tensor) else value


def _tensor_given(name: str, x) -> None:
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} is a {type(x).__name__}; give a tensor of torch.")


def _tensor(values, like: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(values, device=like.device)


class _Distances(torch.autograd.Function):
    @staticmethod
    def forward(x, backend):
        return _tensor(triangulum.pdist(_array(x), backend=backend), x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        x, d = ctx.saved_tensors
        # Each pair pulls along the line between its points; equal points give 0, as with torch.pdist.
        return _pulled(x, torch.where(d > 0, grad / d, torch.zeros_like(d))), None


def _pulled(x: torch.Tensor, pull: torch.Tensor) -> torch.Tensor:
    """Sums of pull[i, j] (x_i - x_j) over j, with pull in condensed order: blocks of rows, one feature after another."""
    n = len(x)
    out = torch.zeros_like(x)
    rows = max(1, _AT_ONCE // max(n, 1))
    for low in range(0, n - 1, rows):
        i = torch.arange(low, min(low + rows, n - 1), device=x.device)[:, None]
        j = torch.arange(low + 1, n, device=x.device)[None, :]
        place = i * n - i * (i + 1) // 2 + (j - i - 1)
        block = torch.where(j > i, pull[place.clamp_(min=0)], 0)
        for k in range(x.shape[1]):
            part = block * (x[i[:, 0], k, None] - x[None, low + 1 :, k])
            out[low : low + len(part), k] += part.sum(1)
            out[low + 1 :, k] -= part.sum(0)
    return out


def pdist(x: torch.Tensor, *, backend: str | None = None) -> torch.Tensor:
    """Distances of all pairs of rows, (n(n-1)/2,) in the order and dtype of torch.pdist(x), with its gradient.

    x: (n, d), float32 or float64, contiguous, finite, d <= 16. backend: as triangulum.pdist, and its exceptions.
    backward() takes memory for two arrays of distances, and a block of 4 million pairs at a time.
    """
    _tensor_given("x", x)
    return _Distances.apply(x, backend)


class _Energy(torch.autograd.Function):
    @staticmethod
    def forward(x, m, law, options):
        options = {key: _beside(x, value) for key, value in options.items()}
        values, total = triangulum.forces(_array(x), _beside(x, m), law, energy=True, **options)
        return x.new_tensor(total), _tensor(values, x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])

    @staticmethod
    @once_differentiable
    def backward(ctx, grad, _):
        return -grad * ctx.saved_tensors[0], None, None, None


def energy(x: torch.Tensor, m, law, **options) -> torch.Tensor:
    """The potential energy of bodies under a law, a tensor of x's dtype; its gradient in x is minus the forces.

    Arguments are those of triangulum.forces: m is a tensor of x's dtype (n,) or one number, which get no gradient; law a
    name with its parameters as keywords, or a dict; box, radii, map, accumulate, pairs, tolerance and backend as there.
    """
    if "energy" in options:
        raise TypeError("energy= is of triangulum.forces; this function returns the energy alone.")
    _tensor_given("x", x)
    return _Energy.apply(x, m, law, options)[0]
