"""A page for each map that the program lists: what the program says of it, its picture, what happens beyond its limit
and how many blocks idle, as `verify map` finds them; and its curve in the papers' experiments."""

import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

from list_pages import code, table

DOMAINS = {"pairs": ("triangle", "triangle of pairs", 8), "triples": ("tetra", "tetrahedron of triples", 6),
           "gasket": ("gasket", "Sierpinski gasket", 16)}  # prefix of headers, words, side of the picture
SIDES = {"pairs": "5,16,17,1000", "triples": "5,16,17,64", "gasket": "4,16,256"}
# Results with every map of a domain, and the panel that is drawn of each.
RESULTS = {"pairs": ("paper-ltm", ["--kernel", "dummy"]), "triples": ("paper-tetra", ["--kernel", "dummy3"]),
           "gasket": ("paper-gasket", ["--kernel", "gasket"])}
RUNS = {"pairs": "run plummer:n=500 --steps 20 --map {}", "triples": "run argon-droplet:n=64 --steps 5 --map lambda,{}",
        "gasket": "run gasket:r=8,rule=B2/S12 --steps 20 --map {}"}
BENCH = {"pairs": "bench --kernel dummy --n 1024 --map {}", "triples": "bench --kernel dummy3 --n 128 --map {}",
         "gasket": "bench --kernel gasket --n 256 --map {}"}
LARGEST = 2**31 - 1  # sides of maps of pairs in the program
BLOCK = {"pairs": 16, "triples": 8}  # of the bench kernels below


def papers(root):
    """The papers by the names that the maps give them (sim/maps/maps.hpp)."""
    found, last = {}, None
    for line in (root / "sim/maps/maps.hpp").read_text().splitlines():
        name = re.match(r"///   ([A-Z]{3,}) +(.*)", line)
        if name:
            last = name.group(1)
            found[last] = name.group(2)
        elif last and line.startswith("///           "):
            found[last] += " " + line[3:].strip()
        else:
            last = None
    return found


def header_of(root, row):
    """The header of a map, by the row that it holds."""
    prefix = DOMAINS[row["domain"]][0]
    for path in sorted((root / "sim/maps").glob(f"{prefix}_*.hpp")):
        if re.search(rf'\{{\s*"{row["name"]}"', path.read_text()):
            return path
    raise RuntimeError(f"no header of sim/maps holds the map {row['name']} of {row['domain']}")


def escaped(text):
    """Prose with its code marks kept, and what Markdown would take for marks escaped."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]|])", r"\\\1", part) for part in parts)


def idea_of(root, row):
    """What docs/maps.md says of a map in a line."""
    section = {"pairs": "triangle", "triples": "tetrahedron", "gasket": "gasket"}[row["domain"]]
    inside = False
    for line in (root / "docs/maps.md").read_text().splitlines():
        if line.startswith("| **"):
            inside = line.startswith(f"| **{section}")
        elif inside and line.startswith("| `") and f"`{row['name']}`" in line.split("|")[1]:
            return line.split("|")[2].strip()
    return ""


def idle_table(stage, key, row):
    """How many positions have no tile, side by side."""
    found = stage.program.json("verify", "map", key, "--n", SIDES[row["domain"]])["results"]
    if any(r["idle"] for r in found):
        return table(["side", "tiles", "launched", "idle"],
                     [[f"{r['m']:,}", f"{r['tiles']:,}", f"{r['launched']:,}", f"{100 * r['idle'] / r['launched']:.1f} %"] for r in found])
    if found[-1]["launched"] <= 4 < found[-1]["tiles"]:
        return "None. The map is *persistent*: as many blocks as run at once walk many tiles each."
    return "None."


def beyond(stage, key, row):
    """What a published map does beyond its limit, and with which sentence the program refuses it there."""
    if not row["historical"]:
        if row["max_side"] < LARGEST:
            stage.program.run("verify", "map", key, "--n", str(row["max_side"] + 1), code=2)
        return ""  # no machine has room for a side beyond it
    side = row["max_side"] + 1
    wrong, _ = stage.program.run("verify", "map", key, "--n", str(side), code=1)
    block = BLOCK[row["domain"]] if row["space"] == "block" else 1
    kernel = "dummy" if row["domain"] == "pairs" else "dummy3"
    words = ["bench", "--kernel", kernel, "--n", str(side * block), "--block", str(BLOCK[row["domain"]]), "--map", row["name"], "--dry-run"]
    refused = " ".join(stage.program.run(*words)[0].split())
    if f"Use --map {row['alternative']}" not in refused:
        raise RuntimeError(f"{' '.join(words)} does not name {row['alternative']}: {refused}")
    return f"""

