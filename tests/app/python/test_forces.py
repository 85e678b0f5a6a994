"""triangulum.forces against sums over all pairs and triples in NumPy, and against the energy's differences."""

import warnings
from itertools import combinations

import numpy as np
import pytest
import triangulum
from device_libraries import there

SIZES = (1, 2, 3, 17, 64, 65, 130)
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-11}


def bodies(n, dtype=np.float64, spread=1.0):
    """On a jittered lattice of spacing 1.1, so that no two are close."""
    rng = np.random.default_rng(n)
    side = int(np.ceil(n ** (1 / 3)))
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:n]
    x = spread * (1.1 * lattice + 0.2 * rng.random((n, 3)))
    return x.astype(dtype), (0.5 + rng.random(n)).astype(dtype)


def summed(x, pair, box=None):
    """(forces, energy) of pair(d, r2, i, j) -> (strength, energy): the force on i is strength * d, d = x_i - x_j."""
    x = x.astype(np.float64)
    total, energy = np.zeros_like(x), 0.0
    i, j = np.triu_indices(len(x), 1)
    d = x[i] - x[j]
    if box is not None:
        d -= box * np.round(d / box)
    strength, energies = pair((d**2).sum(axis=1), i, j)
    np.add.at(total, i, strength[:, None] * d)
    np.add.at(total, j, -strength[:, None] * d)
    return total, energies.sum()


def gravity(m, G, eps):
    m = m.astype(np.float64)

    def pair(r2, i, j):
        r2 = r2 + eps**2
        return -G * m[i] * m[j] / r2**1.5, -G * m[i] * m[j] / r2**0.5

    return pair


def lennard_jones(epsilon, sigma, cutoff=np.inf):
    def pair(r2, i, j):
        inside = r2 <= cutoff**2
        s6 = (sigma**2 / r2) ** 3
        return inside * 24 * epsilon * (2 * s6**2 - s6) / r2, inside * 4 * epsilon * (s6**2 - s6)

    return pair


def close(got, expected, dtype):
    scale = np.abs(expected).max() if len(expected) else 0.0
    np.testing.assert_allclose(got, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", SIZES)
def test_gravity(n, dtype, backend):
    x, m = bodies(n, dtype)
    before = x.copy()
    expected, potential = summed(x, gravity(m, 1.5, 0.1))
    result, energy = triangulum.forces(x, m, "gravity", G=1.5, eps=0.1, energy=True, backend=backend)
    assert result.dtype == dtype and result.shape == (n, 3) and isinstance(energy, float)
    close(result, expected, dtype)
    assert energy == pytest.approx(potential, rel=1e-6 if dtype == np.float32 else 1e-12, abs=1e-300)
    assert np.array_equal(x, before)
    if backend == "cpu":  # where fast sums do not differ from run to run
        law = {"pair": "gravity", "G": 1.5, "eps": 0.1}
        assert np.array_equal(result, triangulum.forces(x, m, law, backend=backend))


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", SIZES)
def test_lennard_jones(n, dtype, backend):
    x, m = bodies(n, dtype)
    expected, potential = summed(x, lennard_jones(1.2, 0.9, 2.0))
    how = dict(epsilon=1.2, sigma=0.9, cutoff=2.0, energy=True, backend=backend)
    result, energy = triangulum.forces(x, m, "lennard-jones", **how)
    close(result, expected, dtype)
    assert energy == pytest.approx(potential, rel=1e-5 if dtype == np.float32 else 1e-12, abs=1e-300)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_a_periodic_box_takes_nearest_images(dtype, backend):
    n, box = 216, 6 * 1.1
    x, m = bodies(n, dtype)
    expected, potential = summed(x, lennard_jones(1.0, 1.0, 2.5), box)
    law = {"pair": "lennard-jones", "cutoff": 2.5}
    result, energy = triangulum.forces(x, m, law, box=box, energy=True, backend=backend)
    close(result, expected, dtype)
    assert energy == pytest.approx(potential, rel=1e-5 if dtype == np.float32 else 1e-12)
    far = x + np.array([3 * box, 0, -box], dtype)
    close(triangulum.forces(far, m, law, box=(box,) * 3, backend=backend), expected, np.float32)
    walls = {**law, "walls": "periodic", "low": [0, 0, 0], "high": [box] * 3}
    close(triangulum.forces(x, m, walls, backend=backend), expected, dtype)


def triple_energy(x, nu):
    energy = 0.0
    for i, j, k in combinations(range(len(x)), 3):
        a, b, c = x[j] - x[i], x[k] - x[j], x[i] - x[k]
        r2 = [v @ v for v in (a, b, c)]
        cosines = -(a @ b) * (b @ c) * (c @ a) / (r2[0] * r2[1] * r2[2])
        energy += nu * (1 + 3 * cosines) / (r2[0] * r2[1] * r2[2]) ** 1.5
    return energy


def differences(energy, x, h=1e-5):
    """-dE/dx, central."""
    result = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[index] += sign * h
            ends.append(energy(moved))
        result[index] = (ends[1] - ends[0]) / (2 * h)
    return result


@pytest.mark.parametrize("n", (1, 2, 3, 4, 9, 20))
def test_axilrod_teller(n, backend):
    x, m = bodies(n)
    result, energy = triangulum.forces(x, m, "axilrod-teller", nu=2.0, energy=True, backend=backend)
    assert energy == pytest.approx(triple_energy(x, 2.0), rel=1e-10, abs=1e-300)
    if n <= 9:
        expected = differences(lambda y: triple_energy(y, 2.0), x)
        np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7)
    assert np.abs(result.sum(axis=0)).max() <= 1e-10
    narrow = triangulum.forces(x.astype(np.float32), m.astype(np.float32), "axilrod-teller", nu=2.0, backend=backend)
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, result, rtol=1e-3, atol=1e-4 * max(np.abs(result).max(), 1e-9))


