/// Scenes of gravity: clouds, orbits, Plummer spheres, galaxies.
///
/// Gravity: bodies of equal mass, uniformly distributed in a ball or a box, total mass 1.
///
/// Units: G = 1, the radius of the ball or the side of the box 1, the mass 1. Velocities are Maxwellian, the same
/// everywhere, with kinetic energy virial * |U| / 2: virial=1 initially neither collapses nor expands, virial=0
/// collapses from rest (a ball in t = pi / sqrt(8) = 1.11). Neither is an equilibrium, but both relax to one.
///
/// U is the mean over all such states, (1 - 1/N) times that of the continuous body:
///     ball of radius 1   -(3/5)
///     cube of side 1     -(1/2) 1.88231264438966..., the mean inverse distance of two points of the cube,
///                        2/5 - 2 pi/3 + 2 sqrt2/5 - 4 sqrt3/5 + 2 ln(1 + sqrt2) + 4 ln((1 + sqrt3)/sqrt2)
///                        (Bailey, Borwein, Crandall, "Box integrals", J. Comput. Appl. Math. 206, 2007)

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/model/integrator.hpp"
#include "sim/scene/generators.hpp"

namespace tri::scene {

namespace {

constexpr double kSoftening = 0.02;
constexpr double kDt = 1.0 / 256.0;

/// A scene whose positions are drawn by `draw(random)`.
template <class Draw>
Scene uniform(SceneKeys& keys, const char* units, double smooth_potential, Draw draw) {
  Scene scene;
  const u32 n = keys.count("n", 4096, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double virial = keys.real("virial", 1.0, kNotNegative);
  read_gravity_keys(scene, keys, kSoftening);
  const double G = scene.field.gravity.G;
  read_step(scene, keys, kDt, G);
  keys.done();

  scene.units = units;
  Random random(scene.seed);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  for (u32 i = 0; i < n; ++i) {
    const Vec p = draw(random);
    b.x[i] = p[0], b.y[i] = p[1], b.z[i] = p[2];
    b.m[i] = 1.0 / n;
  }
  const double potential = G * smooth_potential * (1.0 - 1.0 / n);
  if (virial > 0) set_thermal_velocities(b, 0.5 * virial * std::abs(potential), random);
  return scene;
}

}  // namespace

Scene uniform_ball(SceneKeys& keys) {
  return uniform(keys, "G = 1, total mass 1, radius 1", -0.6, [](Random& random) {
    const double r = std::cbrt(random.uniform());
    Vec p = random.direction();
    for (double& c : p) c *= r;
    return p;
  });
}

Scene uniform_box(SceneKeys& keys) {
  using std::numbers::pi, std::numbers::sqrt2, std::numbers::sqrt3;
  const double inverse_distance =
      0.4 - 2 * pi / 3 + 0.4 * sqrt2 - 0.8 * sqrt3 + 2 * std::log(1 + sqrt2) + 4 * std::log((1 + sqrt3) / sqrt2);
  return uniform(keys, "G = 1, total mass 1, side 1, centred on the origin", -0.5 * inverse_distance,
                 [](Random& random) {
                   const double x = random.uniform() - 0.5, y = random.uniform() - 0.5;
                   return Vec{x, y, random.uniform() - 0.5};
                 });
}

// Gravity: orbits of two and three bodies that are known exactly or to many digits, for testing integrators. With
// eps > 0 the initial state is the same but the orbit differs. Velocities scale with sqrt(G), so that any G gives the
// same shape.
//
//     kepler     two bodies, total mass 1, semi-major axis 1, period 2 pi, eccentricity e, from apocentre
//     figure-8   three bodies of mass 1 on a common curve, period 6.32591398, stable
//                (Chenciner and Montgomery, Annals of Mathematics 152, 881 (2000); initial values by Simo)
//     lagrange   three bodies of mass 1 on an equilateral triangle of side 1, rotating with w^2 = 3, energy -3/2;
//                unstable: rounding errors end it after some revolutions (Lagrange 1772)

namespace {

constexpr double kStepsPerPeriod = 1024.0;
constexpr double kSharpTurn = 0.9;  ///< eccentricity from which equal steps are too long at pericentre
constexpr double kOrbitEta = 1e-4;  ///< |dE/E| of about 1e-9 in 100 periods at e = 0.99

/// Reads the keys common to all orbits; `period` is for G = 1.
Scene orbit(SceneKeys& keys, const char* units, double period) {
  Scene scene;
  scene.units = units;
  read_gravity_keys(scene, keys, 0.0);
  read_step(scene, keys, period / kStepsPerPeriod, scene.field.gravity.G);
  keys.done();
  return scene;
}

}  // namespace

Scene kepler(SceneKeys& keys) {
  const double e = keys.real("e", 0.5, {0, 1, true, false});
  const double ratio = keys.real("ratio", 1.0, kPositive);
  const bool sharp = e >= kSharpTurn && !keys.has("dt");
  Scene scene = orbit(keys, "G = 1, total mass 1, semi-major axis 1, period 2 pi", 2 * std::numbers::pi);
  if (sharp) resolve_encounters(scene, kOrbitEta);
  const double distance = 1.0 + e;
  const double speed = std::sqrt(scene.field.gravity.G * (1.0 - e) / (1.0 + e));
  const double m1 = 1.0 / (1.0 + ratio), m2 = ratio / (1.0 + ratio);
  scene.bodies.add(-m2 * distance, 0, 0, 0, -m2 * speed, 0, m1);
  scene.bodies.add(m1 * distance, 0, 0, 0, m1 * speed, 0, m2);
  return scene;
}

Scene figure_8(SceneKeys& keys) {
  Scene scene = orbit(keys, "G = 1, masses 1, period 6.32591398", 6.32591398);
  const double root_g = std::sqrt(scene.field.gravity.G);
  const double x = 0.97000436, y = -0.24308753;
  const double vx = -0.93240737 * root_g, vy = -0.86473146 * root_g;
  scene.bodies.add(x, y, 0, -vx / 2, -vy / 2, 0, 1);
  scene.bodies.add(-x, -y, 0, -vx / 2, -vy / 2, 0, 1);
  scene.bodies.add(0, 0, 0, vx, vy, 0, 1);
  return scene;
}

Scene lagrange(SceneKeys& keys) {
  using std::numbers::sqrt3;
  Scene scene = orbit(keys, "G = 1, masses 1, side 1, period 2 pi / sqrt(3)", 2 * std::numbers::pi / sqrt3);
  const double radius = 1.0 / sqrt3;
  const double speed = std::sqrt(scene.field.gravity.G);  // w times radius
  const std::array<std::array<double, 2>, 3> corners{{{1, 0}, {-0.5, sqrt3 / 2}, {-0.5, -sqrt3 / 2}}};
  for (const auto& [c, s] : corners) scene.bodies.add(radius * c, radius * s, 0, -speed * s, speed * c, 0, 1);
  return scene;
}

// Gravity: a star cluster in equilibrium, a Plummer sphere in virial units: G = M = 1, E = -1/4, U = -1/2, K = 1/4,
// scale length a = 3 pi / 16, crossing time 2 sqrt(2).
//
//     density    (3 / (4 pi a^3)) (1 + r^2/a^2)^(-5/2),    mass within r   r^3 (r^2 + a^2)^(-3/2)
//     speeds     f(q) ~ q^2 (1 - q^2)^(7/2), q = v / v_escape,  v_escape^2 = 2 / sqrt(r^2 + a^2)
//
// Sampling follows Aarseth, Henon and Wielen, Astron. Astrophys. 37, 183 (1974): radii from the enclosed mass, speeds
// by rejection, isotropic directions. Two refinements reduce the noise of small samples: enclosed masses are
// stratified into n equal layers (in random order), and velocities are scaled so that K = (1 - 1/n)/4 exactly, half of
// the mean |U| of n such bodies. Centre of mass and momentum are zero.

namespace {

constexpr double kLength = 3.0 * std::numbers::pi / 16.0;

/// v / v_escape. The density of q has its maximum, 0.0922, at q^2 = 2/9.
double draw_speed(Random& random) {
  for (;;) {
    const double q = random.uniform();
    const double height = 0.1 * random.uniform();
    const double rest = 1.0 - q * q;
    if (height < q * q * rest * rest * rest * std::sqrt(rest)) return q;
  }
}

}  // namespace

Scene plummer(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 4096, 1, kMaxBodies);
  scene.seed = keys.seed();
  read_gravity_keys(scene, keys, 0.02);
  const double G = scene.field.gravity.G;
  read_step(scene, keys, 1.0 / 256.0, G);
  if (scene.field.gravity.softening == 0 && !keys.has("dt")) resolve_encounters(scene, usual_eta(Integrator::hermite));
  keys.done();

