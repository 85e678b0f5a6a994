"""Pages of the command line, from app/help.md: one for each command, its usage, text and options as `--help` prints
them."""

import re

# Sections of app/help.md that are no commands.
OTHER = ("common options", "exit codes", "environment", "files", "see also")
TOGETHER = OTHER[1:]  # on one page, that of the first


def sections(text):
    """(title, text) of each section of second level; the first, with no title, is what stands before them."""
    parts = re.split(r"^## (.+)\n", text, flags=re.M)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2])]


def write(stage):
    (_, head), *parts = sections((stage.root / "app/help.md").read_text())
    names = [title for title, _ in parts]
    said = dict(re.findall(r"^triangulum (\w+) .*?  +(\S.*)$", head, re.M))
    head = re.sub(r"^# [^\n]*\n|^```.*?^```\n", "", head, flags=re.M | re.S)  # its list of commands is the table below
    together = "".join(f"## {title.capitalize()}\n\n{linked(text, names, title)}\n" for title, text in parts if title in TOGETHER)
    stage.write("commands/exit-codes", f"# Exit codes, environment, files\n\n{together}")
    for title, text in parts:
        if title in TOGETHER:
            continue
        heading = title if title in OTHER else f"triangulum {title}"
        stage.write(f"commands/{title.replace(' ', '-')}", f"# {heading}\n\n{linked(text, names, title)}")
    tree = "\n".join(name.replace(" ", "-") for name in names if name not in TOGETHER[1:])
    rows = "\n".join(f"| [{name}]({name.replace(' ', '-')}.md) | {said.get(name) or first_sentence(text)} |" for name, text in parts
                     if name not in OTHER)
    stage.write("commands/index", f"""# Command line

{linked(head, names, "")}
| command | what it does |
|---|---|
{rows}

`triangulum COMMAND --help` prints these pages, `triangulum help all` the whole help. Others have the [options of several
commands](common-options.md), and [exit codes, variables of the environment, and files](exit-codes.md).

```{{toctree}}
:hidden:
{tree}
```
""")


def first_sentence(text):
    prose = re.sub(r"^```.*?^```\n", "", text, flags=re.M | re.S).strip().split("\n\n")[0]
    return re.split(r"(?<=[.:]) ", prose.replace("\n", " ") + " ")[0].rstrip(":") if prose else ""


def linked(text, names, here):
    """Prose with references to documents and to other commands as links."""
    def prose(part):
        for document, page in (("docs/laws.md", "../laws/your-own"), ("docs/app-time.md", "../window/time"),
                               ("docs/app-scripts.md", "../window/scripts"), ("docs/references.md", "../references"),
                               ("docs/results/README.md", "../performance/reports"),
                               ("docs/results/h200/README.md", "../performance/results"),
                               ("docs/scenes.md", "../scenes/scenes"), ("docs/tree.md", "../performance/tree"),
                               ("docs/ranks.md", "../performance/ranks"), ("docs/typed-maps.md", "../maps/your-own")):
            part = part.replace(document, f"[{document}]({page}.md)")
        return re.sub(r"\(see (law|bench)\)",
                      lambda m: m.group() if m.group(1) == here or m.group(1) not in names else
                      f"(see [{m.group(1)}]({m.group(1)}.md))", part)

    parts = re.split(r"(^```.*?^```\n)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else prose(part) for part in parts)
