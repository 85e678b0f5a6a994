"""Tests of the tools of the nightly run: mutants, the watch over memory, the table."""

import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import mutate
import nightly
import watch

HERE = Path(__file__).resolve().parent
GROWS = "import time\nkept = []\nfor k in range(10**9):\n kept.append(bytearray(b'x' * 4_000_000))\n time.sleep(0.02)"
STAYS = "import time\nkept = bytearray(b'x' * 40_000_000)\ntime.sleep(1000)"


class Mutants(unittest.TestCase):
    def forms(self, line):
        return {changed for changed, _ in mutate.mutants_of(line)}

    def test_comparisons_numbers_and_terms_change_one_at_a_time(self):
        self.assertEqual(self.forms("  return a < b;"), {"  return a <= b;"})
        self.assertEqual(self.forms("  if (i == 7) x = m - k;"),
                         {"  if (i != 7) x = m - k;", "  if (i == 8) x = m - k;", "  if (i == 7) x = m;"})
        self.assertEqual(self.forms("  return {w, m + 1u};"), {"  return {w, m + 2u};"})
        self.assertEqual(self.forms("  x = rows() - shift() + y;"), {"  x = rows() - shift();"})

    def test_what_is_no_code_stays(self):
        for line in ("", "// a < b + 1", "#if A < 1", '  static_assert(1 < 2, "3");', "  f(std::vector<int>());",
                     "constexpr MapInfo kInfo{1 < 2};", "namespace tri {", '  "rows < 3 + k, "'):
            self.assertEqual(self.forms(line), set(), line)
        self.assertEqual(self.forms('  say("3 < 4", x2, 0x10, 1.5); // 5 < 6'), set())

    def test_templates_and_shifts_are_no_comparisons(self):
        self.assertEqual(self.forms("  array<T, N> a;"), set())
        self.assertEqual(self.forms("  a << b;"), set())

    def test_a_seed_is_a_choice(self):
        files = sorted((mutate.ROOT / "sim/maps").glob("*.hpp"))
        first = [mutate.choose(files, random.Random(5)) for _ in range(2)]
        self.assertEqual(first[0], first[1])
        path, number, changed, _ = first[0]
        self.assertNotEqual(path.read_text().splitlines()[number], changed)

    def test_each_target_has_much_to_change(self):
        for pattern in mutate.TARGETS:
            lines = [line for p in mutate.ROOT.glob(pattern) for line in p.read_text().splitlines()]
            self.assertGreater(sum(bool(mutate.mutants_of(line)) for line in lines), 300, pattern)


class OutcomeOfAMutant(unittest.TestCase):
    """With a build that copies the source, and a test that runs it."""

    class Fake(mutate.Clone):
        def __init__(self, folder):
            self.folder, self.seconds = folder, {"t": 0.1}

        def build(self, target):
            return (1, "") if "broken" in (self.folder / "f.py").read_text() else (0, "")

        def test(self, target, seconds):
            return mutate.run([sys.executable, str(self.folder / "f.py")], self.folder, 2)

    def test_outcomes_and_the_file_is_as_before(self):
        with tempfile.TemporaryDirectory() as name:
            clone, path, text = self.Fake(Path(name)), Path(name) / "f.py", "import sys\nx = 1\nsys.exit(x < 1)\n"
            path.write_text(text)
            for changed, outcome in (("x = 2", "survived"), ("x = 0", "killed"), ("broken", "not compiled"),
                                     ("while True: x = 1", "killed")):
                self.assertEqual(clone.outcome(path, 1, changed, "t"), outcome, changed)
                self.assertEqual(path.read_text(), text)


