"""Random shapes, types and values against sums one by one; a failure prints the smallest case that fails."""

import numpy as np
import pytest
import triangulum

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings, strategies  # noqa: E402

settings.register_profile("tests", deadline=None, derandomize=True, max_examples=150)
settings.load_profile("tests")

DTYPES = strategies.sampled_from((np.float32, np.float64))


@strategies.composite
def points(draw, most=60, columns=(1, 16), step=64):
    """(n, d) on a lattice of 1 / step, on which sums of squares are exact."""
    n, d = draw(strategies.integers(0, most)), draw(strategies.integers(*columns))
    rng = np.random.default_rng(draw(strategies.integers(0, 2**32)))
    return (rng.integers(-6 * step, 6 * step, (n, d)) / step).astype(draw(DTYPES))


def maps(domain):
    return strategies.sampled_from([None, *(row["name"] for row in triangulum.maps() if row["domain"] == domain)])


@given(
    points(most=90), strategies.sampled_from(("condensed", "square", "lower")), maps("pairs"),
    strategies.none() | strategies.integers(1, 200),
)
def test_pdist(x, layout, map, block):
    result = triangulum.pdist(x, layout=layout, map=map, block=block, backend="cpu")
    square = np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2))
    index = {"condensed": np.triu_indices(len(x), 1), "lower": np.tril_indices(len(x)), "square": ...}[layout]
    np.testing.assert_allclose(result, square[index], rtol=8 * np.finfo(x.dtype).eps)


@given(points(columns=(1, 3)), strategies.data())
def test_contacts(x, data):
    n, d = x.shape
    rng = np.random.default_rng(data.draw(strategies.integers(0, 2**32)))
    r = (rng.integers(0, data.draw(strategies.integers(1, 400)), n) / 64).astype(x.dtype)
    box = data.draw(strategies.none() | strategies.tuples(*[strategies.integers(1, 16)] * d))
    apart = x[:, None, :].astype(float) - x[None, :, :]
    if box is not None:
        apart -= np.array(box) * np.round(apart / box)
    touch = (apart**2).sum(axis=2) <= (r[:, None].astype(float) + r[None, :]) ** 2
    expected = np.stack(np.nonzero(np.triu(touch, 1)), axis=1)
    assert np.array_equal(triangulum.contacts(x, r, box=box, backend="cpu"), expected)
    if n > 0 and (r == r[0]).all():
        assert np.array_equal(triangulum.contacts(x, float(r[0]), box=box, backend="cpu"), expected)


@given(points(columns=(3, 3)), maps("pairs"), strategies.none() | strategies.integers(1, 100), strategies.booleans())
def test_forces_of_gravity(x, map, block, ordered):
    m = (1 + np.arange(len(x)) % 3).astype(x.dtype)
    accumulate = "ordered" if ordered else "fast"
    how = dict(G=2.0, eps=0.5, map=map, block=block, accumulate=accumulate, backend="cpu", energy=True)
    result, energy = triangulum.forces(x, m, "gravity", **how)
    wide, masses = x.astype(np.float64), m.astype(np.float64)
    apart = wide[:, None, :] - wide[None, :, :]
    r2 = (apart**2).sum(axis=2) + 0.25
    weights = 2 * masses[:, None] * masses[None, :]
    expected = -(weights / r2**1.5)[..., None] * apart
    expected = expected.sum(axis=1)
    tolerance = 1e-5 if x.dtype == np.float32 else 1e-11
    scale = (weights / r2).max() if len(x) else 0
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance * scale)
    assert result.dtype == x.dtype and result.shape == x.shape
    off = np.triu(weights / np.sqrt(r2), 1).sum()
    assert energy == pytest.approx(-off, rel=1e-6 if x.dtype == np.float32 else 1e-12, abs=1e-300)


@given(points(columns=(3, 3)), strategies.integers(1, 9))
def test_a_simulation_has_what_it_was_given(x, steps):
    rng = np.random.default_rng(len(x))
    m = rng.random(len(x)).astype(x.dtype)
    if len(x) == 0:
        with pytest.raises(ValueError):
            triangulum.Simulation(positions=x, masses=m, backend="cpu")
        return
    how = dict(masses=m, laws={"eps": 0.5}, precision="fp64", accumulate="ordered", backend="cpu")
    sim = triangulum.Simulation(positions=x, **how)
    assert np.array_equal(sim.positions, x) and np.array_equal(sim.masses, m) and len(sim) == len(x)
    f = triangulum.forces(x.astype(float), m.astype(float), "gravity", eps=0.5, backend="cpu")
    a = np.divide(f, m[:, None], out=np.zeros_like(f), where=m[:, None] > 0)
    sim.step()
    np.testing.assert_allclose(sim.positions, x + 0.5 * 0.01**2 * a, rtol=1e-12, atol=1e-12)
    sim.step(steps)
    assert sim.steps == steps + 1
