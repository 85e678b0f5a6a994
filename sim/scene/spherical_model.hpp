#pragma once
/// Spherical stellar systems with isotropic velocities that are in equilibrium in a given potential: Eddington's
/// inversion (Eddington 1916; Binney and Tremaine, Galactic Dynamics, 2nd ed., eq. 4.46).

#include <functional>
#include <vector>

#include "sim/scene/random.hpp"

namespace tri::scene {

/// One component on a grid of radii that rise by a factor. All vectors have one length.
struct RadialProfile {
  std::vector<double> radius;   ///< > 0, rising
  std::vector<double> density;  ///< mass / length^3, falling
  std::vector<double> mass;     ///< within the radius
};

/// Tabulates `shape` (any factor on it) between two radii, such that the whole mass is `total`. Inside of the first
/// radius the density is taken to go with 1/r, outside of the last there is none.
RadialProfile tabulate(const std::function<double(double)>& shape, double total, double first, double last);

/// The mass within r, between the grid's radii by a power law.
double mass_within(const RadialProfile& profile, double r);

/// Psi = -potential > 0 at the radii of a grid: G times the integral of mass(r) r / (r^2 + eps^2)^(3/2) from r outward.
std::vector<double> potential_on(const std::vector<double>& radius, const std::vector<double>& mass, double G,
                                 double eps);

/// Draws bodies of a component that moves in the potential Psi, given on the component's own radii.
class IsotropicSampler {
 public:
  IsotropicSampler(RadialProfile profile, std::vector<double> potential);

  /// The radius within which this share of the mass lies, share in (0, 1).
  double radius(double share) const;
  /// A speed at this radius, below that of escape; its density is v^2 f(Psi - v^2 / 2), by rejection.
  double speed(double r, Random& random) const;

 private:
  double potential_at(double r) const;
  double distribution(double energy) const;  ///< f, in any unit; 0 for what is not bound
  double highest(double psi) const;

  RadialProfile profile_;
  std::vector<double> potential_;       ///< falling with the radius
  std::vector<double> energy_, log_f_;  ///< rising energies, and ln f there
  std::vector<double> highest_;         ///< of v^2 f(Psi - v^2/2), at each radius
};

}  // namespace tri::scene
