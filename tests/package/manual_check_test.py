#!/usr/bin/env python3
"""The checks of the built manual (docs/manual/check.py) and what reads its pages (snippets.py, stage.py), each with a
good sample and with a fault that must be found."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/manual"))
import check  # noqa: E402
import slides  # noqa: E402
import snippets  # noqa: E402
import stage  # noqa: E402

MAP = '<img src="a.png"> <h2 id="formula">Formula</h2> Limit, Idle blocks'
INDEX = 'Search.setIndex({"terms": {"gravit": 1, "tetrahedron": 1, "soften": 1, "lambda": 1, "snapshot": 1}})'


class Lists:
    """Stands for the program."""

    def json(self, *words):
        return [{"domain": "pairs", "name": "bb"}]


class Site(unittest.TestCase):
    def problems(self, **files):
        """Of a small manual, with some of its files replaced: __ stands for / and _DOT_ for a dot."""
        with tempfile.TemporaryDirectory() as folder:
            pages = {"index_DOT_html": '<a href="maps/pairs-bb.html#formula">bb</a>', "maps__pairs-bb_DOT_html": MAP,
                     "maps__a_DOT_png": "", "searchindex_DOT_js": INDEX, "_static__a_DOT_css": "b { c: url(a.png) }"}
            for name, text in {**pages, **files}.items():
                path = Path(folder, name.replace("__", "/").replace("_DOT_", "."))
                if text is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
            return check.check(folder, Lists())[0]

    def test_a_good_one(self):
        self.assertEqual(self.problems(), [])

    def test_faults_are_found(self):
        for files, words in (
            ({"index_DOT_html": '<a href="nowhere.html">a</a>'}, "leads nowhere"),
            ({"index_DOT_html": '<a href="maps/pairs-bb.html#no">a</a>'}, "no such place"),
            ({"index_DOT_html": '<a href="#no">a</a>'}, "no such place"),
            ({"index_DOT_html": '<img src="b.png">'}, "leads nowhere"),
            ({"index_DOT_html": '<script src="https://cdn.example/a.js"></script>'}, "from elsewhere"),
            ({"index_DOT_html": '<link rel="stylesheet" href="//cdn.example/a.css">'}, "from elsewhere"),
            ({"_static__a_DOT_css": "@import 'https://cdn.example/a.css';"}, "from elsewhere"),
            ({"_static__a_DOT_css": "b { c: url(https://cdn.example/a.woff2) }"}, "from elsewhere"),
            ({"_static__a_DOT_js": 'import("https://cdn.example/a.js")'}, "from elsewhere"),
            ({"maps__pairs-bb_DOT_html": "Formula Limit Idle blocks <b id='formula'>"}, "has no <img"),
            ({"maps__pairs-bb_DOT_html": None, "index_DOT_html": ""}, "has no page"),
            ({"searchindex_DOT_js": INDEX.replace("tetrahedron", "a")}, "does not know 'tetrahedron'"),
        ):
            found = self.problems(**files)
            self.assertTrue(any(words in sentence for sentence in found), (files, found))

    def test_a_link_to_the_web_is_no_fault(self):
        self.assertEqual(self.problems(index_DOT_html='<a href="https://example.org">a</a>'), [])


class Snippets(unittest.TestCase):
    def test_blocks(self):
        page = ("```\ntriangulum run a --steps 1    # exit 2\n```\n\n```toml\n# m.toml\nx = 1\n```\n\n```\nother\n```\n\n"
                "```{run} 3\ntriangulum law \\\n    'a b'\n```\n\n```{gpu}\ntriangulum info\n```\n")
        blocks = snippets.blocks_of(page)
        self.assertEqual([(c.words, c.code) for b in blocks for c in b.commands],
                         [(["run", "a", "--steps", "1"], 2), (["law", "a b"], 0), (["info"], 0)])
        self.assertEqual([b.file for b in blocks], [None, "m.toml", None, None, None])
        self.assertEqual(blocks[3].argument, "3")

    def test_runs_have_one_thread_unless_they_say_more(self):
        self.assertEqual(snippets.on_one_thread(["run", "a"]), ["run", "a", "--backend", "cpu", "--threads", "1"])
        self.assertEqual(snippets.on_one_thread(["run", "a", "--backend", "cuda"]), ["run", "a", "--backend", "cuda"])
        self.assertEqual(snippets.on_one_thread(["run", "a", "--threads", "2"]), ["run", "a", "--threads", "2"])
        self.assertEqual(snippets.on_one_thread(["bench"]), ["bench"])

    def test_shown_lines(self):
        output = "scene  a\nunits  b\nenergy  1\nspeed  2\nstate hash 12\n"
        for argument, lines in (("", output.splitlines()), ("2", ["scene  a", "units  b", "..."]),
                                ("only energy", ["energy  1"]), ("only nothing", output.splitlines()),
                                ("equal-hashes", ["state hash 12"])):
            block = snippets.blocks_of(f"```{{run}} {argument}\ntriangulum info\n```\n")[0]
            self.assertEqual(snippets.shown_lines(block, output), lines, argument)

    def test_equal_hashes(self):
        block = snippets.blocks_of("```{run} equal-hashes\ntriangulum info\ntriangulum info\n```\n")[0]
        snippets.check_outputs(block, ["a\nstate hash 12\n", "state hash 12\n"])
        for outputs in (["state hash 12\n", "state hash 13\n"], ["", ""], ["state hash 12\n"]):
            with self.assertRaises(ValueError):
                snippets.check_outputs(block, outputs)


class Slides(unittest.TestCase):
    def test_a_section_is_a_slide_with_its_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.svg").write_text("<svg/>")
            page = ('<section id="all"><h1>All</h1><p>not shown</p><section id="one">\n<h2>One</h2><img src="a.svg"></section>'
                    '<section id="two"><h2>Two</h2><a class="reference internal" href="b.html">b</a></section></section>')
            shown = slides.slides_of(page, Path(folder))
        self.assertEqual(shown.count("<section>"), 2)
        self.assertIn('src="data:image/svg+xml;base64,', shown)
        self.assertNotIn("not shown", shown)
        self.assertNotIn("b.html", shown)
        with self.assertRaises(ValueError):
            slides.slides_of("<h1>All</h1>", Path(folder))


class Links(unittest.TestCase):
    def test_links_follow_their_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            staged = stage.Stage(ROOT, Path(folder), None, {})
            text = "[a](maps.md#limits) `[b](maps.md)` [c](../assets/fractals) [d](https://e.org) [f](results/two_threads.py)"
            found = staged._with_links("docs/performance.md", "performance/figures", text)
            self.assertEqual(found, "[a](../maps/index.md#limits) `[b](maps.md)` c (`assets/fractals`) [d](https://e.org) "
                                    "[f](../files/docs/results/two_threads.py)")
            self.assertEqual(staged._with_links("docs/maps.md", "maps/index", "[change](../CONTRIBUTING.md)"),
                             "change (`CONTRIBUTING.md`)")
            self.assertTrue((Path(folder) / "files/docs/results/two_threads.py").exists())


if __name__ == "__main__":
    unittest.main()
