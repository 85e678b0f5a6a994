// The window in other languages: the tables, the ids of items, and that every text that is drawn is in them.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "app/gui/base/race.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/session/demo_table.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/scene/scene.hpp"
#include "tests/app/gui/base/gui_support.hpp"

namespace tri::app::gui {
namespace {

using test::only;

TEST(Language, IsThatOfTheSystem) {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) unsetenv(name);
  EXPECT_EQ(language_of_system(), Language::english);
  setenv("LANG", "de_AT.UTF-8", 1);
  EXPECT_EQ(language_of_system(), Language::german);
  setenv("LC_MESSAGES", "fr_FR.UTF-8", 1);
  EXPECT_EQ(language_of_system(), Language::english) << "the first that is set";
  setenv("LC_ALL", "zh_CN", 1);
  EXPECT_EQ(language_of_system(), Language::chinese);
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) unsetenv(name);
}

class Languages : public PanelFixture {
 protected:
  ~Languages() override { use_texts(texts_of(Language::english)); }

  /// A table in which every Latin letter of a text is a Cyrillic one.
  static Texts foreign() {
    Texts texts;
    for (const auto& [key, text] : texts_of(Language::german)) {
      std::string out;
      bool kept = false;
      for (std::size_t k = 0; k < key.size(); ++k) {
        const char c = key[k];
        kept = c == '{' || (kept && c != '}') || key.compare(k, 2, "##") == 0;
        const bool printf_letter = k > 0 && key[k - 1] == '%' && (c == 's' || c == 'u');
        if (kept || printf_letter || std::isalpha(static_cast<unsigned char>(c)) == 0) {
          out += c;
        } else {
          const unsigned letter = 0x430 + static_cast<unsigned>(std::tolower(c) - 'a');
          out += static_cast<char>(0xC0 | (letter >> 6)), out += static_cast<char>(0x80 | (letter & 0x3F));
        }
      }
      texts.emplace(key, out);
    }
    return texts;
  }

  /// What was drawn in Latin letters, line by line, from the corners of the glyphs.
  static std::vector<std::string> latin_lines() {
    using Corners = std::tuple<float, float, float, float>;
    std::map<Corners, std::pair<char, float>> letters;  // and the least gap between words
    const Face faces[] = {Face::body, Face::strong, Face::caption, Face::rail, Face::title, Face::figure};
    for (const Face which : faces) {  // those of formulas and of code have no words
      for (char c = 'A'; c <= 'z'; ++c) {
        const ImFontGlyph* g = std::isalpha(c) != 0 ? letter_of(face(which), static_cast<ImWchar>(c)) : nullptr;
        if (g != nullptr) letters[{g->U0, g->V0, g->U1, g->V1}] = {c, 0.15f * height_of(face(which))};
      }
    }
    std::vector<std::string> lines;
    const ImDrawData& drawn = *ImGui::GetDrawData();
    for (int n = 0; n < drawn.CmdListsCount; ++n) {
      const auto& v = drawn.CmdLists[n]->VtxBuffer;
      float right = -1e9f, top = 0;
      for (int i = 0; i + 3 < v.Size;) {
        const auto at = letters.find({v[i].uv.x, v[i].uv.y, v[i + 2].uv.x, v[i + 2].uv.y});
        if (at == letters.end()) {
          ++i;
          continue;
        }
        const float gap = v[i].pos.x - right;
        const bool same = std::abs(v[i].pos.y - top) < 14 && gap > -3 && gap < 40;
        if (!same) lines.emplace_back();
        if (same && gap > at->second.second) lines.back() += ' ';
        lines.back() += at->second.first;
        right = v[i + 2].pos.x, top = v[i].pos.y;
        i += 4;
      }
    }
    return lines;
  }

