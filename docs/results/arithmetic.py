#!/usr/bin/env python3
"""Speed and error of gravity over n: float32, float64 and tensor cores, beside NVIDIA's sample.

    arithmetic.py FIGURE.png RESULT.json...

RESULT.json: of triangulum bench --kernel gravity --format json. Needs matplotlib.
"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# nbody of the CUDA samples with fast math, on the same card (nbody -benchmark -numbodies=N).
SAMPLE = {4096: 1.70e11, 16384: 6.96e11, 65536: 1.69e12, 262144: 1.79e12}
# What 18 issue slots a pair in float32 and 20 instructions in float64 allow, at 1.98 GHz on 132 multiprocessors.
LIMITS = {"float32": 132 * 4 * 32 * 1.98e9 / 18 * 2, "float64": 132 * 2 * 32 * 1.98e9 / 20 * 2}
SERIES = [
    ("tensor cores", "tensor", "#d95f02"),
    ("float32", "float32", "#1f78b4"),
    ("float64", "float64", "#33a02c"),
]


def rows(files):
    """{series: [(n, directed interactions a second, largest relative error)]}"""
    found = {}
    for name in files:
        with open(name) as file:
            results = json.load(file)["results"]
        for r in results:
            if r["skipped"] or not r["check"]["passed"]:
                continue
            key = "float64" if r["precision"] == "fp64" else r["arithmetic"]
            found.setdefault(key, []).append((r["n"], r["directed_per_s"], r["check"]["max_rel_err"]))
    return {key: sorted(values) for key, values in found.items()}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    found = rows(sys.argv[2:])
    plt.rcParams.update({"font.size": 11, "font.family": "DejaVu Sans"})
    figure, (speed, error) = plt.subplots(1, 2, figsize=(12, 4.6), constrained_layout=True)
    for label, key, colour in SERIES:
        n, rate, worst = zip(*found[key])
        speed.plot(n, rate, "o-", color=colour, ms=4)
        error.plot(n, worst, "o-", color=colour, ms=4)
        speed.annotate(label, (n[-1], rate[-1]), (6, -4), textcoords="offset points", color=colour)
        below = -14 if key == "tensor" else -2  # of float32
        error.annotate(label, (n[-1], worst[-1]), (6, below), textcoords="offset points", color=colour)
    for key, limit in LIMITS.items():
        speed.axhline(limit, ls="--", lw=1, color=dict((k, c) for _, k, c in SERIES)[key])
        speed.annotate(f"limit of {key}", (960, limit), (0, 4), textcoords="offset points", fontsize=9)
    speed.plot(list(SAMPLE), list(SAMPLE.values()), "s-", color="#777777", ms=4)
    speed.annotate("NVIDIA's sample (float32)", (4096, SAMPLE[4096]), (8, -6), textcoords="offset points", color="#777777")
    speed.set_ylabel("interactions a second")
    error.set_ylabel("largest error of an acceleration / rms")
    for axes in (speed, error):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("bodies")
        axes.set_xlim(900, 5e6)
        axes.set_xticks([2**k for k in range(10, 21, 2)], [f"{2**k:,}" for k in range(10, 21, 2)], fontsize=9)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    speed.set_title("Gravity of all pairs on one H200", loc="left")
    error.set_title("and how accurate it is", loc="left")
    figure.savefig(sys.argv[1], dpi=130)


main()