It is kept as published. One tile beyond its limit it is wrong:

```console
$ triangulum verify map {key} --n {side}
{wrong[wrong.index('wrong at'):].rstrip()}
```

The program refuses it there, and names [`{row['alternative']}`]({row['domain']}-{row['alternative']}.md)."""


def measured(stage, row):
    """The curve of a map in the results of the papers' experiments."""
    name, chosen = RESULTS[row["domain"]]
    source = stage.root / f"docs/results/h200/{name}.json"
    results = json.loads(source.read_text())
    maps = {result["map"] for result in results["results"] if not result["skipped"]}
    text = ""
    if row["name"] in maps and row["name"] != "bb":
        file = f"{row['domain']}-{row['name']}-measured.svg"
        stage.program.run("plot", str(source), "-o", str(stage.out / "maps" / file), "--map", row["name"], "--kind", "improvement", *chosen)
        text += f"```{{figure}} {file}\n:alt: improvement over n\n\nImprovement on an {results['meta']['device']}.\n```\n\n"
    return text


def tried(stage, row, key):
    """Runs what the page of all maps says of each, so that it holds for this one."""
    name = row["name"]
    folder = stage.program.folder(f"maps/{row['domain']}-{name}")
    bench = BENCH[row["domain"]].format(name if name == "bb" else f"bb,{name}")
    for command in (RUNS[row["domain"]].format(name), f"{bench} --samples 1 --warmup 0", f"verify map {key} --n 64"):
        threads = [] if command.startswith("verify") else ["--threads", "1"]
        stage.program.run(*command.split(), *threads, folder=folder)


def page(stage, row, names, known):
    key = row["name"] if names.count(row["name"]) == 1 else f"{row['domain']}/{row['name']}"
    side = DOMAINS[row["domain"]][2]
    name, domain = row["name"], row["domain"]
    picture = f"{domain}-{name}.svg"
    stage.program.run("verify", "map", key, "--n", str(side), "--plot", str(stage.out / "maps" / picture))
    named = [short for short in known if re.search(rf"\b{short}\b", row["source"])]
    cited = " ([references](../references.md))" if named else ""
    header = header_of(stage.root, row)
    (stage.out / "files").mkdir(exist_ok=True)
    shutil.copyfile(header, stage.out / "files" / header.name)
    tried(stage, row, key)
    idea = idea_of(stage.root, row) or row["formula"]
    return f"""# `{name}` of {'the gasket' if domain == 'gasket' else domain}

{idea[0].upper() + idea[1:]}.

```{{figure}} {picture}
:alt: tiles of {name}
```

## Formula

{code(row['formula'])}

{'' if row['space'] == 'block' else 'By threads, '}[`triangulum/maps/{header.name}`](../files/{header.name}). Source: {escaped(row['source'])}{cited}.

## Limit

Exact to: {escaped(row['limit'])}.{beyond(stage, key, row)}

## Idle blocks

{idle_table(stage, key, row)}

{measured(stage, row)}"""


def write(stage):
    (stage.out / "maps").mkdir(parents=True, exist_ok=True)
    rows, known = stage.program.json("list", "maps"), papers(stage.root)
    names = [row["name"] for row in rows]
    text = """
## The page of each map

It counts idle blocks at some sides: {pairs} tiles of pairs, {triples} of triples, {gasket} of the gasket. Its curve is the
improvement over `bb`, dashed the bound from launched blocks.

""".format(**SIDES)
    for domain, (_, words, _) in DOMAINS.items():
        of = [row for row in rows if row["domain"] == domain]
        text += f"Of the {words}: " + ", ".join(f"[`{row['name']}`]({domain}-{row['name']}.md)" for row in of) + "\n\n"
    tree = "\n".join(f"{row['domain']}-{row['name']}" for row in rows)
    stage.tails["maps/index"] = f"{text}```{{toctree}}\n:hidden:\nin-code\nyour-own\n{tree}\n```\n"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for row, made in zip(rows, pool.map(lambda row: page(stage, row, names, known), rows)):
            stage.write(f"maps/{row['domain']}-{row['name']}", made)