@pytest.mark.parametrize(
    "law",
    (
        {"pair": "gravity", "eps": 0.3}, {"pair": "lennard-jones", "sigma": 0.8},
        {"pair": "contact", "stiffness": 50.0}, {"pair": "lennard-jones", "triple": "axilrod-teller", "nu": 0.5},
        {"triple": "axilrod-teller"},
    ),
)
def test_forces_are_the_negative_gradient_of_the_energy(law, backend):
    x, m = bodies(12)
    how = dict(radii=0.6, backend=backend)
    expected = differences(lambda y: triangulum.forces(y, m, law, energy=True, **how)[1], x)
    result = triangulum.forces(x, m, law, **how)
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_damped_contacts_take_velocities():
    x = np.array([[0.0, 0, 0], [1.5, 0, 0]])
    v = np.array([[1.0, 0, 0], [-1, 0, 0]])
    law = dict(stiffness=10.0, damping=2.0, radii=1.0, backend="cpu")
    at_rest = triangulum.forces(x, 1.0, "contact", **law)
    assert at_rest.tolist() == [[-5, 0, 0], [5, 0, 0]]
    assert triangulum.forces(x, 1.0, "contact", velocities=v, **law).tolist() == [[-9, 0, 0], [9, 0, 0]]


def test_maps_and_blocks_change_no_bit_of_ordered_sums():
    x, m = bodies(200, np.float32)
    for law, domain in (("gravity", "pairs"), ("axilrod-teller", "triples")):
        usual = triangulum.forces(x[:60], m[:60], law, accumulate="ordered", backend="cpu")
        for row in triangulum.maps():
            if row["domain"] == domain:
                for block in (None, 8, 64):
                    how = dict(map=row["name"], block=block, accumulate="ordered", backend="cpu")
                    assert np.array_equal(triangulum.forces(x[:60], m[:60], law, **how), usual), row