  scene.units = "virial units: G = 1, total mass 1, energy -1/4";
  Random random(scene.seed);
  const std::vector<u32> layers = shuffled_layers(n, random);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  for (u32 i = 0; i < n; ++i) {
    const double mass_within = (layers[i] + 1.0 - random.uniform()) / (n + 0.0);  // in (0, 1]
    const double within = std::min(mass_within, 1.0 - 1e-9);                      // bounds r to 38,730 a
    const double r = kLength / std::sqrt(std::pow(within, -2.0 / 3.0) - 1.0);
    const double escape = std::sqrt(2.0 * G / std::hypot(r, kLength));
    const Vec p = random.direction();
    const double v = escape * draw_speed(random);
    const Vec heading = random.direction();
    b.x[i] = r * p[0], b.y[i] = r * p[1], b.z[i] = r * p[2];
    b.vx[i] = v * heading[0], b.vy[i] = v * heading[1], b.vz[i] = v * heading[2];
    b.m[i] = 1.0 / n;
  }
  centre_positions(b);
  remove_drift(b);
  if (n > 1) scale_to_kinetic(b, 0.25 * G * (1.0 - 1.0 / n));
  return scene;
}

// Spherical stellar systems with isotropic velocities, in equilibrium in a given potential: Eddington's inversion
// (Eddington 1916; Binney and Tremaine, Galactic Dynamics, 2nd ed., eq. 4.46).

namespace {

/// One component on a logarithmic grid of radii. All vectors have the same length.
struct RadialProfile {
  std::vector<double> radius;   ///< > 0, increasing
  std::vector<double> density;  ///< mass / length^3, decreasing
  std::vector<double> mass;     ///< within the radius
};

constexpr std::size_t kRadii = 400;
constexpr int kSpeeds = 200;  ///< samples to find the maximum density of speeds

/// Index k of the interval [x[k], x[k + 1]] of an increasing array that contains the value; the first and the last one
/// extend outward.
std::size_t interval(const std::vector<double>& x, double value) {
  const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, value);
  return static_cast<std::size_t>(above - x.begin()) - 1;
}

/// y at `value`, by linear interpolation of ln y over ln x.
double power_law(const std::vector<double>& x, const std::vector<double>& y, double value) {
  const std::size_t k = interval(x, value);
  const double slope = std::log(y[k + 1] / y[k]) / std::log(x[k + 1] / x[k]);
  return y[k] * std::pow(value / x[k], slope);
}

/// Tabulates `shape` (up to a factor) between two radii and normalises the total mass. The density is proportional to
/// 1/r inside of the first radius and 0 outside of the last.
RadialProfile tabulate(const std::function<double(double)>& shape, double total, double first, double last) {
  RadialProfile p;
  for (std::size_t k = 0; k < kRadii; ++k) {
    p.radius.push_back(first * std::pow(last / first, static_cast<double>(k) / (kRadii - 1)));
    p.density.push_back(shape(p.radius[k]));
  }
  const auto shell = [&](std::size_t k) { return 4 * std::numbers::pi * p.density[k] * std::pow(p.radius[k], 3); };
  p.mass.push_back(shell(0) / 2);  // of density ~ 1/r
  for (std::size_t k = 1; k < kRadii; ++k) {
    p.mass.push_back(p.mass[k - 1] + 0.5 * (shell(k - 1) + shell(k)) * std::log(p.radius[k] / p.radius[k - 1]));
  }
  const double factor = total / p.mass.back();
  for (std::size_t k = 0; k < kRadii; ++k) p.mass[k] *= factor, p.density[k] *= factor;
  return p;
}

/// The mass within r; a power law between the radii of the grid.
double mass_within(const RadialProfile& p, double r) {
  return r >= p.radius.back() ? p.mass.back() : power_law(p.radius, p.mass, r);
}

/// Psi = -potential > 0 at the given radii: G times the integral of mass(r) r / (r^2 + eps^2)^(3/2) from r outward.
std::vector<double> potential_on(const std::vector<double>& radius, const std::vector<double>& mass, double G,
                                 double eps) {
  const auto force = [&](std::size_t k) {
    const double r = radius[k];
    return G * mass[k] * r / std::pow(r * r + eps * eps, 1.5);
  };
  const std::size_t n = radius.size();
  std::vector<double> potential(n);
  potential[n - 1] = G * mass[n - 1] / std::hypot(radius[n - 1], eps);
  for (std::size_t k = n - 1; k-- > 0;) {
    const double step = std::log(radius[k + 1] / radius[k]);
    potential[k] = potential[k + 1] + 0.5 * (force(k) * radius[k] + force(k + 1) * radius[k + 1]) * step;
  }
  return potential;
}

/// Samples bodies of a component in the potential Psi, which is given at the component's radii.
class IsotropicSampler {
 public:
  /// F(E) is the integral of d rho / sqrt(E - Psi) over Psi from 0 to E, and f is proportional to dF / dE. In each
  /// interval of the grid rho is linear in Psi, so that the integral is analytic despite the singularity at its end.
  IsotropicSampler(RadialProfile profile, std::vector<double> potential)
      : profile_(std::move(profile)), potential_(std::move(potential)) {
    const std::vector<double>&rho = profile_.density, &psi = potential_;
    const std::size_t n = psi.size();
    TRI_EXPECTS(rho.size() == n && n > 2);
    std::vector<double> integral(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = k; j + 1 < n; ++j) {
        const double slope = (rho[j] - rho[j + 1]) / (psi[j] - psi[j + 1]);
        integral[k] += 2 * slope * (std::sqrt(psi[k] - psi[j + 1]) - std::sqrt(psi[k] - psi[j]));
      }
    }
    for (std::size_t k = n - 1; k-- > 0;) {
      const double f = (integral[k] - integral[k + 1]) / (psi[k] - psi[k + 1]);
      energy_.push_back(0.5 * (psi[k] + psi[k + 1]));
      log_f_.push_back(std::log(std::max(f, 1e-300)));
    }
    highest_.resize(n);
    for (std::size_t k = 0; k < n; ++k) highest_[k] = highest(psi[k]);
  }