  void allow(std::string_view text) {
    std::string word;
    for (const char c : std::string(text) + " ") {
      if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
        word += c;
      } else if (!word.empty()) {
        names.insert(std::exchange(word, {}));
      }
    }
  }

  /// Names, which no language changes: of maps, scenes, laws, units, papers, files.
  void allow_names() {
    for (const Domain domain : {Domain::triangle, Domain::tetrahedron, Domain::gasket}) {
      for (const MapInfo& map : maps_of(domain)) allow(map.name), allow(map.formula), allow(map.source);
    }
    for (const SceneInfo& scene : list_scenes()) allow(scene.name), allow(scene.keys);
    for (const std::string_view name : demo_names()) allow(name);
    for (const LawInfo& law : all_laws()) {
      allow(law.name);
      for (const LawParameter& p : law.parameters) allow(p.key);
    }
    for (const BenchKernelInfo& kernel : bench_kernels()) allow(kernel.name);
    for (const Puzzle& puzzle : puzzles()) allow(puzzle.name), allow(puzzle.begin), allow(puzzle.solution);
    allow(
        "Lennard Jones Axilrod Teller Gaussian Coulomb Morse Yukawa Buckingham English Deutsch NVIDIA H Life Maze "
        "Seeds "
        "HighLife Replicator Day Night row col layer omega launch camera toml film selection csv");
    allow(std::filesystem::current_path().string());
    BenchPanel bench;
    for (const std::string& word : bench_argv(bench_config(bench.choice))) allow(word);
    // Titles of papers.
    allow(
        "GPU Maps for the Space of Computation in Triangular Domain Problems A Non linear Thread Map Domains arXiv "
        "Exploiting Structure of Symmetric or Matrices on a Matrix Inversion Graphics Processing Unit Fast Collision "
        "Culling Large Scale Environments Using Mapping Function Scalable and Energy Efficient m Simplex Bounds "
        "Multiprocessing Timing Anomalies Navarro Hitschfeld Bustos Ries De Marco Zivieri Guerrieri Avril Gouranton "
        "Arnaldi others LTM TRI Leary Jung");
  }

  /// Draws everything as the state asks for it, and adds the lines with a word that is none of the names.
  void look(const Layout& places, const SessionModel* second = nullptr) {
    for (int k = 0; k < 3; ++k) {
      ImGui::NewFrame();
      overlay(model, state, places.scene, places.free);
      touch_overlay(model, state, places.scene, places.free);
      if (second != nullptr) two_runs_marks(model, *second, state.second, 1, places.scene);
      all({model, second}, state, places, 0.02, 1, requests);
      ImGui::Render();
    }
    for (const std::string& line : latin_lines()) {
      std::string word;
      for (const char c : line + " ") {
        if (c != ' ') {
          word += c;
          continue;
        }
        if (word.size() > 1 && !names.contains(word)) found.insert(line + " (" + state.panels.open + ")");
        word.clear();
      }
    }
  }

  std::string all_found() const {
    std::string text;
    for (const std::string& line : found) text += line + "\n";
    return text;
  }

  std::set<std::string> names, found;
};

TEST_F(Languages, HaveOneTable) {
  const Texts &german = texts_of(Language::german), &chinese = texts_of(Language::chinese);
  EXPECT_TRUE(texts_of(Language::english).empty());
  EXPECT_GT(german.size(), 1000u);
  EXPECT_EQ(german.size(), chinese.size());
  for (const Texts* texts : {&german, &chinese}) {
    for (const auto& [key, text] : *texts) {
      EXPECT_TRUE(german.contains(key) && chinese.contains(key)) << key;
      const auto again = texts->find(text);
      EXPECT_TRUE(again == texts->end() || again->second == text) << text << " is a key, too: it would change again";
    }
  }
}

TEST_F(Languages, ATextIsTranslatedAndWhatHasNoEntryStays) {
  EXPECT_STREQ(tr("Copy"), "Copy");
  EXPECT_EQ(phrase("{} to {}", "none", 2), "none to 2");
  use_texts(texts_of(Language::german));
  EXPECT_STREQ(tr("Copy"), "Kopieren");
  EXPECT_EQ(tr(std::string("lambda")), "lambda");
  EXPECT_EQ(phrase("{} to {}", "none", 2), "keine bis 2") << "literals are texts, too";
  EXPECT_EQ(phrase("{} to {}", std::string("none"), 2), "none bis 2") << "and strings are names";
  EXPECT_EQ(counted(1378, "body", "bodies"), "1,378 K\u00f6rper");
  EXPECT_STREQ(label_text("Copy"), "Kopieren###Copy");
  EXPECT_STREQ(label_text("Pause###run"), "Pause###run");
  EXPECT_STREQ(label_text("lambda##selected"), "lambda##selected") << "without an entry";
  EXPECT_STREQ(label_text("follow##selected"), "folgen###follow##selected");
  use_texts(texts_of(Language::chinese));
  EXPECT_STREQ(label_text("Copy"), "\u590d\u5236###Copy");
}

