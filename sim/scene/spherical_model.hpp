#pragma once
/// Spherical stellar systems with isotropic velocities, in equilibrium in a given potential: Eddington's inversion
/// (Eddington 1916; Binney and Tremaine, Galactic Dynamics, 2nd ed., eq. 4.46).

#include <functional>
#include <vector>

#include "sim/scene/random.hpp"

namespace tri::scene {

/// One component on a logarithmic grid of radii. All vectors have the same length.
struct RadialProfile {
  std::vector<double> radius;   ///< > 0, increasing
  std::vector<double> density;  ///< mass / length^3, decreasing
  std::vector<double> mass;     ///< within the radius
};

/// Tabulates `shape` (up to a factor) between two radii and normalises the total mass. The density is proportional to
/// 1/r inside of the first radius and 0 outside of the last.
RadialProfile tabulate(const std::function<double(double)>& shape, double total, double first, double last);

/// The mass within r; a power law between the radii of the grid.
double mass_within(const RadialProfile& profile, double r);

/// Psi = -potential > 0 at the given radii: G times the integral of mass(r) r / (r^2 + eps^2)^(3/2) from r outward.
std::vector<double> potential_on(const std::vector<double>& radius, const std::vector<double>& mass, double G,
                                 double eps);

/// Samples bodies of a component in the potential Psi, which is given at the component's radii.
class IsotropicSampler {
 public:
  IsotropicSampler(RadialProfile profile, std::vector<double> potential);

  /// The radius that contains this fraction of the mass, 0 < fraction < 1.
  double radius(double fraction) const;
  /// A random speed at this radius, below escape speed, with density v^2 f(Psi - v^2 / 2), by rejection.
  double speed(double r, Random& random) const;

 private:
  double potential_at(double r) const;
  double distribution(double energy) const;  ///< f, up to a factor; 0 for unbound energies
  double highest(double psi) const;

  RadialProfile profile_;
  std::vector<double> potential_;       ///< decreasing with the radius
  std::vector<double> energy_, log_f_;  ///< increasing energies, and ln f there
  std::vector<double> highest_;         ///< maximum of v^2 f(Psi - v^2/2) at each radius
};

}  // namespace tri::scene
