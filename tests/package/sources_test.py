"""sources_test.py ROOT COMPILER NAME: the maps from their source, as other people's builds take them.

NAME: fetch (add_subdirectory and FetchContent of sim/maps), conan, meson; or compilers: every header and a kernel of every
map with each compiler of this machine, with clang also as HIP, SYCL and as MSVC sees them; and the sentence for C++17. Exits 77 where the tool is missing.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PRINTED = "lambda: 10 tiles, last (3, 3)\nfold: 10 tiles, last (1, 1)\ntetra: 20 tiles, last (3, 3, 3)\n"
COMPILERS = ([f"g++-{v}" for v in range(11, 18)] + ["clang++"] + [f"clang++-{v}" for v in range(14, 24)] +
             ["aarch64-linux-gnu-g++", "x86_64-w64-mingw32-g++"])  # for ARM, and for Windows, whose long has 32 bits
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
KERNEL = """
template <class M>
TRI_KERNEL void tiles_of(M map, tri::Position at, typename M::Tile* out) {
  for (auto tiles = map.begin(at); tiles.valid(); tiles.next()) *out = tiles.tile();
}
"""
SYCL = """
template <class Name, class F>
__attribute__((sycl_kernel)) void submit(const F& f) { f(); }
template <class M>
void tiles_of(M map, tri::Position at, typename M::Tile* out) {
  submit<M>([=] { for (auto t = map.begin(at); t.valid(); t.next()) *out = t.tile(); });
}
"""
EACH = """
#define TRI_ONE(id, type) template TRI_KERNEL void tiles_of(tri::type, tri::Position, tri::type::Tile*);
TRI_TRIANGLE_MAPS(TRI_ONE)
TRI_TETRA_MAPS(TRI_ONE)
TRI_GASKET_MAPS(TRI_ONE)
template TRI_KERNEL void tiles_of(tri::TriangleBand, tri::Position, tri::Tile2*);
template TRI_KERNEL void tiles_of(tri::TriangleBatch, tri::Position, tri::BatchTile*);
template TRI_KERNEL void tiles_of(tri::TriangleBatchStream, tri::Position, tri::BatchTile*);
template TRI_KERNEL void tiles_of(tri::AttentionRows, tri::Position, tri::AttentionRow*);
template TRI_KERNEL void tiles_of(tri::AttentionBatch, tri::Position, tri::AttentionRow*);
"""


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def run(*words, **how):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **how)
    assert done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
    return done.stdout


def configure_and_run(text, *options):
    Path("CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES CXX)\n" + text +
                                      "add_executable(user main.cpp)\ntarget_link_libraries(user triangulum::maps)\n")
    shutil.rmtree("build", ignore_errors=True)
    run("cmake", "-S", ".", "-B", "build", f"-DCMAKE_CXX_COMPILER={compiler}", *options)
    run("cmake", "--build", "build")
    assert run("build/user") == PRINTED


def fetch():
    configure_and_run(f"add_subdirectory({root}/sim/maps maps)\n")
    configure_and_run(f"include(FetchContent)\nFetchContent_Declare(triangulum SOURCE_DIR {root} SOURCE_SUBDIR sim/maps)\n"
                      "FetchContent_MakeAvailable(triangulum)\n")


def conan():
    tool = shutil.which("conan") or skip("there is no conan")
    os.environ["CONAN_HOME"] = os.path.abspath("home")
    run(tool, "profile", "detect")
    run(tool, "create", root / "packaging/conan", "-s", "compiler.cppstd=20")
    version = re.search(r"project\(triangulum VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1]
    run(tool, "install", f"--requires=triangulum-maps/{version}", "-g", "CMakeDeps", "-s", "compiler.cppstd=20", "-of", "deps")
    configure_and_run("set(CMAKE_CXX_STANDARD 20)\nfind_package(triangulum-maps REQUIRED)\n",
                      f"-DCMAKE_PREFIX_PATH={os.path.abspath('deps')}", "-DCMAKE_BUILD_TYPE=Release")


def meson():
    tool = shutil.which("meson") or skip("there is no meson")
    place = Path("subprojects/triangulum-maps")
    place.mkdir(parents=True)
    for name in ("sim", "cmake", "LICENSE"):
        (place / name).symlink_to(root / name)
    shutil.copy(root / "packaging/meson/meson.build", place)
    Path("meson.build").write_text(
        "project('user', 'cpp', default_options: ['cpp_std=c++20'])\n"
        "maps = dependency('triangulum-maps', fallback: ['triangulum-maps', 'maps_dep'])\n"
        "executable('user', 'main.cpp', dependencies: maps)\n")
    run(tool, "setup", "build", env=dict(os.environ, CXX=compiler))
    run(tool, "compile", "-C", "build")
    assert run("build/user") == PRINTED


def compilers():
    headers = sorted((root / "sim/maps").glob("*.hpp"))
    includes = "".join(f'#include "{h}"\n' for h in headers)
    Path("all.cpp").write_text(includes + "#define TRI_KERNEL\n" + KERNEL + EACH)
    Path("all.hip").write_text("#if __has_include(<hip/hip_runtime.h>)\n#include <hip/hip_runtime.h>\n#endif\n" + includes +
                               "#define TRI_KERNEL __global__\n" + KERNEL + EACH)
    Path("sycl.cpp").write_text(includes + "#define TRI_KERNEL\n" + SYCL + EACH)
    # The branches for MSVC, with the standard library of this system.
    standard = sorted({line for h in headers for line in h.read_text().splitlines() if line.startswith("#include <")})
    Path("msvc.cpp").write_text("\n".join(standard) + "\n#include <bit>\n#include <cmath>\n#undef __clang__\n#undef __GNUC__\n"
                                "#define _MSC_VER 1938\n#define _MSVC_LANG 202002L\n" + includes +
                                "#define TRI_KERNEL\n" + KERNEL + EACH)
    Path("one.cpp").write_text('#include "triangle_lambda.hpp"\n')
    # By their versions: c++ is another name, and all of them may be links to ccache.
    found = sorted({run(c, "--version").split(maxsplit=1)[1]: c for c in [*COMPILERS, compiler] if shutil.which(c)}.values())
    for each in found:
        run(each, "-std=c++20", "-fsyntax-only", *WARNINGS, "all.cpp")
        old = subprocess.run([each, "-std=c++17", "-fsyntax-only", "-I", root / "sim/maps", "one.cpp"],
                             capture_output=True, text=True)
        assert old.returncode != 0 and "compile with -std=c++20" in old.stderr, (each, old.stderr)
        if "clang" in each:
            run(each, "-x", "hip", "--offload-arch=gfx90a", "-nogpuinc", "-nogpulib", "-include", "__clang_hip_runtime_wrapper.h",
                "-std=c++20", "-fsyntax-only", *WARNINGS, "all.hip")
            run(each, "-std=c++20", "-Xclang", "-fsycl-is-device", "-S", "-emit-llvm", *WARNINGS, "sycl.cpp", "-o", "sycl.ll")
            assert "TriangleFold" in Path("sycl.ll").read_text(), each
            run(each, "-std=c++20", "-fms-extensions", "-fsyntax-only", *WARNINGS, "-Wno-language-extension-token", "msvc.cpp")
    Path("all.cu").write_text(includes + "#define TRI_KERNEL __global__\n" + KERNEL + EACH)
    if shutil.which("nvcc"):
        run("nvcc", "-ccbin", compiler, "-std=c++20", "-arch=sm_90", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror",
            "-c", "all.cu", "-o", "all.o")
        found.append("nvcc")
    if shutil.which("hipcc"):
        run("hipcc", "--offload-arch=gfx90a", "-std=c++20", "-c", "all.hip", "-o", "all.o")
        found.append("hipcc")
    toolkit = os.environ.get("TRI_CLANG_CUDA")  # a CUDA that clang knows: clang 16 to 19 up to 12.4
    for each in [c for c in found if toolkit and "clang" in c and c[-2:] >= "16"]:
        cuda = [each, "-x", "cuda", f"--cuda-path={toolkit}", "--cuda-gpu-arch=sm_80", "-Wno-unknown-cuda-version", *WARNINGS]
        run(*cuda, "-std=c++20", "--cuda-device-only", "-c", "all.cu", "-o", "all.cubin")
        run(*cuda, "-std=c++20", "--cuda-host-only", "-fsyntax-only", "all.cu")
        found.append(each + " as CUDA")
    print("compiled by", ", ".join(found))


root, compiler, name = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    shutil.copy(root / "tests/package/consumer/main.cpp", ".")
    {"fetch": fetch, "conan": conan, "meson": meson, "compilers": compilers}[name]()
    os.chdir("/")
