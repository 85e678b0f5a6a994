// Deliberately naive: see the header.

#include "sim/cpu/bench/plain_loops.hpp"

#include <cmath>

namespace tri::cpu {

PlainForces plain_gravity(const Bodies& b, double softening) {
  const std::size_t n = b.size();
  PlainForces a{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  const double eps2 = softening * softening;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double dx = b.x[j] - b.x[i], dy = b.y[j] - b.y[i], dz = b.z[j] - b.z[i];
      const double r2 = dx * dx + dy * dy + dz * dz + eps2;
      const double inv3 = 1.0 / (r2 * std::sqrt(r2));
      const double si = b.m[j] * inv3, sj = b.m[i] * inv3;
      a.x[i] += si * dx, a.y[i] += si * dy, a.z[i] += si * dz;
      a.x[j] -= sj * dx, a.y[j] -= sj * dy, a.z[j] -= sj * dz;
    }
  }
  return a;
}

PlainForces plain_axilrod_teller(const Bodies& p, double nu) {
  const std::size_t n = p.size();
  PlainForces f{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double ijx = p.x[i] - p.x[j], ijy = p.y[i] - p.y[j], ijz = p.z[i] - p.z[j];
      const double a = ijx * ijx + ijy * ijy + ijz * ijz;
      for (std::size_t k = j + 1; k < n; ++k) {
        const double jkx = p.x[j] - p.x[k], jky = p.y[j] - p.y[k], jkz = p.z[j] - p.z[k];
        const double kix = p.x[k] - p.x[i], kiy = p.y[k] - p.y[i], kiz = p.z[k] - p.z[i];
        const double b = jkx * jkx + jky * jky + jkz * jkz, c = kix * kix + kiy * kiy + kiz * kiz;
        const double u = a + b - c, v = b + c - a, w = c + a - b;
        const double q = a * b * c, q52 = 1.0 / (q * q * std::sqrt(q)), q72 = q52 / q;
        const double s = 2.5 * u * v * w * q72;
        const double ea = nu * (-1.5 * q52 * b * c + 0.375 * ((v * w - u * w + u * v) * q52 - s * b * c));
        const double eb = nu * (-1.5 * q52 * c * a + 0.375 * ((v * w + u * w - u * v) * q52 - s * c * a));
        const double ec = nu * (-1.5 * q52 * a * b + 0.375 * ((u * w - v * w + u * v) * q52 - s * a * b));
        f.x[i] -= 2 * (ea * ijx - ec * kix), f.y[i] -= 2 * (ea * ijy - ec * kiy), f.z[i] -= 2 * (ea * ijz - ec * kiz);
        f.x[j] -= 2 * (eb * jkx - ea * ijx), f.y[j] -= 2 * (eb * jky - ea * ijy), f.z[j] -= 2 * (eb * jkz - ea * ijz);
        f.x[k] -= 2 * (ec * kix - eb * jkx), f.y[k] -= 2 * (ec * kiy - eb * jky), f.z[k] -= 2 * (ec * kiz - eb * jkz);
      }
    }
  }
  return f;
}

}  // namespace tri::cpu