  /// The radius that contains this fraction of the mass, 0 < fraction < 1.
  double radius(double fraction) const {
    return power_law(profile_.mass, profile_.radius, fraction * profile_.mass.back());
  }

  /// A random speed at this radius, below escape speed, with density v^2 f(Psi - v^2 / 2), by rejection.
  double speed(double r, Random& random) const {
    const double psi = potential_at(r), escape = std::sqrt(2 * psi);
    const std::size_t k = interval(profile_.radius, r);
    const double bound = std::max(highest_[k], highest_[k + 1]);
    for (;;) {
      const double v = escape * random.uniform();
      if (bound * random.uniform() < v * v * distribution(psi - v * v / 2)) return v;
    }
  }

 private:
  double potential_at(double r) const {
    return r <= profile_.radius.front() ? potential_.front() : power_law(profile_.radius, potential_, r);
  }

  /// f, up to a factor; 0 for unbound energies
  double distribution(double energy) const {
    if (energy <= 0) return 0;
    const double e = std::clamp(energy, energy_.front(), energy_.back());
    const std::size_t k = interval(energy_, e);
    const double t = (e - energy_[k]) / (energy_[k + 1] - energy_[k]);
    const double f = std::exp(log_f_[k] + t * (log_f_[k + 1] - log_f_[k]));
    return energy < energy_.front() ? f * energy / energy_.front() : f;  // 0 at the edge
  }

