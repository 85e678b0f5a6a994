"""Slides for a lecture from the page lesson/slides of the built manual: each section fills a screen, and its pictures are in the file."""

import base64
import re

HEAD = """<!doctype html><meta charset="utf-8"><title>Where do the blocks go?</title><style>
body { margin: 0; height: 100vh; overflow-y: scroll; scroll-snap-type: y mandatory; font: 3.1vh/1.5 sans-serif }
section { min-height: 100vh; box-sizing: border-box; padding: 6vh 10vw; scroll-snap-align: start }
h2 { font-size: 6vh; margin: 0 0 3vh } img { max-height: 48vh; max-width: 100% } pre { font-size: 2.2vh }
figure { margin: 0 } td, th { padding: 0.3em 1.5em 0.3em 0; text-align: left }
</style>
<body>"""
TAIL = """<script>
addEventListener("keydown", event => {
  const way = {" ": 1, ArrowRight: 1, ArrowDown: 1, PageDown: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}[event.key];
  if (way) { event.preventDefault(); document.body.scrollBy(0, way * innerHeight); }
});
</script>
"""
TYPES = {"svg": "svg+xml", "png": "png"}


def slides_of(page, folder):
    """The slides of a built page. folder: of the page, for its pictures."""
    sections = re.findall(r"<section id=\"[^\"]*\">\s*(<h2>.*?)</section>", page, re.S)
    if not sections:
        raise ValueError("the page of the slides has no sections")

    def inlined(match):
        path = folder / match.group(1)
        return f'src="data:image/{TYPES[path.suffix[1:]]};base64,{base64.b64encode(path.read_bytes()).decode()}"'

    text = "".join(f"<section>{section}</section>\n" for section in sections)
    text = re.sub(r"<a class=\"headerlink\".*?</a>", "", text, flags=re.S)
    text = re.sub(r"<a class=\"reference[^>]*>(.*?)</a>", r"\1", text, flags=re.S)  # to pages that are not in the file
    return HEAD + re.sub(r'src="([^"]+)"', inlined, text) + TAIL


def write(html):
    page = html / "lesson/slides.html"
    (html / "lesson/show.html").write_text(slides_of(page.read_text(), page.parent))