def test_one_mass_for_all_and_no_bodies():
    x, _ = bodies(20)
    one, each = (triangulum.forces(x, m, "gravity", backend="cpu") for m in (2.0, np.full(20, 2.0)))
    assert np.array_equal(one, each)
    nothing, energy = triangulum.forces(np.zeros((0, 3), np.float32), 1.0, "gravity", energy=True, backend="cpu")
    assert nothing.shape == (0, 3) and nothing.dtype == np.float32 and energy == 0


X, M = bodies(5)
REFUSED = (
    (TypeError, "x is a list", ([[0.0] * 3], 1.0, "gravity"), {}),
    (TypeError, "x has dtype object; give float32 or float64", (X.astype(object), 1.0, "gravity"), {}),
    (ValueError, r"x has shape \(5, 2\); give \(n, 3\)", (X[:, :2].copy(), M, "gravity"), {}),
    (TypeError, "m has dtype float64; give float32", (X.astype(np.float32), M.astype(float), "gravity"), {}),
    (ValueError, r"m has (length 4|shape \(4,\)) and there are 5 bodies", (X, M[:4], "gravity"), {}),
    (TypeError, "m is a list", (X, [1.0] * 5, "gravity"), {}),
    (ValueError, "body 1 has m = -1; a mass may not be negative", (X, np.array([1.0, -1, 1, 1, 1]), "gravity"), {}),
    (ValueError, "body 0 has m = nan", (X, float("nan"), "gravity"), {}),
    (ValueError, "body 0 has r = -1", (X, M, "gravity"), dict(radii=-1.0)),
    (ValueError, "body 2 has vy = inf", (X, M, "gravity"), dict(velocities=np.where(X == X[2, 1], np.inf, X))),
    (ValueError, "body 2 has y = inf", (np.where(X == X[2, 1], np.inf, X), M, "gravity"), {}),
    (ValueError, "law is 'gravty'; give an energy such as '-mi\\*mj/r', or one of", (X, M, "gravty"), {}),
    (TypeError, "law is a int", (X, M, 3), {}),
    (ValueError, "names no law", (X, M, {"eps": 0.1}), {}),
    (TypeError, "unexpected keyword 'sofness': no argument, and no parameter", (X, M, "gravity"), dict(sofness=0.1)),
    (TypeError, "unexpected keyword 'pair'", (X, M, "gravity"), dict(pair="lennard-jones")),
    (TypeError, "unexpected keyword 'triple'", (X, M, "lennard-jones"), dict(triple="axilrod-teller")),
    (TypeError, "unexpected keyword 'out'", (X, M, "gravity"), dict(out=X)),
    (TypeError, "law is a dict, so 'eps' belongs into it", (X, M, {"pair": "gravity"}), dict(eps=0.1)),
    (ValueError, "eps = '-1.0', but it must be", (X, M, "gravity"), dict(eps=-1.0)),
    (ValueError, "sigma = '0', but it must be", (X, M, "lennard-jones"), dict(sigma=0)),
    (TypeError, "sigma is None|'sigma'. is None", (X, M, "lennard-jones"), dict(sigma=None)),
    (ValueError, "periodic walls with gravity", (X, M, "gravity"), dict(box=3.0)),
    (ValueError, "cutoff = 0; it must be above 0", (X, M, "lennard-jones"), dict(box=3.0)),
    (ValueError, "box has 2 sides", (X, M, "lennard-jones"), dict(box=(1.0, 2.0))),
    (ValueError, "box is short for walls", (X, M, "lennard-jones"), dict(box=3.0, walls="open")),
    (ValueError, "field is a uniform acceleration", (X, M, "gravity"), dict(field=(0, 0, 1))),
    (ValueError, "contact reads the radii", (X, M, "contact"), {}),
    (ValueError, "eps belongs to gravity", (X, M, "lennard-jones"), dict(eps=0.5)),
    (ValueError, "eps belongs to gravity", (X, M, {"pair": "-mi*mj/r", "eps": 0.5}), {}),
    (TypeError, "unexpected keyword 'dt'", (X, M, "lennard-jones"), dict(dt=0.5)),
    (ValueError, "integrator = kdk is of a simulation", (X, M, {"pair": "gravity", "integrator": "kdk"}), {}),
    (ValueError, "units = si sets the G of gravity", (X, M, {"pair": "lennard-jones", "units": "si"}), {}),
    (ValueError, r"radii has (length 2|shape \(2,\))", (X, M, "contact"), dict(radii=np.ones(2))),
    (ValueError, r"velocities has shape \(5, 2\)", (X, M, "contact"), dict(radii=1.0, velocities=np.ones((5, 2)))),
    (ValueError, r"velocities has (4 rows|shape \(4, 3\))", (X, M, "contact"), dict(radii=1.0, velocities=np.ones((4, 3)))),
    (ValueError, "impulses changes velocities in steps and is no force", (X, M, "contact"),
     dict(radii=1.0, response="impulses")),
    (ValueError, "reflecting push spheres under contact", (X, M, "gravity"), dict(walls="reflecting", high=(9, 9, 9))),
    (ValueError, "key low-x is given twice", (X, M, {"pair": "contact", "low-x": 0, "low": (1, 1, 1)}), {}),
    (TypeError, "energy is 'no'; give True or False", (X, M, "gravity"), dict(energy="no")),
    (TypeError, "block is a float; give a whole number", (X, M, "gravity"), dict(block=2.0)),
    (TypeError, "low is 0; give three numbers", (X, M, "contact"), dict(radii=1.0, walls="reflecting", low=0)),
    (TypeError, "eps is a [a-zA-Z]+; give a number", (X, M, "gravity"), dict(eps=np.full((9, 9), 0.5))),
    (ValueError, "map is a map of triples, which", (X, M, "gravity"), dict(map=triangulum.maps["bb", "triples"])),
    (ValueError, "no law of triples", (X, M, "gravity"), dict(map="tetra")),
    (ValueError, "unknown map", (X, M, "gravity"), dict(map="lamda")),
    (ValueError, "block is 0", (X, M, "gravity"), dict(block=0)),
    (ValueError, "slow", (X, M, "gravity"), dict(accumulate="slow")),
    (ValueError, "unknown pairs 'wood'", (X, M, "gravity"), dict(pairs="wood")),
    (ValueError, "tolerance '2e-05'", (X, M, "gravity"), dict(tolerance=2e-5)),
    (TypeError, "tolerance is a list; give a number", (X, M, "gravity"), dict(tolerance=[1e-5])),
    (ValueError, "pairs='tree' is of gravity, and the law of pairs is lennard-jones", (X, M, "lennard-jones"),
     dict(pairs="tree")),
    (ValueError, r"here is neither; leave it out\.$", (X, M, "lennard-jones"), dict(tolerance=1e-5)),
    (ValueError, "leave it out, or add pairs='tree'", (X, M, "gravity"), dict(pairs="all", tolerance=1e-5)),
    (ValueError, "eps = '-1.0', but it must be", (X[:0], M[:0], "gravity"), dict(eps=-1.0)),
)


