#!/usr/bin/env python3
"""walk_test.py FOLDER: adds a pair law and a column of bodies to a copy of the tree by the steps of docs/extending.md ("Add
a law", "Add a column of bodies"), builds it for the cpu, compares the law with its closed form and with the oracle, and
takes the column through every format, a run and a restart.

The law is a spring between all pairs, U = k (r - length)^2 / 2, the column a temperature. A step that docs/extending.md
leaves out fails here. FOLDER keeps the copy and its build for the next time.
"""

import json
import math
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FUNCTOR = r"""#if defined(TRI_LAWS_SPRING_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_SPRING_HPP
#undef TRI_LAWS_SPRING_HPP
#else
#define TRI_LAWS_SPRING_HPP
#endif
/// A spring between all pairs: U = k (r - length)^2 / 2.

#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_region.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/terms.hpp"

TRI_LAWS_BEGIN

template <class Real>
struct Spring {
  static constexpr u32 kUses = kPosition;
  static constexpr Sums kSums = Sums::force;
  static constexpr bool kCentral = true;
  static constexpr const char* kName = "spring";

  Real k, length;

  explicit Spring(const SpringParams& p) : k(static_cast<Real>(p.k)), length(static_cast<Real>(p.length)) {}

  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE PairTerm<V> operator()(M, const Body<V>& i, const Body<V>& j) const {
    const V dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
    const V r2 = M::mul_add(dz, dz, M::mul_add(dy, dy, dx * dx));
    const V inv = M::rsqrt(r2);
    const V stretch = r2 * inv - M::set(length);
    const V s = M::set(k) * (stretch * inv);
    return {s * dx, s * dy, s * dz, M::set(k) * M::set(0.5) * (stretch * stretch)};
  }

  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE V strength(M, V dx, V dy, V dz) const {
    const V inv = M::rsqrt(M::mul_add(dz, dz, M::mul_add(dy, dy, dx * dx)));
    return M::set(k) * (M::set(1.0) - M::set(length) * inv);
  }
};

TRI_LAWS_END
#endif
"""

COLUMN = [
    ("sim/model/bodies.hpp", "+  std::size_t size() const noexcept",
     "  std::vector<double> T;  ///< [n] temperature; empty if no body has one\n\n"),
    ("sim/model/bodies.hpp", "-  visit(C{\"rest\", {}, nullptr, nullptr, C::kOptional | C::kComputed, 0, {}, 3}, b.rest...);\n",
     "  visit(C{\"T\", \"temperature\", \"Temperature\", \"temperatures\", C::kOptional | C::kFromZero}, b.T...);\n"),
]

# The steps: file, the text before which (+) or after which (-) the new one stands, the new text. As in docs/extending.md.
STEPS = [
    ("sim/laws/physics_params.hpp", "+enum class PairLaw",
     "struct SpringParams {\n  double k = 1.0;       ///< force / length\n"
     "  double length = 0.5;  ///< of the spring at rest\n};\n\n"),
    ("sim/laws/physics_params.hpp",
     "-enum class PairLaw : u8 { none, gravity, lennard_jones, contact, typed", ", spring"),
    ("sim/laws/physics_params.hpp", "-  AxilrodTellerParams axilrod_teller;\n", "  SpringParams spring;\n"),
    ("sim/laws/law_table.cpp", "-#include \"sim/laws/lennard_jones.hpp\"\n", "#include \"sim/laws/spring.hpp\"\n"),
    ("sim/laws/law_table.cpp", "+constexpr LawParameter kOfLennardJones[]",
     "constexpr LawParameter kOfSpring[] = {\n"
     "    {.key = \"k\",\n     .real = at<&ForceField::spring, &SpringParams::k>,\n"
     "     .text = \"Force a length.\",\n"
     "     .unit = \"force / length\",\n     .option = \"--spring\",\n     .scene = \"spring\",\n"
     "     .summary = \"k = {}\"},\n"
     "    {.key = \"length\",\n     .real = at<&ForceField::spring, &SpringParams::length>,\n"
     "     .text = \"Length at rest.\",\n     .unit = \"length\",\n     .range = kNotNegative,\n"
     "     .option = \"--rest-length\",\n     .scene = \"rest_length\",\n"
     "     .summary = \"length {}\"},\n};\n\n"),
    ("sim/laws/law_table.cpp", "+    row<laws::AxilrodTeller<double>",
     "    row<laws::Spring<double>, SpringParams, kOfSpring>(\n"
     "        {.pair = PairLaw::spring, .form = \"k (r - length)^2 / 2\", "
     ".not_periodic = endless_gravity}),\n"),
    ("sim/laws/visit_law.hpp", "-#include \"sim/laws/lennard_jones.hpp\"\n", "#include \"sim/laws/spring.hpp\"\n"),
    ("sim/laws/visit_law.hpp", "+    case PairLaw::typed:",
     "    case PairLaw::spring:\n      return f(Spring<Real>(field.spring));\n"),
    ("sim/reference/reference.cpp", "+/// Spring and dashpot along the normal",
     "void add_spring(const SpringParams& p, const Vec3& d, std::size_t i, std::size_t j, Sums& sums) {\n"
     "  const double r = std::sqrt(dot(d, d));\n  add_force(sums, i, j, d, (p.k * (r - p.length) / r) * d);\n"
     "  sums.pair_potential += 0.5 * p.k * (r - p.length) * (r - p.length);\n}\n\n"),
    ("sim/reference/reference.cpp", "+    case PairLaw::typed:",
     "    case PairLaw::spring:\n      return add_spring(field.spring, d, i, j, sums);\n"),
]