  double highest(double psi) const {
    double maximum = 0;
    for (int i = 1; i < kSpeeds; ++i) {
      const double v = std::sqrt(2 * psi) * i / kSpeeds;
      maximum = std::max(maximum, v * v * distribution(psi - v * v / 2));
    }
    return 1.1 * maximum;
  }

  RadialProfile profile_;
  std::vector<double> potential_;       ///< decreasing with the radius
  std::vector<double> energy_, log_f_;  ///< increasing energies, and ln f there
  std::vector<double> highest_;         ///< maximum of v^2 f(Psi - v^2/2) at each radius
};

// Gravity: a disk galaxy in equilibrium. Units: G = 1, mass and scale length of the disk 1 (for 5e10 solar masses and
// 3 kpc: 11 Myr and 268 km/s).
//
//     disk    surface density exp(-R) / (2 pi), truncated at R = 10; sech^2(z / thickness) vertically
//     bulge   Hernquist's density 1 / (r (r + a)^3) (Astrophys. J. 356, 359, 1990)
//     halo    the same with a Gaussian cutoff at two scale lengths
//
// Bulge and halo have isotropic velocities from Eddington's inversion in the total potential, with the disk's mass
// spherically averaged. The disk's velocities follow the moments of Hernquist (Astrophys. J. Suppl. 86, 389, 1993):
// sigma_R^2 ~ exp(-R) with Toomre's Q given at R = 2, sigma_phi from the epicyclic approximation, sigma_z from the
// vertical virial theorem in disk and halo, and the mean rotation from the asymmetric drift. Forces are softened.
//
// Radii are stratified: one per layer of equal mass. Groups, in this order: 0 disk, 1 bulge, 2 halo.

