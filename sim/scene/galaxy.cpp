/// Gravity: a disk galaxy in equilibrium. Units: G = 1, mass and scale length of the disk 1 (for 5e10 solar masses and
/// 3 kpc: 11 Myr and 268 km/s).
///
///     disk    surface density exp(-R) / (2 pi), truncated at R = 10; sech^2(z / thickness) vertically
///     bulge   Hernquist's density 1 / (r (r + a)^3) (Astrophys. J. 356, 359, 1990)
///     halo    the same with a Gaussian cutoff at two scale lengths
///
/// Bulge and halo have isotropic velocities from Eddington's inversion in the total potential, with the disk's mass
/// spherically averaged. The disk's velocities follow the moments of Hernquist (Astrophys. J. Suppl. 86, 389, 1993):
/// sigma_R^2 ~ exp(-R) with Toomre's Q given at R = 2, sigma_phi from the epicyclic approximation, sigma_z from the
/// vertical virial theorem in disk and halo, and the mean rotation from the asymmetric drift. Forces are softened.
///
/// Radii are stratified: one per layer of equal mass. Groups, in this order: 0 disk, 1 bulge, 2 halo.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/scene/random.hpp"
#include "sim/scene/scene_table.hpp"
#include "sim/scene/spherical_model.hpp"

namespace tri::scene {

namespace {

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

}  // namespace tri::scene
