#!/usr/bin/env python3
"""Seconds a step of gravity over n on one H200: all pairs, the tree at three tolerances, NVIDIA's sample.

    tree_steps.py FIGURE.png docs/tree.md

Reads the table of steps a second of that page. Needs matplotlib.
"""

import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# nbody of the CUDA samples with fast math, on the same card: interactions a second (nbody -benchmark -numbodies=N).
SAMPLE = {65536: 1.69e12, 262144: 1.79e12}
COLOURS = ["#d95f02", "#08519c", "#3182bd", "#9ecae1"]


def columns(page):
    """[(name, [(n, seconds a step)])] of the table."""
    table = page[page.index("Steps a second in fp32 on an H200") :]
    lines = [line.strip("| ").split("|") for line in re.search(r"(\|.*\n)+", table).group().splitlines()]
    names, rows = [name.strip() for name in lines[0]], lines[2:]
    number = lambda text: float(text.replace(",", ""))
    cells = lambda k: [(number(row[0]), 1 / number(row[k])) for row in rows if len(row) > k and row[k].strip()]
    return [(name, cells(k)) for k, name in enumerate(names) if k > 0]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2]) as file:
        series = columns(file.read())
    plt.rcParams.update({"font.size": 11, "font.family": "DejaVu Sans"})
    figure, axes = plt.subplots(figsize=(8, 4.8), constrained_layout=True)
    sample = ("NVIDIA's sample, all pairs in float32", [(n, n * n / rate) for n, rate in SAMPLE.items()])
    for (name, points), colour in zip([*series, sample], [*COLOURS, "#777777"]):
        axes.plot(*zip(*points), "s-" if name == sample[0] else "o-", color=colour, ms=4, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("bodies")
    axes.set_ylabel("seconds a step")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    axes.set_title("Gravity on one H200", loc="left")
    figure.savefig(sys.argv[1], dpi=130)


main()
