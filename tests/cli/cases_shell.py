"""Cases of the command line: its completion, in the shells themselves, compared with `list`."""

import json
import os
import re
import shutil
import subprocess

from program import case, expect, skip, write


def known(tri):
    """The program's own lists: names of maps by domain, scenes with the fractals, formats."""
    maps = json.loads(tri.run("list", "maps", "--json")[0])
    names = {d: [m["name"] for m in maps if m["domain"] == d] for d in {m["domain"] for m in maps}}
    expect(sorted(names) == ["gasket", "pairs", "triples"], names.keys())
    scenes = json.loads(tri.run("list", "scenes", "--json")[0])
    names["scenes"] = [s["name"] for s in scenes]
    kepler = next(s for s in scenes if s["name"] == "kepler")
    names["kepler"] = [re.sub("=.*", "=", key) for key in kepler["keys"].split(", ")]
    names["fractals"] = [f["name"] for f in json.loads(tri.run("list", "fractals", "--json")[0])]
    return names


def once(*lists):
    return sorted({name for names in lists for name in names})


def shell_cases(tri):
    """Lines, the last word of each to be completed, and the completions: words; a path or none."""
    k = known(tri)
    starting = lambda head, names: [n for n in names if n.startswith(head)]
    pairs_triples = once(k["pairs"], k["triples"])
    all_maps = once(pairs_triples, k["gasket"])
    scenes = once(k["scenes"], k["fractals"], ["triangle-life"])
    return [
        ("conv", ["convert"], None), ("run --resta", ["--restart"], None), ("run --map ", all_maps, "file"),
        ("run --map=", all_maps, "file"),
        ("run --map lambda,lambda-l", ["lambda,lambda-lut", "lambda,lambda-longest"], "file"),
        ("run --map lambda,tetra-s", ["lambda,tetra-stream"], "file"),
        ("view --map=lambda,tetra-s", ["lambda,tetra-stream"], "file"),
        ("compute forces f.csv --map ", pairs_triples, "file"),
        ("bench --map ", once(all_maps, ["all", "plain", "fill", "lambda-alone"]), None),
        ("bench --kernel edm,coll", ["edm,collision"], None), ("bench --preset paper-l", ["paper-ltm"], None),
        ("bench --fractal ", k["fractals"], "file"), ("run --backend ", ["auto", "cpu", "cuda"], None),
        ("run --backend=cu", ["cuda"], None), ("run --precision fp6", ["fp64"], None),
        ("run --integrator y", ["yoshida4"], None),
        ("run --map tetra,tetra", ["tetra,tetra-r", "tetra,tetra-lut", "tetra,tetra-stream", "tetra,tetra-h"], "file"),
        ("run --save-every w", ["wall="], None), ("run --save-every dt=", [], None), ("run --steps ", [], None),
        ("run --seed=", [], None), ("run --diag ", [], "file"), ("view --shader-dir ", [], "folder"),
        ("run ", scenes, "file"), ("run --steps 5 --quiet pl", starting("pl", scenes), "file"),
        ("run plummer:n=5 --prec", ["--precision"], None), ("--help conv", ["convert"], None),
        ("--help al", ["all"], None), ("run kepler:", ["kepler:" + key for key in k["kepler"]], None),
        ("view --quiet kepler:e", ["kepler:e=", "kepler:eps=", "kepler:eta="], None),
        ("run kepler:e=0.1,e", ["kepler:e=0.1,eps=", "kepler:e=0.1,eta="], None),
        ("run kepler:e=0.1,eps=2", [], None), ("run vicsek:ru", ["vicsek:rule="], None),
        ("run triangle-life:", ["triangle-life:" + key for key in ("n=", "rule=", "density=", "seed=")], None),
        ("demo maps plummer:se", ["plummer:seed="], None), ("run my.toml:", [], None), ("run plummer ", [], None),
        ("demo ma", ["maps"], None), ("demo maps so", starting("so", scenes), "file"),
        ("convert ", k["scenes"], "file"), ("convert plummer ", [], "file"), ("compute fo", ["forces"], None),
        ("compute forces ", [], "file"), ("compute forces f.csv --law l", ["lennard-jones"], None),
        ("plot a.json ", [], "file"), ("list gen", ["generators"], None), ("list maps ", [], None),
        ("render --colours inf", ["inferno"], None), ("verify ", ["map", "tree"], None),
    ]


def finished(command, folder):
    env = dict(os.environ, HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, TERM="dumb")
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder, timeout=120)
    expect(done.returncode == 0 and done.stderr == "", done)
    return done.stdout


def found(name):
    return shutil.which(name) or skip(f"{name} is not installed")


@case
def completion(tri):
    helped = tri.run("help", "all")[0]
    for shell in ("bash", "zsh", "fish"):
        script = tri.run("completion", shell)[0]
        for option in set(re.findall(r"^--[a-z][a-z-]+", helped, re.M)):
            expect(option.lstrip("-") in script, f"{shell}: {option}")
    tri.run("completion", "tcsh", code=2)


