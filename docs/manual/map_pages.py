"""A page for each map that the program lists."""

from list_pages import code, table

WORDS = {"pairs": "triangle of pairs", "triples": "tetrahedron of triples", "gasket": "gasket"}


def write(stage):
    maps = stage.program.json("list", "maps")
    for row in maps:
        stage.write(f"maps/{row['domain']}-{row['name']}", f"# `{row['name']}`\n\n## Formula\n\n{code(row['formula'])}\n")
    tree = "\n".join(f"{row['domain']}-{row['name']}" for row in maps)
    stage.write("maps/index", f"# Maps\n\n```{{toctree}}\nall\nyour-own\n{tree}\n```\n")
