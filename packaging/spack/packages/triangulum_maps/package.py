# The maps of a tree as a Spack package: spack repo add packaging/spack; spack dev-build -d . triangulum-maps@0.1.0
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass  # Spack before 1.0 has it in spack.package


class TriangulumMaps(CMakePackage):
    """Exact maps from GPU blocks to the triangle of pairs, the tetrahedron of triples and the gasket; headers alone."""

    license("MIT")
    version("0.1.0")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    root_cmakelists_dir = "sim/maps"