using std::numbers::pi;

constexpr double kDiskEdge = 10.0;
constexpr double kToomreRadius = 2.0;
constexpr u32 kCurvePoints = 512;

double disk_mass_within(double r) {
  return r >= kDiskEdge ? 1.0 : (1 - (1 + r) * std::exp(-r)) / (1 - 11 * std::exp(-10.0));
}

/// Squared circular speed of the exponential disk alone, mass 1 (Freeman, Astrophys. J. 160, 811, 1970).
double disk_speed_square(double G, double R) {
  const double y = R / 2;
  return 2 * G * y * y *
         (std::cyl_bessel_i(0, y) * std::cyl_bessel_k(0, y) - std::cyl_bessel_i(1, y) * std::cyl_bessel_k(1, y));
}

/// Parameters from the keys.
struct Galaxy {
  double G = 1, eps = 0, bulge = 0, halo = 0, bulge_length = 0, halo_length = 0, thickness = 0, Q = 0;
};

/// Squared circular speeds at equal steps of R: of all components, and of bulge and halo only.
class RotationCurve {
 public:
  RotationCurve(const Galaxy& g, const RadialProfile* bulge, const RadialProfile* halo) {
    for (u32 k = 1; k <= kCurvePoints; ++k) {
      const double R = kStep * k;
      double mass = 0;
      for (const RadialProfile* p : {bulge, halo}) mass += p == nullptr ? 0 : mass_within(*p, R);
      spheres_.push_back(g.G * mass * R * R / std::pow(R * R + g.eps * g.eps, 1.5));
      all_.push_back(spheres_.back() + disk_speed_square(g.G, R));
    }
  }
  double speed_square(double R) const { return at(all_, R); }
  double spheres(double R) const { return at(spheres_, R); }
  /// Squared angular speed and epicyclic frequency.
  double angular_square(double R) const { return speed_square(R) / (R * R); }
  double epicyclic_square(double R) const {
    const double h = kStep,
                 slope = (speed_square(R + h) - speed_square(std::max(R - h, h))) / (R + h - std::max(R - h, h));
    return std::max(slope / R + 2 * angular_square(R), angular_square(R));
  }

