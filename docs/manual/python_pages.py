"""Pages of the Python module, from the signatures and docstrings of its files and, where the module is built, of its
stub _core.pyi. Nothing is imported."""

import ast
import re
import textwrap
from pathlib import Path

PACKAGE = "app/python/triangulum"
MODULES = {
    "torch": "distances and energies with gradients",
    "ase": "a calculator of the Atomic Simulation Environment",
}
KERNELS = ("triton", "numba", "warp", "cute")  # with the same functions
# What holds for most functions, and the page says once at its head.
EVERYWHERE = re.compile(r"^- \*\*backend\*\*: 'cpu', 'cuda', or None: the GPU where there is one\.\n|" + r"\s+".join(
    ("", *r"Raises TypeError and ValueError \(with what to do\), MemoryError, RuntimeError \(no such backend\)\.".split(),
     r"Ctrl-C ends it\.")), re.M)
FIRST = ("pdist", "contacts", "triplets", "forces", "law", "Simulation", "maps", "Map", "SizedMap")


def definitions(file):
    """The public functions and classes of a file by name; of overloads the last, which has the docstring."""
    tree = ast.parse(file.read_text())
    return {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and not node.name.startswith("_")}, tree


def signature(node, name):
    """NAME(arguments) -> result, broken where it is long. Types of arguments stand in the text below it."""
    given = node.args
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if argument is not None:
            argument.annotation = None
    arguments = re.sub(r"^(self|cls)(, )?", "", ast.unparse(given))
    result = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return textwrap.fill(f"{name}({arguments}){result.replace('numpy.typing.', '').replace('numpy.', 'np.')}", 100,
                         subsequent_indent=" " * (len(name) + 1), break_long_words=False, break_on_hyphens=False)


def escaped(text):
    return re.sub(r"([\\*_<>\[\]|])", r"\\\1", text)


def prose(docstring, names=()):
    """A docstring as Markdown: its code blocks stay, and a line that explains some of these names is an entry of a list."""
    paragraphs = []
    for part in re.split(r"\n\s*\n", docstring or ""):
        lines = part.splitlines()
        if not paragraphs and not part.startswith("    "):  # the sentence that says what it is
            paragraphs.append(escaped(part))
            continue
        if all(line.startswith("    ") for line in lines if line.strip()):
            paragraphs.append("```python\n" + "\n".join(line[4:] for line in lines) + "\n```")
            continue
        text = []
        for line in lines:
            name = re.match(r"(\w+(?:, \w+)*): ", line)
            if name and not set(name.group(1).split(", ")) <= set(names):
                name = None
            text.append(f"- **{escaped(name.group(1))}**: {escaped(line[name.end():])}" if name else
                        ("  " if text and text[0].startswith("- ") else "") + escaped(line))
        if len(text) > 1 and not text[0].startswith("- "):  # a list needs an empty line before it
            first = next((k for k, line in enumerate(text) if line.startswith("- ")), None)
            if first is not None:
                text.insert(first, "")
        paragraphs.append("\n".join(text))
    return "\n\n".join(paragraphs)


def arguments_of(node):
    given = node.args
    return [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if a is not None]


def headed(node, name, level):
    """The heading of a function: its signature, or its name, with the signature below it."""
    said = signature(node, name).removesuffix(" -> None")
    return f"{'#' * level} `{said}`\n\n" if len(said) <= 60 else f"{'#' * level} `{name}()`\n\n```python\n{said}\n```\n\n"


def function(node, name, level):
    return headed(node, name, level) + prose(ast.get_docstring(node), arguments_of(node)) + "\n"


def is_property(node):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def members(nodes, name, level):
    """The public methods and properties of a class that is spread over several definitions."""
    text, seen, properties = "", set(), ""
    for node in nodes:
        for member in node.body:
            if not isinstance(member, ast.FunctionDef) or member.name in seen:
                continue
            if member.name.startswith("_") and member.name != "__call__":
                continue
            seen.add(member.name)
            if not ast.get_docstring(member):
                continue  # its name says it, or it is of the interface of another library
            doc = prose(ast.get_docstring(member), arguments_of(member))
            if is_property(member):
                kind = ast.unparse(member.returns).replace("numpy.typing.", "").replace("numpy.", "np.") if member.returns else ""
                cells = f"`{member.name}` | `{kind}` | {' '.join(doc.split())} |".replace("` | `` |", "` | |")
                properties += "| " + cells.replace(" | None`", " \\| None`") + "\n"
            else:
                shown = f"{name}" if member.name == "__call__" else f"{name}.{member.name}"
                text += f"{headed(member, shown, level)}{doc}\n\n"
    return text + (f"| property of `{name}` | type | what it is |\n|---|---|---|\n{properties}\n" if properties else "")


