"""The notebooks of docs/notebooks run from top to bottom and draw what they say; in git they are without outputs."""

import json
import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="notebooks need nbclient, ipykernel and matplotlib")
nbclient = pytest.importorskip("nbclient", reason="notebooks need nbclient, ipykernel and matplotlib")
pytest.importorskip("ipykernel", reason="notebooks need nbclient, ipykernel and matplotlib")
pytest.importorskip("matplotlib", reason="notebooks need nbclient, ipykernel and matplotlib")

NOTEBOOKS = sorted((Path(__file__).resolve().parents[3] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, tmp_path, monkeypatch):
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
    assert [o.text for o in outputs if o.get("name") == "stderr"] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_is_without_outputs(path):
    text = path.read_text()
    assert len(text) < 12_000
    for cell in json.loads(text)["cells"]:
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None, "clear all outputs, then save"
