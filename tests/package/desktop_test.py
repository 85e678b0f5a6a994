#!/usr/bin/env python3
"""desktop_test.py PREFIX APP_ID    what an installed program gives a desktop: menu entry, description for software
centres, icon, type of files. By the validators where they are installed; exits 77 where one is not, after the rest.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SHARE, APP_ID = Path(sys.argv[1], "share"), sys.argv[2]
SVG = "{http://www.w3.org/2000/svg}"
missing = []


def validate(tool, *arguments):
    if shutil.which(tool) is None:
        missing.append(tool)
        return
    done = subprocess.run([tool, *arguments], capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and not re.search(r"\b(warning|hint|error):", said), said


class Desktop(unittest.TestCase):
    entry = SHARE / "applications" / f"{APP_ID}.desktop"
    metainfo = SHARE / "metainfo" / f"{APP_ID}.metainfo.xml"

    def test_the_menu_entry_is_valid_and_names_what_is_there(self):
        validate("desktop-file-validate", str(self.entry))
        keys = dict(line.split("=", 1) for line in self.entry.read_text().splitlines() if "=" in line)
        self.assertEqual(keys["Icon"], APP_ID)
        self.assertEqual(keys["Exec"], "triangulum view %f")
        self.assertTrue((SHARE.parent / "bin" / keys["TryExec"]).exists())

    def test_the_description_is_valid_and_has_the_version(self):
        validate("appstreamcli", "validate", "--no-net", "--no-color", str(self.metainfo))
        tree = ElementTree.parse(self.metainfo).getroot()
        self.assertEqual(tree.findtext("launchable"), self.entry.name)
        said = subprocess.run([SHARE.parent / "bin/triangulum", "--version"], capture_output=True, text=True).stdout
        self.assertIn(f"triangulum {tree.find('releases/release').get('version')}", said)

    def test_the_icon_is_a_triangle_of_tiles(self):
        tree = ElementTree.parse(SHARE / f"icons/hicolor/scalable/apps/{APP_ID}.svg").getroot()
        tiles = [tile.attrib for tile in tree.iter(f"{SVG}rect")][1:]
        places = {(int(tile["x"]), int(tile["y"])) for tile in tiles}
        xs, ys = (sorted({place[axis] for place in places}) for axis in (0, 1))
        self.assertEqual({(xs.index(x), ys.index(y)) for x, y in places}, {(j, i) for i in range(4) for j in range(i + 1)})
        self.assertEqual(len(tiles), len({tile["fill"] for tile in tiles}), "every tile has a colour of its own")

    def test_files_in_hdf5_have_a_type_that_the_entry_opens(self):
        packages = SHARE / "mime/packages"
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(packages, Path(folder, "packages"))
            validate("update-mime-database", folder)
            if "update-mime-database" not in missing:
                globs = Path(folder, "globs2").read_text()
                self.assertIn("60:application/x-hdf5:*.hdf5\n", globs)
                self.assertIn(b"\x89HDF\r\n\x1a\n", Path(folder, "magic").read_bytes())
        self.assertRegex(self.entry.read_text(), r"(?m)^MimeType=(.*;)?application/x-hdf5;")


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    if missing:
        print("not checked by", *sorted(set(missing)))
    sys.exit(1 if not result.wasSuccessful() else 77 if missing else 0)