 private:
  static constexpr double kStep = (kDiskEdge + 0.5) / kCurvePoints;
  static double at(const std::vector<double>& values, double R) {
    const double x = std::clamp(R / kStep - 1, 0.0, kCurvePoints - 1.001);
    const auto k = static_cast<std::size_t>(x);
    return values[k] + (x - static_cast<double>(k)) * (values[k + 1] - values[k]);
  }
  std::vector<double> all_, spheres_;
};

/// R that contains this fraction of the disk's mass.
double disk_radius(double fraction) {
  double low = 0, high = kDiskEdge;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (disk_mass_within(middle) < fraction ? low : high) = middle;
  }
  return low;
}

void add_disk(Bodies& b, const Galaxy& g, const RotationCurve& curve, u32 n, Random& random) {
  const auto surface = [](double R) { return std::exp(-R) / (2 * pi); };
  const double at_toomre = g.Q * 3.36 * g.G * surface(kToomreRadius) / std::sqrt(curve.epicyclic_square(kToomreRadius));
  const double centre_square = at_toomre * at_toomre * std::exp(kToomreRadius);
  const std::vector<u32> layers = shuffled_layers(n, random);
  for (u32 i = 0; i < n; ++i) {
    const double R = std::max(disk_radius((layers[i] + random.uniform()) / n), 1e-3);
    const double z = g.thickness * std::atanh(std::clamp(random.uniform(-1, 1), -0.999999, 0.999999));
    const double radial = centre_square * std::exp(-R);
    const double ratio = curve.epicyclic_square(R) / (4 * curve.angular_square(R));
    const double mean = std::sqrt(std::max(0.0, curve.speed_square(R) + radial * (1 - ratio - 2 * R)));
    const double vertical =
        pi * g.G * surface(R) * g.thickness + curve.spheres(R) / (R * R) * g.thickness * g.thickness * pi * pi / 12;
    const double vR = std::sqrt(radial) * random.normal();
    const double vt = mean + std::sqrt(radial * ratio) * random.normal();
    const double vz = std::sqrt(vertical) * random.normal();
    const double angle = random.uniform(0, 2 * pi), c = std::cos(angle), s = std::sin(angle);
    b.add(R * c, R * s, z, vR * c - vt * s, vR * s + vt * c, vz, 1.0 / n);
  }
}

void add_sphere(Bodies& b, const IsotropicSampler& sampler, double mass, u32 n, Random& random) {
  const std::vector<u32> layers = shuffled_layers(n, random);
  for (u32 i = 0; i < n; ++i) {
    const double r = sampler.radius((layers[i] + 1.0 - random.uniform()) / (n + 1e-9));
    const double v = sampler.speed(r, random);
    const Vec p = random.direction(), heading = random.direction();
    b.add(r * p[0], r * p[1], r * p[2], v * heading[0], v * heading[1], v * heading[2], mass / n);
  }
}

IsotropicSampler sampler_of(const RadialProfile& own, const Galaxy& g, const RadialProfile& bulge,
                            const RadialProfile& halo) {
  std::vector<double> mass;
  for (const double r : own.radius) {
    mass.push_back(disk_mass_within(r) + mass_within(bulge, r) + mass_within(halo, r));
  }
  return {own, potential_on(own.radius, mass, g.G, g.eps)};
}

/// Number of bodies of disk, bulge and halo: none for a component without mass, at least one for any other.
std::array<u32, 3> counts(u32 n, const Galaxy& g, double disk_share, double bulge_share) {
  const auto of = [n](double share) { return std::max(1u, static_cast<u32>(std::lround(share * n))); };
  std::array<u32, 3> count{of(disk_share), g.bulge > 0 ? of(bulge_share) : 0, 0};
  if (g.halo > 0) {
    count[2] = n - count[0] - count[1];
  } else {
    count[0] = n - count[1];
  }
  return count;
}

}  // namespace

