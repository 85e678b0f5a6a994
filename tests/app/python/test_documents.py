"""What the documents show, run as it stands there. A block that needs a package which is not installed is left out."""

import importlib.util
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OPTIONAL = ("torch", "triton", "numba", "ase", "scipy")
TUTORIALS = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs/manual/tutorials").glob("*.md"))
             if "```python\n" in path.read_text()]


def missing(block):
    """The optional packages that a block imports, itself or through the module, and that are not there."""
    names = set(re.findall(rf"^(?:import|from) (?:triangulum\.)?({'|'.join(OPTIONAL)})\b", block, re.M))
    return sorted(name for name in names if importlib.util.find_spec(name) is None)


if importlib.util.find_spec("torch"):
    import torch

    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"  # before triangulum.triton is imported


@pytest.mark.parametrize("document", ("README.md", "docs/python.md", "docs/laws.md", *TUTORIALS))
def test_examples_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.S)
    assert blocks
    names = {}
    for k, block in enumerate(blocks):
        if missing(block):
            continue
        file = tmp_path / f"block{k}.py"  # Triton reads the source of its kernels
        file.write_text(block)
        exec(compile(block, str(file), "exec"), names)
    if "again" in names:
        assert names["again"].hash() == names["sim"].hash()
