"""Checks a built manual without a network: every link and anchor leads somewhere, nothing is loaded from elsewhere, each
map of the program has its page with a picture, and the search knows words that it must know."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that make a browser load something, and those that lead a reader elsewhere.
LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "src"), ("video", "src"), ("iframe", "src"),
          ("object", "data"), ("embed", "src"), ("audio", "src"), ("track", "src"), ("input", "src")}
LINKS = {("a", "href"), ("area", "href")}
# Relations of <link> that are names and load nothing.
NAMES_ONLY = {"index", "search", "next", "prev", "author", "copyright", "help", "canonical", "license"}
WORDS = ("gravit", "tetrahedron", "soften", "lambda", "snapshot")


class Page(HTMLParser):
    """The ids of a page, what it loads and where it leads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.loaded, self.links = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.update(value for name, value in attributes if name in ("id", "name") and value)
        for name, value in attributes:
            if value is None:
                continue
            if name == "srcset":
                self.loaded += [part.split()[0] for part in value.split(",") if part.split()]
            elif (tag, name) in LINKS or (tag, name) == ("link", "href") and given.get("rel") in NAMES_ONLY:
                self.links.append(value)
            elif (tag, name) in LOADED or (name in ("href", "xlink:href") and tag in ("use", "image")):
                self.loaded.append(value)


def external(target):
    return bool(urlsplit(target).netloc) or urlsplit(target).scheme not in ("", "data", "mailto")


def check_links(html):
    """Sentences about links that lead nowhere and about what is loaded from elsewhere; and how many there were."""
    pages = {path: Page(path.read_text()) for path in sorted(html.rglob("*.html"))}
    problems, count = [], 0
    for path, page in pages.items():
        here = path.relative_to(html)
        problems += [f"{here} loads {target} from elsewhere" for target in page.loaded if external(target)]
        for target in page.links + page.loaded:
            if external(target) or target.startswith(("data:", "mailto:")):
                continue
            count += 1
            parts = urlsplit(target)
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not to.is_file():
                problems.append(f"{here}: {target} leads nowhere")
            elif parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].ids:
                problems.append(f"{here}: {target}: the page has no such place")
    return problems, len(pages), count


def check_styles(html):
    """Sentences about style sheets, scripts and pictures that load something from elsewhere."""
    problems = []
    for path in sorted(html.rglob("*")):
        if path.suffix not in (".css", ".svg") or not path.is_file():
            continue
        for target in re.findall(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", path.read_text()):
            target = target[0] or target[1]
            if external(target):
                problems.append(f"{path.relative_to(html)} loads {target} from elsewhere")
    for path in sorted((html / "_static").rglob("*.js")):
        text = path.read_text()
        if re.search(r"""(?:fetch|import|importScripts)\(\s*['"`](?:https?:)?//|\.src\s*=\s*['"`](?:https?:)?//""", text):
            problems.append(f"{path.relative_to(html)} loads something from elsewhere")
    return problems


def check_maps(html, program):
    """Sentences about maps of the program without a page, or with one that lacks what it must show."""
    problems, rows = [], program.json("list", "maps")
    for row in rows:
        page = html / f"maps/{row['domain']}-{row['name']}.html"
        if not page.is_file():
            problems.append(f"the map {row['name']} of {row['domain']} has no page {page.relative_to(html)}")
            continue
        text = page.read_text()
        for part in ("<img", "Formula", "Limit", "Idle blocks"):
            if part not in text:
                problems.append(f"{page.relative_to(html)} has no {part}")
    return problems, len(rows)


def check_search(html):
    """Sentences about words that the index of the search lacks."""
    text = (html / "searchindex.js").read_text()
    terms = json.loads(text[text.index("(") + 1 : text.rindex(")")])["terms"]
    return [f"the search does not know {word!r}" for word in WORDS if word not in terms]


def check(html, program):
    """All problems, one sentence each, and a sentence that says what was looked at."""
    html = Path(html).resolve()
    problems, pages, links = check_links(html)
    of_maps, maps = check_maps(html, program)
    problems += check_styles(html) + of_maps + check_search(html)
    return problems, f"{pages} pages, {links} links that lead somewhere, {maps} maps"
