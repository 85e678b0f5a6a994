#!/usr/bin/env python3
"""What the documents say is needed is what the build asks for: packages, versions of CUDA, GPUs; and what
cmake/CudaArchitectures.cmake makes of the GPUs of a machine, with fake commands."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def text_of(name):
    return (ROOT / name).read_text()


def found(pattern, name):
    return re.search(pattern, text_of(name))[1]


class Packages(unittest.TestCase):
    def test_the_table_names_those_of_the_list(self):
        listed = {line.split()[1] for line in text_of("cmake/packages-debian.txt").splitlines() if line[:1] not in "# "}
        table = found(r"(?s)\n## Requirements\n(.*?)\n\n[^|]", "docs/building.md")
        column = [row.split("|")[2] for row in table.splitlines() if row.startswith("| ")][1:]
        named = {name for cell in column for name in re.split(r", ", cell.strip()) if name != "from NVIDIA"}
        self.assertEqual(named, listed)


class Cuda(unittest.TestCase):
    def test_documents_have_the_versions_of_the_build(self):
        number = int(found(r"int kOldest = (\d+);", "sim/cuda/jit/nvrtc.hpp"))
        typed = f"{number // 1000}.{number % 1000 // 10}"
        least = found(r"set\(TRI_CUDA_MINIMUM (\S+)\)", "cmake/Cuda.cmake")
        self.assertEqual(found(r"CUDAToolkit_VERSION VERSION_LESS (\S+)\)", "sim/cuda/CMakeLists.txt"), typed)
        self.assertIn(f"CUDA {typed} or later, for the build and where the program runs", " ".join(text_of("docs/laws.md").split()))
        self.assertIn(f"CUDA Toolkit {least} or later (typed laws and maps: {typed})", text_of("README.md"))
        self.assertIn(f"CUDA Toolkit {least} or later (optional); {typed} or later for typed laws", text_of("docs/building.md"))
        for page in sorted((ROOT / "docs").glob("*.md")) + [ROOT / "README.md", ROOT / "app/help.md"]:
            for version in re.findall(r"(?:CUDA(?: Toolkit)? |NVRTC of )(1\d\.\d+) or later", page.read_text()):
                self.assertIn(version, (least, typed), page.name)

    def test_the_default_is_as_documented(self):
        default = found(r"set\(\$\{variable\} ([^)]*) PARENT_SCOPE", "cmake/CudaArchitectures.cmake").split()
        self.assertIn(f"without one `{';'.join(default)}`", text_of("docs/building.md"))
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


if __name__ == "__main__":
    sys.exit(unittest.main())
