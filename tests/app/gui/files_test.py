#!/usr/bin/env python3
"""Opening and saving in the app, driven by scripts.  files_test.py PROGRAM DATA CASE, as view_test.py."""

from view_test import case, main


@case
def broken_files(tri):
    """What cannot be opened says so, and what was there goes on."""
    with open("bad.csv", "w") as f:
        f.write("x,y,z\n1,2,zebra\n")
    with open("bad.png", "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n and then nothing")
    tri.view("plummer:n=50", script="""
step 3
open bad.csv
expect-notice bad.csv
open bad.png
expect-notice bad.png
open none.tab
expect-notice none.tab
scene plumer
expect-notice Did you mean 'plummer'?
map utm
dt 1e300
run
wait 2
expect-notice step 4
expect-errors 5
expect-n 50
reset
dt 0.001
run
wait 3
pause
expect-errors 5
""")


@case
def files(tri):
    """What readers know is opened, what writers know is saved, and a run's snapshot comes with its laws."""
    with open("my.toml", "w") as f:
        f.write('title = "t"\ngenerator = "plummer"\n[parameters]\nn = 31\n')
    tri.json("run", "sphere-box:n=12", "--steps", "5", "-o", "run.hdf5")
    script = "open my.toml\nexpect-n 31\nopen my.toml:n=17\nexpect-n 17\n"
    names = ["s.tab", "s.csv", "s.npy", "s.hdf5", "s.xyz", "s.ply", "s.vtp"]
    script += "".join(f"save {name}\n" for name in names) + "wait 2\nscene kepler\nexpect-n 2\n"
    script += "".join(f"open {name}\nwait 1\nexpect-n 17\nscene kepler\n" for name in names)
    script += "expect-errors 0\nopen run.hdf5\nexpect-n 12\nexpect-notice its laws\nrun\nwait 3\nexpect-errors 0\n"
    tri.view("kepler", script=script)
    for kind in ("xyz", "ply", "vtp", "h5", "toml"):
        with open(f"bad.{kind}", "wb") as f:
            f.write(b"2\nnothing of the kind\n\x00\xff")
    script = "".join(f"open bad.{kind}\nexpect-notice bad.{kind}\n" for kind in ("xyz", "ply", "vtp", "h5", "toml"))
    tri.view("kepler", script=script + "expect-errors 5\nexpect-n 2\n")


if __name__ == "__main__":
    main()