class Memory(unittest.TestCase):
    def run_watch(self, code, *options):
        done = subprocess.run([sys.executable, str(HERE / "watch.py"), *options, sys.executable, "-c", code],
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_halves_after_the_warm_up(self):
        samples = [(0, 900), (1, 10), (2, 30), (3, 20), (4, 25), (5, 31)]
        self.assertEqual(watch.growth(samples, 1), (30, 31))
        with self.assertRaises(ValueError):
            watch.growth(samples, 5)

    def test_a_process_that_grows_fails_and_one_that_stays_passes(self):
        code, said = self.run_watch(GROWS, "--seconds", "3", "--growth", "64")
        self.assertEqual(code, 1, said)
        self.assertIn("of growth", said)
        code, said = self.run_watch(STAYS, "--seconds", "3", "--growth", "64")
        self.assertEqual(code, 0, said)
        self.assertIn("resident memory", said)

    def test_a_process_that_ends_fails(self):
        code, said = self.run_watch("raise SystemExit(4)", "--seconds", "20")
        self.assertEqual(code, 1)
        self.assertIn("ended by itself", said)
        self.assertIn("exit code 4", said)


class Table(unittest.TestCase):
    def run_row(self, code, remark=lambda log: ""):
        row = nightly.Row("a row", [[sys.executable, "-c", code], [sys.executable, "-c", "print('second')"]], remark)
        with tempfile.NamedTemporaryFile() as log:
            row.run(log.name)
        return row

    def test_states(self):
        self.assertEqual(self.run_row("print('fine')").state, "passed")
        row = self.run_row("print('bad | luck'); raise SystemExit(3)")
        self.assertEqual((row.state, row.said), ("FAILED", "bad | luck"))
        self.assertEqual(self.run_row("raise SystemExit(77)").state, "left out")
        row = nightly.Row("none", [["/no/such/program"]])
        with tempfile.NamedTemporaryFile() as log:
            row.run(log.name)
        self.assertEqual(row.state, "FAILED")
        self.assertIn("No such file", row.said)

    def test_markdown(self):
        rows = [self.run_row("print('bad | luck'); raise SystemExit(3)")]
        rows[0].seconds = 90
        self.assertEqual(nightly.table(rows).splitlines(),
                         ["| what | result | time | remark |", "|---|---|---|---|",
                          "| a row | FAILED | 1.5 min | bad / luck |"])

    def test_remarks(self):
        log = "50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - maps.bb (Failed)\n"
        self.assertEqual(nightly.failed_tests(log), "50% tests passed, 1 tests failed out of 2: maps.bb")
        log = "survived: sim/maps/a.hpp:3: comparison: x <= y\n1 of 2 mutants killed, 0 more did not compile, seed 4\n" \
              "survivor: sim/maps/a.hpp:3: comparison: x <= y\n"
        self.assertEqual(nightly.mutants_said(log),
                         "1 of 2 mutants killed, 0 more did not compile, seed 4; survivors: sim/maps/a.hpp:3")

    def test_programs_run_whole_and_shuffled(self):
        with tempfile.TemporaryDirectory(prefix="a night ") as name:
            for program, code in (("test_good", 0), ("bad_test", 1)):
                Path(name, program).write_text(f'#!/bin/sh\necho "$0 $*"\n'
                                               f'case "$*" in *--gtest_shuffle*seed=2*) exit {code};; esac\n')
                Path(name, program).chmod(0o755)
            row = nightly.Row("shuffled", nightly.shuffled(name), nightly.found(r"^(failed:.*)$"))
            row.run(Path(name) / "log")
            self.assertEqual((row.state, row.said), ("FAILED", "failed: bad_test:2"))
            self.assertEqual((Path(name) / "log").read_text().count("--gtest_brief=1\n"), 6)
            Path(name, "bad_test").unlink()
            Path(name, "good_test").write_text("#!/bin/sh\n")
            Path(name, "good_test").chmod(0o755)
            row.run(Path(name) / "log")
            self.assertEqual(row.state, "passed")

    def test_times_are_compared_with_the_last_night(self):
        program = '#!/bin/sh\ncase "$*" in *--help) echo "HELP";; *) echo "$*"; touch "$5"; exit CODE;; esac\n'
        with tempfile.TemporaryDirectory(prefix="a night ") as name:
            fake, nightly.FOLDER = Path(name) / "program", Path(name)

            def night(help_text, code=0):
                fake.write_text(program.replace("HELP", help_text).replace("CODE", str(code)))
                fake.chmod(0o755)
                row = nightly.Row("times", nightly.performance(fake))
                row.run(Path(name) / "log")
                return row.state, (Path(name) / "log").read_text().splitlines()[-1]

            self.assertEqual(night("--output"), ("left out", "this program compares no reports"))
            self.assertEqual(night("--compare"), ("passed", "the first report: the next night is compared with it"))
            words = f"bench --preset smoke -o {name}/bench.json --compare {name}/bench.last.json"
            self.assertEqual(night("--compare"), ("passed", words))
            self.assertEqual(night("--compare", 1), ("FAILED", words))

    def test_the_fuzzers_are_those_of_the_script(self):
        script = (HERE.parent / "fuzz/libfuzzer.sh").read_text()
        self.assertIn(f"targets=({' '.join(nightly.FUZZERS)})", script)


if __name__ == "__main__":
    unittest.main()