Scene galaxy(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 16384, 16, kMaxBodies);
  scene.seed = keys.seed();
  Galaxy g;
  g.bulge = keys.real("bulge", 0.2, kNotNegative);
  g.halo = keys.real("halo", 9, kNotNegative);
  g.bulge_length = keys.real("bulge-length", 0.2, kPositive);
  g.halo_length = keys.real("halo-length", 8, kPositive);
  for (const char* key : {"bulge-length", "bulge-share"}) {
    if (g.bulge == 0) keys.refuse_idle(key, "belongs to the bulge, and bulge is 0.");
  }
  if (g.halo == 0) keys.refuse_idle("halo-length", "belongs to the halo, and halo is 0.");
  if (g.halo == 0) keys.refuse_idle("disk-share", "leaves the other bodies to the halo, and halo is 0.");
  g.thickness = keys.real("thickness", 0.1, kPositive);
  g.Q = keys.real("Q", 1.5, kNotNegative);
  const double disk_share = keys.real("disk-share", 0.4, {0.1, 0.8, true, true});
  const double bulge_share = keys.real("bulge-share", 0.1, {0, 0.1, false, true});
  read_gravity_keys(scene, keys, 0.05);
  g.G = scene.field.gravity.G, g.eps = scene.field.gravity.softening / keys.length;
  read_step(scene, keys, 1.0 / 32.0, g.G);
  keys.done();

  scene.units = "G = 1, mass and scale length of the disk 1 (5e10 solar masses, 3 kpc: 11 Myr, 268 km/s)";
  const auto hernquist = [](double a, double edge) {
    return [a, edge](double r) { return std::exp(-r * r / (edge * edge)) / (r * std::pow(r + a, 3)); };
  };
  const double edge = 2 * g.halo_length;
  // A component of mass 0 keeps a table of negligible mass, which is never sampled.
  const RadialProfile bulge = tabulate(hernquist(g.bulge_length, 50 * g.bulge_length), std::max(g.bulge, 1e-12),
                                       1e-3 * g.bulge_length, 150 * g.bulge_length);
  const RadialProfile halo =
      tabulate(hernquist(g.halo_length, edge), std::max(g.halo, 1e-12), 1e-3 * g.halo_length, 4 * edge);
  const RotationCurve curve(g, &bulge, &halo);
  const std::array<u32, 3> count = counts(n, g, disk_share, bulge_share);
  Random random(scene.seed);
  scene.groups = {"disk", "bulge", "halo"};
  std::array<Bodies, 3> parts;
  add_disk(parts[0], g, curve, count[0], random);
  if (count[1] > 0) add_sphere(parts[1], sampler_of(bulge, g, bulge, halo), g.bulge, count[1], random);
  if (count[2] > 0) add_sphere(parts[2], sampler_of(halo, g, bulge, halo), g.halo, count[2], random);
  for (Bodies& part : parts) {
    // Separately: the noise of a halo of few bodies would shift the disk off the centre.
    centre_positions(part);
    remove_drift(part);
    part.set_group(0, static_cast<std::uint16_t>(&part - parts.data()));
    append(scene.bodies, part);
  }
  return scene;
}

// Gravity: an expanding sphere of a perturbed lattice in vacuum, whose filaments and clusters grow as in a universe
// without pressure and at critical density (Einstein and de Sitter 1932): the radius goes as t^(2/3), small contrasts
// grow by the same factor, and the energy is 0.
//
// Bodies begin on a cubic lattice in the unit ball, moved by psi (Zel'dovich 1970), a sum of plane waves along their
// directions with random phases; with H^2 = 2 G M / R^3 the growing mode has the velocity H (q + 2 psi) at q + psi. The
// squared contrast of an octave of waves goes as their number (the spectrum k^-2), from the radius down to four
// spacings.

