"""What the documents show, run as it stands there. A block that needs a package which is not installed is left out.

The notebooks run from top to bottom and draw what they say; in git they are without outputs.
"""

import importlib.util
import json
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OPTIONAL = ("torch", "triton", "numba", "ase", "scipy")
TUTORIALS = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs/manual/tutorials").glob("*.md"))
             if "```python\n" in path.read_text()]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def missing(block):
    """The optional packages that a block imports, itself or through the module, and that are not there."""
    names = set(re.findall(rf"^(?:import|from) (?:triangulum\.)?({'|'.join(OPTIONAL)})\b", block, re.M))
    return sorted(name for name in names if importlib.util.find_spec(name) is None)


if importlib.util.find_spec("torch"):
    import torch

    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"  # before triangulum.triton is imported


@pytest.mark.parametrize("document", ("README.md", "app/python/README.md", "docs/python.md", "docs/laws.md",
                                      *TUTORIALS))
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


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch):
    why = "notebooks need nbclient, ipykernel and matplotlib"
    nbformat, nbclient = (pytest.importorskip(name, reason=why) for name in ("nbformat", "nbclient"))
    pytest.importorskip("ipykernel", reason=why), pytest.importorskip("matplotlib", reason=why)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("MPLCONFIGDIR", os.environ.get("MPLCONFIGDIR", str(tmp_path)))
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    wanted = sum("plt.show()" in cell.source for cell in code)
    resources = {"metadata": {"path": str(tmp_path)}}
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources)
    client.execute()
    outputs = [output for cell in code for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == wanted >= 2
    said = [o.text for o in outputs if o.get("name") == "stderr"]
    assert [text for text in said if "building the font cache" not in text] == []  # where the machine is slow


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_without_outputs(path):
    text = path.read_text()
    assert len(text) < 12_000
    for cell in json.loads(text)["cells"]:
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None, "clear all outputs, then save"
