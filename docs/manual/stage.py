"""Stages the pages of the manual: those of docs/manual, with their commands run and what they print shown; the documents
of the repository, as they are; and what other files (command_pages.py ...) generate. Links are changed to where a page
lies in the manual; files of the repository that pages link to are copied beside them."""

import os
import posixpath
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

from snippets import BLOCK, block_of, check_outputs, shown_lines

# Documents of the repository, and their pages in the manual.
DOCUMENTS = {
    "docs/app.md": "window/app",
    "docs/app-pictures.md": "window/pictures",
    "docs/app-scripts.md": "window/scripts",
    "docs/app-time.md": "window/time",
    "docs/files.md": "files/index",
    "docs/gallery.md": "window/gallery",
    "docs/install.md": "install",
    "docs/laws.md": "laws/your-own",
    "docs/maps.md": "maps/index",
    "docs/maps-in-code.md": "maps/in-code",
    "docs/performance.md": "performance/figures",
    "docs/python.md": "python/python",
    "docs/ranks.md": "performance/ranks",
    "docs/references.md": "references",
    "docs/results/README.md": "performance/reports",
    "docs/results/h200/README.md": "performance/results",
    "docs/scenes.md": "scenes/scenes",
    "docs/tensor.md": "performance/tensor",
    "docs/tree.md": "performance/tree",
    "docs/typed-maps.md": "maps/your-own",
}
GENERATED = {"app/help.md": "commands/index", "assets/maps": "maps/your-own", "assets/scenes": "scenes/index"}

CAPTIONS = {"{gpu}": "needs an NVIDIA GPU", "{window}": "opens a window"}

LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^```.*?^```[ ]*$", re.M | re.S)
CODE = re.compile(r"`[^`\n]+`")


class Stage:
    """root: of the repository. out: the folder for the staged pages. program: runs commands of pages (runner.py).
    facts: what pages name in double braces, {{VERSION}} for instance."""

    def __init__(self, root, out, program, facts):
        self.root, self.out, self.program, self.facts = root, out, program, facts
        self.tails = {}  # what follows the text of a document, by its page
        self.pages = {**DOCUMENTS, **GENERATED}
        for path in sorted((root / "docs/manual").rglob("*.md")):
            self.pages[path.relative_to(root).as_posix()] = path.relative_to(root / "docs/manual").with_suffix("").as_posix()

    def write(self, page, text):
        """Writes a page that has no source file, such as maps/lambda."""
        target = self.out / f"{page}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def document(self, source):
        """Stages a file of the repository."""
        page = self.pages[source]
        text = (self.root / source).read_text()
        if source.startswith("docs/manual/"):
            for name, value in self.facts.items():
                text = text.replace(f"{{{{{name}}}}}", value)
            text = self._with_output(page, text)
        self.write(page, self._with_links(source, page, text) + self.tails.get(page, ""))

    def all(self):
        """Stages every document, several at a time: their commands run in folders of their own."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.document, [s for s in self.pages if s.endswith(".md") and s not in GENERATED]))

    def _with_links(self, source, page, text):
        """The text with every link of the file `source` changed to one of `page`; code stays as it is."""
        kept = []

        def keep(match):
            kept.append(match.group())
            return f"\0{len(kept) - 1}\0"

        text = CODE.sub(keep, FENCE.sub(keep, text))
        text = LINK.sub(lambda m: self._link(source, page, m), text)
        while "\0" in text:
            text = re.sub(r"\0(\d+)\0", lambda m: kept[int(m.group(1))], text)
        return text

    def _link(self, source, page, match):
        opening, target, closing = match.groups()
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return match.group()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        anchor = f"#{anchor}" if anchor else ""
        here = posixpath.dirname(page)
        if path in self.pages:
            return f"{opening}{posixpath.relpath(self.pages[path] + '.md', here or '.')}{anchor}{closing}"
        if (self.root / path).is_dir() or "/" not in path or path.endswith(".md"):  # of the source: its name in words
            return f"{opening.lstrip('![').removesuffix('](')} (`{path}`)"
        copied = self.out / "files" / path
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.root / path, copied)
        return f"{opening}{posixpath.relpath('files/' + path, here or '.')}{anchor}{closing}"

    def _with_output(self, page, text):
        """The text with the commands of {run} blocks followed by what they print, and the files that they make beside
        the page."""
        folder = self.program.folder(page)

        def shown(match):
            block = block_of(match)
            if block.file:
                (folder / block.file).write_text(block.text)
                return f"`{block.file}`:\n\n{match.group()}"
            if block.kind not in ("", "{run}", "{gpu}", "{window}"):
                return match.group()
            if block.kind == "{window}":
                for command in block.commands:
                    self.program.window(command, folder, block.argument)
            if block.kind in CAPTIONS:
                lines = "".join(f"$ {command.line}\n" for command in block.commands)
                return f"```{{code-block}} console\n:caption: {CAPTIONS[block.kind]}\n\n{lines}```"
            if not block.commands:
                return match.group()
            told = [(c.line, self.program.output(c, folder)) for c in block.commands]
            check_outputs(block, [output for _, output in told])
            if block.kind == "":
                return "```console\n" + "".join(f"$ {line}\n" for line, _ in told) + "```"
            lines = []
            for line, output in told:
                lines += [f"$ {line}", *shown_lines(block, output), ""]
            return "```console\n" + "\n".join(lines).rstrip() + "\n```"

        text = BLOCK.sub(shown, text)
        target = self.out / os.path.dirname(page)
        for name in set(re.findall(r"^```+\{(?:figure|image)\} ([\w.-]+)", text, re.M)):
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / name, target / name)
        return text
