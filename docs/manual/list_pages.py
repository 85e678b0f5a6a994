"""Pages that the program's own lists fill: laws, and scenes with their pictures."""

import os
import re
from concurrent.futures import ThreadPoolExecutor


def table(head, rows):
    """A table in Markdown; | in cells is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def code(text):
    return f"`{text}`" if text else ""


def laws(stage):
    rows = [[f"`{law['name']}`", law["over"], code(law["form"]), ", ".join(code(o) for o in law["options"].split(", "))]
            for law in stage.program.json("list", "laws")]
    stage.write("laws/index", f"""# Laws

A *law* says what a pair or a triple of bodies does. These are built in (`triangulum list laws`); scenes choose theirs,
and `compute forces`, `--law` and `--triple-law` name one.

{table(["law", "over", "what it is", "options"], rows)}
Any other law you [type as an energy](your-own.md).

```{{toctree}}
:hidden:
your-own
```
""")


# Bodies for the pictures: enough to show the scene, few enough for software OpenGL; and steps before the picture.
PICTURES = {"plummer": ("n=2000", 0), "uniform-ball": ("n=2000", 0), "uniform-box": ("n=2000", 0), "galaxy": ("n=4000", 0),
            "merger": ("n=4000", 20), "cold-collapse": ("n=2000", 60), "falling-pile": ("n=300", 200),
            "sphere-box": ("n=300", 50), "gas": ("n=500", 20), "argon-droplet": ("n=200", 10), "salt": ("", 5),
            "argon-crystal": ("n=256", 5), "cosmic-web": ("n=4096", 400)}
COMMON = {"seed": "42", "mass": "1", "length": "1", "G": "1", "units": "", "integrator": "kdk", "eta": "by integrator", "precision": "any"}
SMALL = 300  # steps before the picture of a scene of few bodies, whose trails then show the orbits


def scenes(stage):
    text = """# Scenes

A *scene* is a named start: bodies, laws and a first look. These are built in. Keys after the name change them, as in
`plummer:n=10000,eps=0.05`: those listed, and where they apply `units`, `integrator` (`kdk`), `eta`, `precision`, `seed`
(42), `mass`, `length` and `G` (1). Pictures are made as by
`triangulum render plummer:n=2000 -o plummer.png --skip 0 --size 640x360`. [The format of scenes](scenes.md) explains them, and files of your own.

```{toctree}
:hidden:
scenes
```

"""
    folder = stage.program.folder("scenes")
    (stage.out / "scenes").mkdir(parents=True, exist_ok=True)
    found = stage.program.json("list", "scenes")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        drawn = list(pool.map(lambda scene: picture(stage, scene["name"], folder), found))
    for scene, (what, skip) in zip(found, drawn):
        name = scene["name"]
        text += f"## `{name}`\n\n{sentence(scene['title'])}\n\n```{{figure}} {name}.png\n:alt: {name}\n\n`{what}`, step {skip}\n```\n\n"
        text += ", ".join(code(f"{k}={v}") for k, v in keys_of(scene["keys"]) if COMMON.get(k) != v) + "\n\n"
    stage.write("scenes/index", text)


def picture(stage, name, folder):
    """Draws a scene; returns it with its keys, and the step."""
    keys, skip = PICTURES.get(name, ("", SMALL))
    what = f"{name}:{keys}" if keys else name
    command = ["render", what, "-o", f"{name}.png", "--skip", str(skip), "--size", "640x360"]
    stage.program.run(*command, "--threads", "1", folder=folder)
    (folder / f"{name}.png").rename(stage.out / f"scenes/{name}.png")
    return what, skip


def sentence(text):
    text = text[0].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def keys_of(text):
    """(key, default) of "n=4096, seed=42, ..."; a default may have commas."""
    return [part.split("=", 1) for part in re.split(r", (?=[\w.-]+=)", text) if "=" in part]


def write(stage):
    laws(stage)
    scenes(stage)