TEST_F(Languages, ASentenceOfTheSimulationSaysThatItIsEnglish) {
  const std::string english = "plummer: n is 1, but it must be from 2 to 16777216.";
  EXPECT_EQ(stated(english), english);
  use_texts(texts_of(Language::german));
  EXPECT_EQ(stated(english), "Die Simulation meldet auf Englisch: " + english);
  EXPECT_EQ(stated(""), "");
  EXPECT_EQ(stated("no body is selected."), tr("no body is selected."));
  const std::string made = phrase("there is no body {}: the last is {}.", 9, 8);
  EXPECT_EQ(stated(made), made) << "it is German already";
  EXPECT_EQ(stated(phrase("{} The cpu backend cannot go on either: {}", stated(english), english)).find("auf Englisch"),
            stated(english).find("auf Englisch"))
      << "once";
  const MapSketch sketch = sketch_map("name = 'a'\ndomain = 'none'\n", 4, SketchOf::domain);
  EXPECT_TRUE(sketch.error.starts_with("Die Simulation meldet auf Englisch: ")) << sketch.error;
  use_texts(texts_of(Language::chinese));
  EXPECT_TRUE(stated(english).starts_with("\u6a21\u62df\u7a0b\u5e8f")) << stated(english);
}

TEST_F(Languages, ItemsHaveTheirEnglishIds) {
  for (const Language language : {Language::german, Language::chinese}) {
    use_texts(texts_of(language));
    const auto panel = [this] { integrator(model, requests); };
    model.undoable = 1;
    press({"###reverse"}, panel);
    EXPECT_TRUE(only<ask::Reverse>(requests));
    press({"###Undo"}, panel);
    EXPECT_TRUE(only<ask::Undo>(requests));
    const auto draw = [this] {
      const Layout places = layout(1280, 720, 1, {true, !state.panels.open.empty()});
      rail(model, state, places);
    };
    state.panels.open.clear();
    frame(draw);
    activate(ImHashStr("Physics", 0, ImGui::FindWindowByName("rail")->ID));
    frame(draw);
    EXPECT_EQ(state.panels.open, "Physics");
  }
}

TEST_F(Languages, FindKnowsTheWordsOfBoth) {
  use_texts(texts_of(Language::german));
  const auto entries = palette_entries(model);
  const auto first = [&](const char* text) {
    const auto matches = palette_matches(entries, text);
    return matches.empty() ? std::string() : entries[matches.front()].english;
  };
  EXPECT_EQ(first("bildschirmfoto"), "screenshot");
  EXPECT_EQ(first("screenshot"), "screenshot");
  EXPECT_EQ(first("movie"), "start or stop recording");
  EXPECT_EQ(first("\u00f6ffnen gal"), first("open scene gal")) << "and of letters with dots in any case";
}

TEST_F(Languages, FindKnowsTheBoundingBoxAndTwoFutures) {
  const auto entries = palette_entries(model);
  const auto all = [&](const char* text) {
    std::string texts;
    for (const std::size_t k : palette_matches(entries, text)) texts += entries[k].english + "\n";
    return texts;
  };
  EXPECT_EQ(all("bounding box").find("why bb, the bounding box"), 0u) << all("bounding box");
  for (const char* word : {"compare", "future", "velocity"}) {
    EXPECT_NE(all(word).find("panel Time"), std::string::npos) << word << ": " << all(word);
  }
}

TEST_F(Languages, WithoutAFontTheWindowStaysEnglish) {
  const bool there = system_font_with({0x4e2d}).has_value();
  Language chosen = Language::chinese;
  const LanguageChange change = follow_language(chosen);
  EXPECT_EQ(chosen, there ? Language::chinese : Language::english);
  EXPECT_EQ(change.refusal.empty(), there) << change.refusal;
  EXPECT_EQ(translates(), there);
  chosen = Language::english;
  EXPECT_EQ(follow_language(chosen).refusal, "");
  EXPECT_FALSE(translates());
}

