#!/usr/bin/env python3
"""What the documents say is needed is what the build asks for: packages, versions of CUDA, GPUs; and what
cmake/CudaArchitectures.cmake makes of the GPUs of a machine, with fake commands; and cmake/install_packages.sh with
them: with and without apt, root, sudo."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def text_of(name):
    return (ROOT / name).read_text()


def found(pattern, name):
    return re.search(pattern, text_of(name), re.M)[1]


class Packages(unittest.TestCase):
    def test_the_table_names_those_of_the_list(self):
        listed = {line.split()[1] for line in text_of("cmake/packages-debian.txt").splitlines() if line[:1] not in "# "}
        table = found(r"(?s)\n## Requirements\n(.*?)\n\n[^|]", "docs/install.md")
        column = [row.split("|")[2] for row in table.splitlines() if row.startswith("| ")][1:]
        named = {name for cell in column for name in re.split(r", ", cell.strip()) if name != "from NVIDIA"}
        self.assertEqual(named, listed)


class Recipes(unittest.TestCase):
    def test_they_have_the_version_of_the_project(self):
        version = found(r"project\(triangulum VERSION (\S+)", "CMakeLists.txt")
        for pattern, name in ((r"version: '([^']+)', license", "packaging/meson/meson.build"),
                              (r'"version": "([^"]+)"', "packaging/vcpkg/triangulum-maps/vcpkg.json"),
                              (r"^version: (.+)$", "CITATION.cff"),
                              (r'version\("([^"]+)"\)', "packaging/spack/packages/triangulum_maps/package.py")):
            self.assertEqual(found(pattern, name), version, name)


class Cuda(unittest.TestCase):
    def test_documents_have_the_versions_of_the_build(self):
        number = int(found(r"int kOldest = (\d+);", "sim/cuda/jit/nvrtc.hpp"))
        typed = f"{number // 1000}.{number % 1000 // 10}"
        least = found(r"set\(TRI_CUDA_MINIMUM (\S+)\)", "cmake/Cuda.cmake")
        self.assertIn(f"CUDA {typed} or later, for the build and where the program runs", " ".join(text_of("docs/laws.md").split()))
        self.assertIn(f"CUDA Toolkit {least} or later (typed laws and maps: {typed})", text_of("docs/install.md"))
        self.assertIn(f"CUDA Toolkit {least} or later (optional); {typed} or later for typed laws", text_of("docs/install.md"))
        for page in sorted((ROOT / "docs").glob("*.md")) + [ROOT / "README.md", ROOT / "app/help.md"]:
            for version in re.findall(r"(?:CUDA(?: Toolkit)? |NVRTC of )(1\d\.\d+) or later", page.read_text()):
                self.assertIn(version, (least, typed), page.name)

    def test_the_default_is_as_documented(self):
        default = found(r"set\(\$\{variable\} ([^)]*) PARENT_SCOPE", "cmake/CudaArchitectures.cmake").split()
        self.assertIn(f"without one `{';'.join(default)}`", text_of("docs/install.md"))
        self.assertIn("90", default)  # code and PTX: later cards compile from the PTX of Hopper

    def chosen(self, cards, known="75 80 89 90"):
        """cards: what nvidia-smi prints; none: it fails."""
        with tempfile.TemporaryDirectory() as folder:
            commands = {"nvcc": "\n".join(f"echo compute_{k}" for k in known.split()),
                        "nvidia-smi": "\n".join(f"echo {card}" for card in cards) or "exit 9"}
            for name, body in commands.items():
                path = Path(folder, name)
                path.write_text(f"#!/bin/sh\n{body}\n")
                path.chmod(0o755)
            script = Path(folder, "ask.cmake")
            script.write_text(f"cmake_minimum_required(VERSION 3.25)\ninclude({ROOT}/cmake/CudaArchitectures.cmake)\n"
                              f'tri_cuda_architectures(chosen why "{folder}/nvcc")\nmessage("chosen ${{chosen}}")\n')
            said = subprocess.run(["cmake", "-P", str(script)], text=True, capture_output=True, check=False,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}).stderr
            return re.sub("^chosen ", "", said.strip())

    def test_gpus_of_the_machine(self):
        self.assertEqual(self.chosen(["9.0", "9.0", "8.0"]), "90;80")
        self.assertEqual(self.chosen(["10.0"], known="75 90 100 120"), "100")
        self.assertEqual(self.chosen(["10.0", "9.0"]), "90-virtual;90")  # nvcc before 12.8
        self.assertEqual(self.chosen([]), "75-virtual;90")


SCRIPT = ROOT / "cmake" / "install_packages.sh"
PACKAGES = [line.split()[1:3] for line in (ROOT / "cmake/packages-debian.txt").read_text().splitlines()
            if line.startswith("build ")]
LOG = 'echo "$(basename "$0") $* [$DEBIAN_FRONTEND]" >> "$LOG"\n'


class Machine:
    """A PATH with the shell's helpers and the given fake commands only."""

    def __init__(self, uid=0, installed=(), **commands):
        self.folder = tempfile.TemporaryDirectory()
        self.bin = Path(self.folder.name)
        for tool in ("bash", "dirname", "basename", "grep", "env", "cat"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.add("id", f"echo {uid}")
        self.log = self.bin / "log"
        answer = "".join(f"{p}:installed " for p in installed)
        stand_ins = {"apt_get": LOG, "dpkg_query": f"echo -n '{answer}'", "sudo": LOG + '[ "$1" = -n ] && exit 1; "$@"\n'}
        for name, wanted in commands.items():
            if wanted:
                self.add(name.replace("_", "-"), stand_ins[name])

    def add(self, name, text):
        path = self.bin / name
        path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
        path.chmod(0o755)

    def run(self, **variables):
        done = subprocess.run([str(self.bin / "bash"), str(SCRIPT), "build"], stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, env={"PATH": str(self.bin), "LOG": str(self.log), **variables})
        calls = self.log.read_text() if self.log.exists() else ""
        self.folder.cleanup()
        return done.returncode, done.stdout, done.stderr, calls


NAMES = [package for package, _ in PACKAGES]


class InstallPackages(unittest.TestCase):
    def test_nothing_missing_is_silent(self):
        self.assertEqual(Machine(installed=NAMES, apt_get=True, dpkg_query=True).run(), (0, "", "", ""))

    def test_an_installed_command_needs_no_package(self):
        machine = Machine(installed=[n for n in NAMES if n != "cmake"], apt_get=True, dpkg_query=True)
        machine.add("cmake", "")
        self.assertEqual(machine.run()[0::3], (0, ""))

    def test_root_installs_exactly_what_is_missing_and_says_why(self):
        missing = ["cmake", "libfmt-dev"]
        machine = Machine(installed=[n for n in NAMES if n not in missing], apt_get=True, dpkg_query=True)
        code, out, _, calls = machine.run()
        self.assertEqual(code, 0)
        self.assertRegex(out, r"(?s)Installing.*cmake +configures.*libfmt-dev +texts")
        self.assertNotIn("libhwy-dev", out)
        self.assertRegex(calls, r"apt-get update .*\[noninteractive\]\n")
        self.assertRegex(calls, r"apt-get install -y .*Use-Pty=0 cmake libfmt-dev -qq \[noninteractive\]\n$")

    def test_without_root_and_sudo_it_names_the_command(self):
        code, _, err, calls = Machine(uid=1000, apt_get=True, dpkg_query=True).run()
        self.assertEqual((code, calls), (1, ""))
        self.assertIn("sudo apt-get install " + " ".join(NAMES), err)

    def test_sudo_with_a_password_and_no_terminal_stops(self):
        code, _, err, calls = Machine(uid=1000, apt_get=True, dpkg_query=True, sudo=True).run()
        self.assertEqual(code, 1)
        self.assertNotIn("apt-get", calls)
        self.assertIn("password", err)

    def test_no_install_is_respected(self):
        code, _, err, calls = Machine(apt_get=True, dpkg_query=True).run(TRI_NO_INSTALL="1")
        self.assertEqual((code, calls), (1, ""))
        self.assertIn("TRI_NO_INSTALL=1 says to install nothing. Please run, then make again:\n    sudo apt-get install", err)
        code, _, err, calls = Machine(apt_get=True, dpkg_query=True).run(TRI_NO_INSTALL="You do it.")
        self.assertEqual((code, calls), (1, ""))
        self.assertIn("You do it. Please run", err)
        self.assertNotIn("TRI_NO_INSTALL", err)

    def test_without_apt_it_names_the_commands_and_stops(self):
        code, _, err, _ = Machine().run()
        self.assertEqual(code, 1)
        self.assertIn("no apt", err)
        for _, command in PACKAGES:
            if command != "-":
                self.assertIn(f"  {command} ", err)

    def test_without_apt_but_with_the_commands_it_goes_on(self):
        machine = Machine()
        for _, command in PACKAGES:
            if command != "-":
                machine.add(command, "")
        self.assertEqual(machine.run(), (0, "", "", ""))


if __name__ == "__main__":
    sys.exit(unittest.main())