@pytest.mark.parametrize("error, words, arguments, more", REFUSED)
def test_refusals_say_what_to_do(place, error, words, arguments, more):
    with pytest.raises(error, match=words):
        triangulum.forces(*there(place, arguments), **{**place.how, **there(place, more)})


@pytest.mark.parametrize("dtype, tolerance", ((np.float32, 3e-5), (np.float64, 1e-6)))
def test_a_tree_keeps_its_tolerance(dtype, tolerance):
    rng = np.random.default_rng(5)
    x, m = rng.normal(size=(6000, 3)).astype(dtype), (0.5 + rng.random(6000)).astype(dtype)
    plain, energy = triangulum.forces(x.astype(float), m.astype(float), "gravity", eps=0.05, energy=True, backend="cpu")
    how = dict(eps=0.05, energy=True, pairs="tree", tolerance=tolerance, backend="cpu")
    tree, same = triangulum.forces(x, m, "gravity", **how)
    error = np.sqrt((((tree - plain) / m[:, None]) ** 2).sum() / ((plain / m[:, None]) ** 2).sum())
    assert 0 < error < tolerance and tree.dtype == dtype
    assert np.array_equal(tree, triangulum.forces(x, m, "gravity", **{**how, "tolerance": f"{tolerance:.6f}"})[0])
    assert same == pytest.approx(energy, rel=1e-7)
    with pytest.raises(ValueError, match="block is the side of a tile of all pairs"):
        triangulum.forces(x, m, "gravity", block=64, **how)
    few = triangulum.forces(x[:50], m[:50], "gravity", tolerance=tolerance, backend="cpu")
    assert np.array_equal(few, triangulum.forces(x[:50], m[:50], "gravity", backend="cpu"))  # all pairs are faster