def apply(tree, steps):
    """Applies the steps; the number of files."""
    for name, anchor, new in steps:
        text, before, anchor = (tree / name).read_text(), anchor[0] == "+", anchor[1:]
        if text.count(anchor) != 1:
            sys.exit(f"FAILED: {name} has {anchor!r} {text.count(anchor)} times; the step wants it once")
        (tree / name).write_text(text.replace(anchor, new + anchor if before else anchor + new))
    return len({name for name, _, _ in steps})


def run(command, folder, seconds=3600, errors=False):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    if done.returncode != 0:
        what = " ".join(map(str, command))
        sys.exit(f"FAILED: {what} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stderr if errors else done.stdout


def check_law(program, tree):
    """How many rows of verify pass."""
    (tree / "two.csv").write_text("m,x,y,z\n1,0,0,0\n1,0,3,4\n")
    options = ["--law", "spring", "--spring", "2", "--rest-length", "1.5", "--backend", "cpu", "--precision", "fp64"]
    table = run([program, "compute", "forces", "two.csv", "-o", "-", *options], tree).split("\n")
    force = dict(zip(table[0].split(","), map(float, table[1].split(","))))
    wanted = {"fx": 0, "fy": 2 * 3.5 * 3 / 5, "fz": 2 * 3.5 * 4 / 5}
    if any(not math.isclose(force[axis], value, abs_tol=1e-12) for axis, value in wanted.items()):
        sys.exit(f"FAILED: the force is {force}, by hand {wanted}")
    said = json.loads(run([program, "verify", "--quick", "--backend", "cpu", "--json"], tree))
    checks = [row for row in said["results"] if "spring" in row["name"] and row["skipped"] is None]
    if not checks or not all(row["passed"] for row in checks):
        sys.exit(f"FAILED: verify has no row of the law that passes: {checks}")
    return len(checks)


def check_column(program, tree):
    """Its values after every format, a run and a restart are those of the file."""
    (tree / "hot.csv").write_text("x,y,z,m,temperature\n0,0,0,1,0.125\n1,0,0,1,2500\n0,1,0,1,0\n")
    for name in ("xyz", "ply", "vtp", "hdf5", "csv"):
        run([program, "convert", "hot.csv", f"hot.{name}"] if name != "csv" else
            [program, "convert", "hot.hdf5", "again.csv"], tree)
    for precision in ("fp32", "fp64"):
        options = ["--backend", "cpu", "--dt", "0.001"]
        run([program, "run", "hot.ply", "--steps", "2", "--precision", precision, "-o", f"{precision}.hdf5", *options],
            tree)
        run([program, "run", "--restart", f"{precision}.hdf5", "--steps", "4", "-o", f"{precision}.csv"], tree)
    for name in ("xyz", "ply", "vtp", "hdf5"):
        run([program, "convert", f"hot.{name}", f"from_{name}.csv"], tree)
    for path in [tree / "again.csv", *tree.glob("from_*.csv"), *tree.glob("fp*.csv")]:
        head, *rows = [line.split(",") for line in path.read_text().split("\n") if line and not line.startswith("#")]
        if head[-1] != "T" or [float(row[-1]) for row in rows] != [0.125, 2500, 0]:
            sys.exit(f"FAILED: {path.name} has lost the column: {head}, {rows}")
    refused = subprocess.run([program, "convert", "-", "no.csv"], cwd=tree, input="x,y,z,T\n0,0,0,-1\n", text=True,
                             capture_output=True)
    if "a temperature is 0 or more" not in refused.stderr:
        sys.exit(f"FAILED: a temperature below 0 is taken: {refused.stderr}")
    lost = run([program, "convert", "hot.csv", "hot.tab"], tree, errors=True)
    if "does not store temperatures" not in lost:
        sys.exit(f"FAILED: tab drops the column and does not say so: {lost}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tree = Path(sys.argv[1]).resolve()
    tree.mkdir(parents=True, exist_ok=True)
    for name in run(["git", "ls-files", "-z"], ROOT).split("\0"):
        source, target = ROOT / name, tree / name
        if name and source.is_file() and not (target.exists() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    (tree / "sim/laws/spring.hpp").write_text(FUNCTOR)
    files, of_column = 1 + apply(tree, STEPS), apply(tree, COLUMN)
    run(["cmake", "-S", ".", "-B", "build/walk", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
         "-DTRI_CUDA=OFF", "-DTRI_GUI=OFF", "-DTRI_PYTHON=OFF", "-DTRI_BUILD_TESTS=OFF"], tree)
    run(["cmake", "--build", "build/walk", "--parallel", "--target", "triangulum"], tree)
    program = tree / "build/walk/bin/triangulum"
    rows = check_law(program, tree)
    check_column(program, tree)
    print(f"a pair law in {files} files: {rows} rows of verify pass, and its force is that by hand; "
          f"a column of bodies in {of_column}: every format, a run and a restart keep it")


if __name__ == "__main__":
    main()
