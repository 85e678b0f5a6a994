#!/usr/bin/env python3
"""cmake/install_packages.sh with fake commands: with and without apt, root, sudo."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "cmake" / "install_packages.sh"
PACKAGES = [line.split()[1:3] for line in (ROOT / "cmake/packages-debian.txt").read_text().splitlines()
            if line.startswith("build ")]
LOG = 'echo "$(basename "$0") $* [$DEBIAN_FRONTEND]" >> "$LOG"\n'


class Machine:
    """A PATH with the shell's helpers and the given fake commands only."""

    def __init__(self, uid=0, installed=(), **commands):
        self.folder = tempfile.TemporaryDirectory()
        self.bin = Path(self.folder.name)
        for tool in ("bash", "dirname", "basename", "grep", "env", "cat"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.add("id", f"echo {uid}")
        self.log = self.bin / "log"
        answer = "".join(f"{p}:installed " for p in installed)
        stand_ins = {"apt_get": LOG, "dpkg_query": f"echo -n '{answer}'", "sudo": LOG + '[ "$1" = -n ] && exit 1; "$@"\n'}
        for name, wanted in commands.items():
            if wanted:
                self.add(name.replace("_", "-"), stand_ins[name])

    def add(self, name, text):
        path = self.bin / name
        path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
        path.chmod(0o755)

    def run(self, **variables):
        done = subprocess.run([str(self.bin / "bash"), str(SCRIPT), "build"], stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, env={"PATH": str(self.bin), "LOG": str(self.log), **variables})
        calls = self.log.read_text() if self.log.exists() else ""
        self.folder.cleanup()
        return done.returncode, done.stdout, done.stderr, calls


NAMES = [package for package, _ in PACKAGES]


class InstallPackages(unittest.TestCase):
    def test_nothing_missing_is_silent(self):
        self.assertEqual(Machine(installed=NAMES, apt_get=True, dpkg_query=True).run(), (0, "", "", ""))

    def test_an_installed_command_needs_no_package(self):
        machine = Machine(installed=[n for n in NAMES if n != "cmake"], apt_get=True, dpkg_query=True)
        machine.add("cmake", "")
        self.assertEqual(machine.run()[0::3], (0, ""))

    def test_root_installs_exactly_what_is_missing_and_says_why(self):
        missing = ["cmake", "libfmt-dev"]
        machine = Machine(installed=[n for n in NAMES if n not in missing], apt_get=True, dpkg_query=True)
        code, out, _, calls = machine.run()
        self.assertEqual(code, 0)
        self.assertRegex(out, r"(?s)Installing.*cmake +configures.*libfmt-dev +texts")
        self.assertNotIn("libhwy-dev", out)
        self.assertRegex(calls, r"apt-get update .*\[noninteractive\]\n")
        self.assertRegex(calls, r"apt-get install -y .*Use-Pty=0 cmake libfmt-dev -qq \[noninteractive\]\n$")

    def test_without_root_and_sudo_it_names_the_command(self):
        code, _, err, calls = Machine(uid=1000, apt_get=True, dpkg_query=True).run()
        self.assertEqual((code, calls), (1, ""))
        self.assertIn("sudo apt-get install " + " ".join(NAMES), err)

    def test_sudo_with_a_password_and_no_terminal_stops(self):
        code, _, err, calls = Machine(uid=1000, apt_get=True, dpkg_query=True, sudo=True).run()
        self.assertEqual(code, 1)
        self.assertNotIn("apt-get", calls)
        self.assertIn("password", err)

    def test_no_install_is_respected(self):
        code, _, err, calls = Machine(apt_get=True, dpkg_query=True).run(TRI_NO_INSTALL="1")
        self.assertEqual((code, calls), (1, ""))
        self.assertIn("TRI_NO_INSTALL=1 says to install nothing. Please run, then make again:\n    sudo apt-get install", err)
        code, _, err, calls = Machine(apt_get=True, dpkg_query=True).run(TRI_NO_INSTALL="You do it.")
        self.assertEqual((code, calls), (1, ""))
        self.assertIn("You do it. Please run", err)
        self.assertNotIn("TRI_NO_INSTALL", err)

    def test_without_apt_it_names_the_commands_and_stops(self):
        code, _, err, _ = Machine().run()
        self.assertEqual(code, 1)
        self.assertIn("no apt", err)
        for _, command in PACKAGES:
            if command != "-":
                self.assertIn(f"  {command} ", err)

    def test_without_apt_but_with_the_commands_it_goes_on(self):
        machine = Machine()
        for _, command in PACKAGES:
            if command != "-":
                machine.add(command, "")
        self.assertEqual(machine.run(), (0, "", "", ""))


if __name__ == "__main__":
    sys.exit(unittest.main())
