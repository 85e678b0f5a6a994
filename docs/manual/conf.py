"""Settings of Sphinx for the manual. build.py stages the pages beside a copy of this file and calls Sphinx on them."""

import json
from pathlib import Path

_made = json.loads((Path(__file__).parent / "made.json").read_text())  # what build.py knows about this build

project = "Triangulum"
author = "The Triangulum authors"
copyright = author
version = release = _made["version"]

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4  # the anchors that GitHub gives, which the pages of docs/ use
nitpicky = True
smartquotes = False
highlight_language = "none"

html_theme = "furo"
html_title = f"Triangulum {version}"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