def test_two_bodies_at_one_place_are_a_numerical_error(place):
    with pytest.raises(triangulum.NumericalError, match="body"):
        triangulum.forces(place.device(np.zeros((2, 3))), 1.0, "gravity", **place.how)


def test_forces_that_float32_makes_0_are_a_warning():
    with pytest.warns(RuntimeWarning, match="the force on body 0 is below the range of float32; give float64 arrays"):
        triangulum.forces(np.eye(2, 3, dtype=np.float32), np.float32(1e-25), "gravity", backend="cpu")


def test_forces_that_float32_or_ordered_sums_lose_are_a_warning():
    """As `compute forces` says it."""
    x = np.array([[0, 0, 0], [1, 0, 0], [1e8, 0, 0]])
    with pytest.warns(RuntimeWarning, match="float32 loses the force on 1 body: 4.8e-55 on body 2, .*float64 arrays"):
        triangulum.forces(x.astype(np.float32), np.float32(1), "lennard-jones", backend="cpu")
    with pytest.warns(RuntimeWarning, match="ordered sums lose the force on 1 body: .* on body 2, .*leave out"):
        near = np.array([[0, 0, 0], [1e-6, 0, 0], [1e5, 0, 0]])
        triangulum.forces(near, 1.0, "gravity", accumulate="ordered", backend="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        triangulum.forces(x, 1.0, "lennard-jones", backend="cpu")


@pytest.mark.parametrize("how, words", (
    (dict(radii=0.1), "have a radius, but the law of pairs is gravity"), (dict(charges=X[:, 0]), "have charges, but"),
    (dict(velocities=X), "velocities are given, and only forces of contact"),
))
def test_what_no_force_depends_on_is_told(how, words):
    plain = triangulum.forces(X, M, "gravity", backend="cpu")
    with pytest.warns(RuntimeWarning, match=words):
        assert np.array_equal(triangulum.forces(X, M, "gravity", backend="cpu", **how), plain)


def test_dashpots_of_bodies_at_rest_are_told():
    springs = triangulum.forces(X, M, "contact", radii=0.5, backend="cpu")
    with pytest.warns(RuntimeWarning, match="damping and shear act on velocities, and no body has one"):
        damped = triangulum.forces(X, M, "contact", radii=0.5, damping=2.0, backend="cpu")
    assert np.array_equal(springs, damped) and springs.any()


def test_a_place_far_from_its_box_is_refused_by_the_dtype():
    x = np.array([[1e9, 0, 0], [0.5, 0.5, 0.5]])
    how = dict(cutoff=2.0, box=8.0, backend="cpu")
    assert np.isfinite(triangulum.forces(x, 1.0, "lennard-jones", **how)).all()
    with pytest.raises(ValueError, match="numbers of float32 are 64 apart.*its place in the periodic box is not known"):
        triangulum.forces(x.astype(np.float32), 1.0, "lennard-jones", **how)
    run = dict(law="lennard-jones", cutoff=2.0, box=8.0, masses=1.0, dt=1e-3, precision="fp64", backend="cpu")
    triangulum.Simulation(positions=x, **run).step()
    with pytest.raises(ValueError, match="numbers of float32 are 64 apart.*its place in the periodic box is not known"):
        triangulum.Simulation(positions=x.astype(np.float32), **run)
    triangulum.Simulation(positions=x.astype(np.float32) % 8, **run).step()