/// All panels, pages and cards, of these models.
TEST_F(Languages, NoTextIsDrawnThatHasNoEntry) {
  static const Texts texts = foreign();
  allow_names();
  allow(
      "bb ms kB MB GB TB a kpc km s Myr yr cpu processor threads plummer film mp4 webp csv state bench svg law txt map "
      "toml "
      "n x y z vx m r dt copy GPU CSV PNG UI utm ends here for reason cluster REC");
  const std::string folder = std::filesystem::current_path().string();  // which may be drawn cut
  for (std::size_t k = 1; k <= folder.size(); ++k) allow(folder.substr(0, k));
  use_texts(texts);
  ImGui::GetIO().DisplaySize = {2200, 4200};
  state.panels.pinned = true;
  const auto places = [&] {
    return layout(2200, 4200, 1,
                  {.panels = true, .left = !state.panels.open.empty(), .pinned = true, .lanes = state.lanes.shown});
  };
  state.frames.figures = render::BodyFigures{};
  state.frames.present = "copy (x)";
  for (int k = 0; k < 5; ++k) model.diagnostics.push_back({static_cast<u64>(k), 0.1 * k, {}, 1e-7 * k});
  model.history = {phrase("{} to {}", 1, 2)}, model.undoable = 1;
  model.timeline.kept = true, model.timeline.last = 9, model.timeline.keyframes = {{0, 0}, {4, 0.4}};
  model.timeline.branch = 4;
  state.view.selected = 1;
  model.inspected.emplace(), model.inspected->body = 1, model.inspected->charge = 1;
  state.touch.selection.bodies = {1, 2}, state.touch.tool = Tool::add;
  state.files.columns = {"a.csv", {"p", "q"}, {0, 0}};
  state.picture.busy = true, state.picture.share = 0.5;
  for (const PanelRow& row : panel_rows()) {
    state.panels.open = row.name;
    look(places());
  }
  state.files.columns = {}, state.panels.open.clear();
  state.panels.help = true, look(places()), state.panels.help = false;
  for (const char* text : {"", "xyzzy"}) state.palette.show(), state.palette.text = text, look(places());
  state.palette.shown = false;
  for (std::size_t stop = 0; stop < TourState::kStops; ++stop) start_tour(state, stop), look(places());
  leave_tour(state);
  state.lanes.shown = true, look(places()), state.lanes.shown = false;
  for (const bool why : {false, true}) {
    for (u32 map = 0; map < model.pair_maps.size(); ++map) {
      state.page.shown = true, state.page.why = why, state.page.map = map, look(places());
    }
  }
  state.page.shown = false;
  for (std::size_t k = 0; k < kPuzzleCount; ++k) state.puzzle.shown = true, state.puzzle.level = k, look(places());
  state.puzzle.shown = false;
  state.race.shown = true, look(places()), state.race.shown = false;
  for (const auto kind : {FileBrowser::Kind::bodies, FileBrowser::Kind::law}) {
    for (const auto purpose : {FileBrowser::Purpose::open, FileBrowser::Purpose::save}) {
      state.files.browser.show(purpose, "/proc/self/attr", kind);
      allow(state.files.browser.folder());
      look(places());
    }
  }
  state.files.browser.hide();
  state.overlay.toast.text = "no body is selected.", state.overlay.caption = demo_rows().front().stops.front().caption;
  look(places());
  state.overlay = {}, model.spec = kFirstScene;
  for (const auto part : {FirstMinute::Part::line, FirstMinute::Part::offer})
    state.first = {part, false, 0}, look(places());
  state.first = {}, state.panels.open = "Time", state.film.now = FilmProgress{3, 9, 2, "film.mp4", 1000, true},
  look(places());
  state.panels.open.clear(), state.panels.presents = true, look(places()), state.panels.presents = false;
  state.touch.tool = Tool::measure, state.second.shown = true, look(places(), &model);
  model = test::triples_model(), state.second.shown = false, look(places());
  model.pair_maps.clear(), model.triple_maps.clear(), look(places());
  EXPECT_TRUE(found.empty()) << all_found();
}

}  // namespace
}  // namespace tri::app::gui
