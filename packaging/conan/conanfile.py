"""The maps as a Conan package: conan create packaging/conan. Its target is triangulum::maps, as of find_package()."""

import os
import re

from conan import ConanFile
from conan.tools.files import copy, load


class TriangulumMaps(ConanFile):
    name = "triangulum-maps"
    license = "MIT"
    description = "Exact maps from GPU blocks to the triangle of pairs, the tetrahedron of triples and the gasket"
    topics = ("cuda", "header-only", "n-body")
    package_type = "header-library"
    no_copy_source = True

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"project\(triangulum VERSION (\S+)", text)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "sim/maps/*", "sim/base/platform.hpp",
                        "sim/cuda/jit/nvrtc_std.cuh"):
            copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def package(self):
        self.run(f'cmake -S "{self.source_folder}/sim/maps" -B "{self.build_folder}/maps"')
        self.run(f'cmake --install "{self.build_folder}/maps" --prefix "{self.package_folder}"')
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "triangulum-maps")
        self.cpp_info.set_property("cmake_target_name", "triangulum::maps")