def class_text(nodes, name, level):
    made = next((m for node in nodes for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)
    text = f"{'#' * level} `{name}`\n\n"
    if made is not None and name in ("Simulation", "Calculator"):  # users make none of the others
        text += f"```python\n{signature(made, name).removesuffix(' -> None')}\n```\n\n"
    return text + prose(ast.get_docstring(nodes[0]), arguments_of(made) if made else ()) + "\n\n" + members(nodes, name, level + 1)


def kernels(package):
    """One page of the modules that have the same functions: how each is used, and then the functions."""
    text = """# The maps in kernels of your own

Four modules have the same functions, for kernels in Triton, Numba, NVIDIA Warp and the CuTe DSL. Each function gives the
tiles of the map of its name in that map's order: row \\>= column, or x \\<= y \\<= z. Roots are float64, repaired in integers,
so that no compiler flag makes them wrong. Arguments are not checked. Without the diagonal, take m - 1 rows and add 1 to
the row; of a tetrahedron take m - 2 layers and add 1 to y, 2 to z.

"""
    for module in KERNELS:
        tree = ast.parse((package / f"{module}.py").read_text())
        paragraphs = re.split(r"\n\s*\n", ast.get_docstring(tree))
        last = max(k for k, part in enumerate(paragraphs) if part.startswith("    "))
        types = re.split(r"(?<=[.;]) ", paragraphs[last + 1].replace("\n", " "))[0].replace(";", ".")
        shown = "\n\n".join(paragraphs[1:last + 1] + [types])
        text += f"## `triangulum.{module}`\n\n{prose(shown)}\n\n"
    text += """## Functions

On the host `attention_mask()`, `band_count()`, `attention_table()` and `batch_table()` prepare `attention_row()`,
`band_tile()` and `batch_tile()`.

"""
    return text + "\n".join(function(node, name, 3) for name, node in definitions(package / "triton.py")[0].items())


def write(stage):
    package = stage.root / PACKAGE
    found = {}
    for file in sorted(package.glob("_[a-z]*.py")):
        for name, node in definitions(file)[0].items():
            found.setdefault(name, []).append(node)
    stub = Path(stage.program.path).resolve().parents[1] / "app/python/triangulum/_core.pyi"
    if stub.exists():
        for name, node in definitions(stub)[0].items():
            if name in ("Simulation", "SizedMap", "NumericalError", "scenes"):
                found.setdefault(name, []).append(node)
        note = ""
    else:
        note = """The program of this manual was built without the module: what its compiled part has, `SizedMap` and most of
`Simulation`, is not listed here; [the guide](python.md#simulations) has it.

"""
    tree = ast.parse((package / "__init__.py").read_text())
    public = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)
                  and getattr(node.targets[0], "id", "") == "__all__")
    names = sorted(public, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))
    text = f"""# Module `triangulum`

{prose(ast.get_docstring(tree))}

Where functions take it, `backend` is 'cpu', 'cuda', or None: the GPU where there is one. They raise TypeError and
ValueError (with what to do), MemoryError (predicted), RuntimeError (no such backend). Ctrl-C ends a call.

{note}"""
    for name in names:
        nodes = found.get("Maps" if name == "maps" else name)
        if not nodes:
            continue
        text += class_text(nodes, name, 2) if isinstance(nodes[0], ast.ClassDef) else function(nodes[0], name, 2)
        text += "\n"
    stage.write("python/module", EVERYWHERE.sub("", text))
    for module, what in MODULES.items():
        nodes, tree = definitions(package / f"{module}.py")
        text = f"# Module `triangulum.{module}`\n\n{what[0].upper() + what[1:]}.\n\n{prose(ast.get_docstring(tree))}\n\n"
        for name, node in nodes.items():
            text += class_text([node], name, 2) if isinstance(node, ast.ClassDef) else function(node, name, 2)
            text += "\n"
        stage.write(f"python/{module}", text)
    stage.write("python/kernels", kernels(package))
    modules = "".join(f"| [`triangulum.{name}`]({name}.md) | {what} |\n" for name, what in MODULES.items())
    stage.write("python/index", f"""# Python

[The guide](python.md) shows the module at work; these pages are its reference.

| module | what it has |
|---|---|
| [`triangulum`](module.md) | distances, contacts, triples, forces, simulations, maps |
{modules}| [`triangulum.{"`, `triangulum.".join(KERNELS)}`](kernels.md) | the exact maps for kernels of your own |

```{{toctree}}
:hidden:
python
module
{chr(10).join(MODULES)}
kernels
```
""")