namespace {

constexpr u32 kWaves = 128;

struct Wave {
  Vec k, amplitude;
  double phase = 0;
};

/// Waves whose rms contrast is `contrast` in all, at a lattice of this spacing.
std::vector<Wave> draw_waves(double spacing, double contrast, Random& random) {
  constexpr double kLongest = 2 * std::numbers::pi;
  const double shortest = std::max(kLongest, kLongest / (4 * spacing));
  std::vector<Wave> waves(kWaves);
  double squares = 0;
  for (Wave& wave : waves) {
    const double k = kLongest * std::pow(shortest / kLongest, random.uniform()), of_contrast = std::sqrt(k);
    const Vec along = random.direction();
    for (std::size_t a = 0; a < 3; ++a) wave.k[a] = k * along[a], wave.amplitude[a] = of_contrast / k * along[a];
    wave.phase = 2 * std::numbers::pi * random.uniform();
    squares += of_contrast * of_contrast / 2;
  }
  for (Wave& wave : waves) {
    for (double& a : wave.amplitude) a *= contrast / std::sqrt(squares);
  }
  return waves;
}

/// The n places of a cubic lattice that are nearest to a place between them, in units of the spacing; of the last ones,
/// which are equally far, the first.
std::vector<Vec> lattice_ball(u32 n) {
  const auto half = static_cast<int>(std::ceil(std::cbrt(3.0 * n / (4 * std::numbers::pi)))) + 2;
  const auto side = 2 * static_cast<u64>(half);
  LoopProgress progress(2 * side);
  // visit(place, four times the square of its distance), row by row; twice.
  const auto each = [&](u64 pass, const auto& visit) {
    for (int z = -half; z < half; ++z) {
      for (int y = -half; y < half; ++y) {
        for (int x = -half; x < half; ++x) {
          const i64 a = 2 * x + 1, b = 2 * y + 1, c = 2 * z + 1;
          visit(Vec{x + 0.5, y + 0.5, z + 0.5}, static_cast<std::size_t>(a * a + b * b + c * c));
        }
      }
      progress.at(pass * side + static_cast<u64>(z + half) + 1);
    }
  };
  std::vector<u32> at(static_cast<std::size_t>(12) * half * half + 1, 0);
  each(0, [&](const Vec&, std::size_t square) { ++at[square]; });
  std::size_t last = 0;
  u64 within = 0;
  while (within + at[last] < n) within += at[last++];
  std::vector<Vec> places;
  places.reserve(n);
  u64 left = n - within;
  each(1, [&](const Vec& place, std::size_t square) {
    if (square < last || (square == last && left > 0)) places.push_back(place), left -= square == last ? 1 : 0;
  });
  return places;
}

}  // namespace

Scene cosmic_web(SceneKeys& keys) {
  Scene scene;
  const u32 n = keys.count("n", 32768, 1, kMaxBodies);
  scene.seed = keys.seed();
  const double contrast = keys.real("contrast", 0.3, kNotNegative);
  read_gravity_keys(scene, keys, 0.005);
  const double G = scene.field.gravity.G, rate = std::sqrt(2 * G);
  read_step(scene, keys, 1.0 / 256.0, G);
  keys.done();

  scene.units = "G = 1, total mass 1, radius 1 at first";
  Random random(scene.seed);
  const double spacing = std::cbrt(4 * std::numbers::pi / (3.0 * n));
  const std::vector<Wave> waves = draw_waves(spacing, contrast, random);
  scene.bodies.resize(n);
  Bodies& b = scene.bodies;
  const std::vector<Vec> places = lattice_ball(n);
  LoopProgress progress(n);
  for (u32 i = 0; i < n; ++i) {
    Vec q = places[i], moved{};
    for (double& c : q) c *= spacing;
    for (const Wave& wave : waves) {
      const double shift = std::sin(wave.k[0] * q[0] + wave.k[1] * q[1] + wave.k[2] * q[2] + wave.phase);
      for (std::size_t a = 0; a < 3; ++a) moved[a] += shift * wave.amplitude[a];
    }
    b.x[i] = q[0] + moved[0], b.y[i] = q[1] + moved[1], b.z[i] = q[2] + moved[2];
    b.vx[i] = rate * (q[0] + 2 * moved[0]), b.vy[i] = rate * (q[1] + 2 * moved[1]);
    b.vz[i] = rate * (q[2] + 2 * moved[2]);
    b.m[i] = 1.0 / n;
    progress.at(i + 1);
  }
  centre_positions(b);
  remove_drift(b);
  return scene;
}

}  // namespace tri::scene
