"""What the documents show, run as it stands there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("document", ("README.md", "docs/python.md"))
def test_examples_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, document, "exec"), names)
    if "again" in names:
        assert names["again"].hash() == names["sim"].hash()
