#!/usr/bin/env python3
"""Tests every rule of house_rules.py: a small valid tree passes, and each bad sample added to it is caught,
by the rule it was made for, at its line."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import house_rules  # noqa: E402

HEAD = "#pragma once\n/// What it is for.\n"
GOOD = {
    "sim/base/platform.hpp": HEAD + "#if defined(__CUDACC__)\n#endif\n",
    "sim/model/bodies.hpp": HEAD + '#include <vector>\n#include "platform.hpp"\n',
    "sim/maps/figurate.hpp": HEAD + '#include "../base/platform.hpp"\n',
    "sim/maps/fold.hpp": HEAD + '#include <cmath>\n#include "../base/platform.hpp"\n#include "figurate.hpp"\n',
    "sim/cuda/runtime/launches.hpp": HEAD + "#include <cuda_runtime.h>\n",
    "sim/cuda/kernels/k.cu": "// A kernel.\nvoid f() { k<<<1, 2>>>(); }\n",
    "render/view.hpp": HEAD + '#include <glm/vec3.hpp>\n#include "sim/base/platform.hpp"\n',
    "render/gl/share.cpp": "// Shares a buffer.\n#include <cuda_gl_interop.h>\n",
    "app/session/session.hpp": HEAD + '#include "sim/model/bodies.hpp"\n#include <fmt/core.h>\n',
    "app/gui/base/window.cpp": '// A window.\n#include <GLFW/glfw3.h>\n#include "app/session/session.hpp"\n#include "render/view.hpp"\n',
    "app/gui/panels/p.cpp": '// A panel.\nvoid p() { button("Copy"), phrase("{} of " "{}", 1, 2); }\n',
    "assets/strings/de.toml": '"Copy" = "Kopieren"\n"{} of {}" = "{} von {}"\n',
    "assets/strings/zh.toml": '"Copy" = "\u590d\u5236"\n"{} of {}" = "{1} / {0}"\n',
    "docs/a.md": "k<<<1, 2>>> may appear in text. `sim/model/bodies.hpp`, `sim/m*/*.hpp`, [a](a.md#x), `sim/maps/<name>.hpp`\n",
}
# rule, file, text, line at which it must be caught
BAD = [
    ("rooms", "sim/model/a.hpp", HEAD + '#include "app/options/a.hpp"\n', 3),
    ("rooms", "sim/model/a.hpp", HEAD + '#include "../../app/options/a.hpp"\n', 3),
    ("rooms", "sim/model/a.hpp", HEAD + '#include "render/view.hpp"\n', 3),
    ("rooms", "sim/model/a.hpp", HEAD + "#include <GL/gl.h>\n", 3),
    ("rooms", "sim/laws/a.hpp", HEAD + '#include "sim/maps/fold.hpp"\n', 3),
    ("rooms", "sim/cpu/a.cpp", "// A.\n#include <glm/glm.hpp>\n", 2),
    ("rooms", "sim/cuda/kernels/a.cpp", '// A.\n#include "sim/cuda/engine/a.hpp"\n', 2),
    ("rooms", "sim/io/a.cpp", "// A.\n\n#  include <cuda_runtime.h>\n", 3),
    ("rooms", "sim/a/b.cpp", "// A folder that is no room.\n", 1),
    ("rooms", "render/a.cpp", '// A.\n#include "app/session/session.hpp"\n', 2),
    ("rooms", "render/a.cpp", "// A.\n#include <cuda_gl_interop.h>\n", 2),
    ("rooms", "app/bench/a.cpp", "// A.\n#include <GLFW/glfw3.h>\n", 2),
    ("rooms", "app/bench/a.cpp", "// A.\n#include <imgui.h>\n", 2),
    ("rooms", "app/bench/a.cpp", '// A.\n#include "glad/glad.h"\n', 2),
    ("rooms", "app/commands/a.cpp", '// A.\n#include "render/view.hpp"\n', 2),
    ("rooms", "app/commands/a.cpp", '// A.\n#include "app/gui/base/window.hpp"\n', 2),
    ("rooms", "app/bench/a.cpp", '// A.\n#include "sim/cuda/runtime/launches.hpp"\n', 2),
    ("rooms", "app/gui/base/a.cpp", "// A.\n#include <cuda.h>\n", 2),
    ("mirror", "tests/sim/core/a_test.cpp", "// Mirrors no room.\n", 1),
    ("maps_stand_alone", "sim/maps/rb.hpp", HEAD + '#include "sim/maps/figurate.hpp"\n', 3),
    ("maps_stand_alone", "sim/maps/rb.hpp", HEAD + '#include "../base/memory.hpp"\n', 3),
    ("maps_stand_alone", "sim/maps/rb.hpp", HEAD + "#include <fmt/core.h>\n", 3),
    ("compiler_words", "sim/maps/rb.hpp", HEAD + "#ifdef __CUDACC__\n#endif\n", 3),
    ("compiler_words", "tests/sim/cuda/a.cpp", "// A.\n#if defined(__CUDA_ARCH__)\n#endif\n", 2),
    ("compiler_words", "sim/cuda/kernels/a.cuh", HEAD + "inline void f() { k<<<1, 2>>>(); }\n", 3),
    ("compiler_words", "app/bench/a.cpp", "// A.\n#ifdef TRI_HAVE_CUDA\n#endif\n", 2),
    ("length", "sim/model/a.cpp", "// A.\n" * 701, 701),
    ("length", "sim/model/a.hpp", "#pragma once\n/// A.\n" + "// B.\n" * 449, 451),
    ("strings", "app/gui/panels/a.cpp", '// A.\nvoid a() { button("Paste"); }\n', 2),
    ("strings", "assets/strings/de.toml", '"Copy" = "Kopieren"\n', 1),
    ("strings", "assets/strings/fr.toml", '"Copy" = "Copier"\n"{} of {}" = "{} sur"\n', 1),
    ("strings", "assets/strings/fr.toml", '"Copy" = "Copier"\n"{} of {}" = "{} / {}"\n"Old" = "Vieux"\n', 1),
    ("words", "sim/model/a.cpp", "// A.\n// TO" "DO: the rest\n", 2),
    ("words", "app/bench/a.cpp", '// A.\nthrow Error("not ' 'implemented");\n', 2),
    ("words", "docs/b.md", "See /ho" "me/me/notes.\n", 1),
    ("names", "sim/model/a.hpp", HEAD + "constexpr int kMostBodies = 3;\n", 3),
    ("names", "sim/model/a.cpp", "// A.\nvoid take_rows(int n) {}\n", 2),
    ("names", "app/bench/a.cpp", "// A.\nstd::unique_ptr<KeptState> a;\n", 2),
    ("doc_paths", "docs/b.md", "# B\nSee `sim/model/none.hpp`.\n", 2),
    ("doc_paths", "README.md", "Run `tests/none.sh build/dev`.\n", 1),
    ("doc_paths", "docs/b.md", "`app/none_*.cpp` matches no file.\n", 1),
    ("doc_paths", "docs/b.md", "```\n# run sim/none.tab\n```\n", 2),
    ("doc_paths", "docs/b.md", "See [a](../a.md).\n", 1),
    ("doc_paths", "docs/b.md", "`bodies.hpp` is there, `none.hpp` is not.\n", 1),
    ("doc_paths", "sim/model/a.cpp", "// A.\n// docs/a.md and docs/NAME.md, but see docs/none.md.\n", 2),
    ("doc_paths", "app/help.toml", 'text = "docs/none/a.md"\n', 1),
    ("head", "sim/model/a.cpp", "int f() { return 1; }\n", 1),
    ("head", "sim/model/a.hpp", "/// What it is for.\nint f();\n", 1),
]


def breaches(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        tree = house_rules.Tree(folder)
        return {(rule, name, line) for rule, f in house_rules.RULES.items() for name, line, _ in f(tree)}


class HouseRules(unittest.TestCase):
    def test_a_good_tree_passes(self):
        self.assertEqual(breaches(GOOD), set())

    def test_every_bad_sample_is_caught(self):
        for rule, name, text, line in BAD:
            with self.subTest(rule=rule, file=name, text=text[-60:]):
                self.assertEqual(breaches({**GOOD, name: text}), {(rule, name, line)})

    def test_every_rule_has_a_bad_sample(self):
        shown_elsewhere = {"cycles", "size"}  # take many files
        self.assertEqual({rule for rule, *_ in BAD} | shown_elsewhere, set(house_rules.RULES))

    def test_a_cycle_is_caught(self):
        # This breaks the table as well; with a cycle in the table itself, only this rule would catch it.
        both = {"sim/io/a.hpp": HEAD + '#include "sim/scene/b.hpp"\n', "sim/scene/b.hpp": HEAD + '#include "sim/io/a.hpp"\n'}
        found = breaches({**GOOD, **both})
        self.assertEqual({rule for rule, *_ in found}, {"rooms", "cycles"})

    def test_a_longer_cycle_is_caught(self):
        edges = {"a": ["b"], "b": ["c"], "c": ["d", "b"], "d": []}
        self.assertEqual(list(house_rules.cycles(edges)), [["b", "c", "b"]])
        self.assertEqual(list(house_rules.cycles({"a": ["b"], "b": ["c"], "c": []})), [])

    def test_a_tree_over_its_budget_is_caught(self):
        _, most_files, most_lines = house_rules.BUDGETS["sources"]
        for files, lines in ((most_files + 1, 1), (300, most_lines // 300 + 1)):
            crowd = {f"sim/base/s{k}/f.py": "# A.\n" * lines for k in range(files)}
            found = {breach for breach in breaches({**GOOD, **crowd}) if breach[0] == "size"}
            self.assertEqual(found, {("size", "sim", 1)})

    def test_a_crowded_room_is_caught(self):
        crowd = {f"sim/io/f{k}.cpp": "// A.\n" for k in range(house_rules.rooms.MAX_FILES + 1)}
        self.assertEqual({rule for rule, *_ in breaches({**GOOD, **crowd})}, {"mirror"})

    def test_a_door_that_nothing_uses_is_caught(self):
        found = breaches({**GOOD, "tests/rules/rooms.py": "# The rooms.\n"})  # as in the tree itself
        self.assertEqual(found, {("rooms", "tests/rules/rooms.py", 1)})

    def test_a_room_that_the_docs_leave_out_is_caught(self):
        rows = [f"| `{room}` | what it holds |" for room in house_rules.rooms.ROOMS]
        good = {**GOOD, **{f"{room}/.empty": "" for room in house_rules.rooms.ROOMS}}
        self.assertEqual(breaches({**good, "docs/architecture.md": "\n".join(rows) + "\n"}), set())
        found = breaches({**good, "docs/architecture.md": "\n".join(rows[1:]) + "\n"})
        self.assertEqual(found, {("mirror", "docs/architecture.md", 1)})

    def test_comments_and_strings_are_not_code(self):
        text = '// A.\n/* __CUDACC__\n k<<<1>>> */\nauto s = "<<< \\" __CUDACC__"; // <<<\n'
        self.assertEqual(breaches({**GOOD, "app/bench/b.cpp": text}), set())


if __name__ == "__main__":
    unittest.main()