BASH = r'''
source ./script
compopt() { printf 'OPT %s\n' "$2"; }
complete -p triangulum > /dev/null || exit 1
while IFS= read -r line; do
  # Splits a line as bash does: at blanks, and at = and :, which are separate words.
  COMP_WORDS=(triangulum)
  rest="${line//=/ = }"; read -ra words <<< "${rest//:/ : }"
  COMP_WORDS+=("${words[@]}")
  case "$line" in *[\ =:]) COMP_WORDS+=("") ;; esac
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  echo "LINE $line"
  _triangulum
  for word in "${COMPREPLY[@]}"; do printf 'ADD %s\n' "$word"; done
done < ./lines
'''


@case
def completion_bash(tri):
    bash, folder, cases = found("bash"), os.getcwd(), shell_cases(tri)
    write("script", tri.run("completion", "bash")[0])
    write("lines", "".join(line + "\n" for line, _, _ in cases))
    said = answers(finished([bash, "--norc", "-c", BASH], folder), len(cases))
    for (line, words, path), lines in zip(cases, said):
        got = [a[4:] for a in lines if a.startswith("ADD ") and not os.path.exists(a[4:])]
        kept = re.match(r"[^-].*[=:]", line.split(" ")[-1])  # readline keeps the part before the last = or :
        words = [w[kept.end() if kept else 0:] for w in words]
        expect(sorted(got) == sorted(words), f"bash: {line}: {got}, not {words}")
        kinds = {a[4:] for a in lines if a.startswith("OPT ")}
        want = {None: set(), "folder": {"dirnames"}, "file": {"filenames"} if words else {"default"}}[path]
        if words and all(w.endswith("=") for w in words):
            want = {"nospace"}
        expect(kinds == want, f"bash: {line}: {kinds}, not {want}")
    finished([bash, "-n", "script"], folder)


ZSH = r'''
# The part of zsh's completion interface that the script uses.
compdef() { :; }
_files() { print -r -- "PATH $*"; }
compset() { local head="${PREFIX##${~2}}"; [[ "$head" == "$PREFIX" ]] && return 1; PREFIX="$head"; }
compadd() {
  local more=""
  while [[ "$1" != -- ]]; do [[ "$1" == -S ]] && more="$2"; shift; done
  shift
  for word in "$@"; do [[ "$word" == "$PREFIX"* ]] && print -r -- "ADD $word"; done
}
source ./script
while IFS= read -r line; do
  words=(triangulum ${=line}); [[ "$line" == *\  ]] && words+=("")
  CURRENT=$#words PREFIX="$words[-1]"
  print -r -- "LINE $line"
  _triangulum
done < ./lines
true
'''


@case
def completion_zsh(tri):
    zsh, folder, cases = found("zsh"), os.getcwd(), shell_cases(tri)
    write("script", tri.run("completion", "zsh")[0])
    write("lines", "".join(line + "\n" for line, _, _ in cases))
    said = answers(finished([zsh, "-f", "-c", ZSH], folder), len(cases))
    for (line, words, path), lines in zip(cases, said):
        got = [a[4:] for a in lines if a.startswith("ADD ") and not (a.endswith("=") and line.endswith(" " + a[4:]))]
        parts = [re.split("[,:]", w)[-1] for w in words]  # zsh keeps the part before by itself
        expect(sorted(got) == sorted(parts), f"zsh: {line}: {got}, not {parts}")
        want = {None: [], "file": ["PATH "], "folder": ["PATH -/"]}[path]
        expect([a for a in lines if a.startswith("PATH")] == want, f"zsh: {line}: {lines}")
    finished([zsh, "-f", "-n", "script"], folder)


@case
def completion_fish(tri):
    fish, folder, cases = found("fish"), os.getcwd(), shell_cases(tri)
    os.mkdir("a_folder")
    with open("a_file", "w"):
        pass
    write("script", tri.run("completion", "fish")[0])
    ask = "source ./script\n"
    for line, _, _ in cases:
        ask += f"echo 'LINE {line}'\ncomplete -C 'triangulum {line}' | string replace -r '\\t.*' ''"
        ask += " | string replace -r '^' 'ADD '\n"
    write("ask.fish", ask + "true\n")
    said = answers(finished([fish, "ask.fish"], folder), len(cases))
    for (line, words, path), lines in zip(cases, said):
        got = {re.sub(r"^--[a-z-]+=", "", a[4:]) for a in lines if not (a.endswith("=") and line.endswith(" " + a[4:]))}
        files, folders = "a_file" in got, "a_folder/" in got
        got -= {name for name in got if os.path.exists(name.split(":")[-1]) or name.endswith("fish/")}
        expect(got == set(words), f"fish: {line}: {sorted(got)}, not {words}")
        last = re.split("[ =]", line)[-1]
        if last == "":  # else their prefixes differ
            want = {None: (False, False), "file": (True, True), "folder": (False, True)}[path]
            expect((files, folders) == want, f"fish: {line}: {lines}")


def answers(text, count):
    """The lines of each answer, without its heading."""
    parts = re.split(r"^LINE .*\n", text, flags=re.M)
    expect(parts[0] == "" and len(parts) == count + 1, text)
    return [part.splitlines() for part in parts[1:]]
