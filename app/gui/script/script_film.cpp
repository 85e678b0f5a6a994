// Commands for the camera's path, films and pictures.

#include <string_view>
#include <tuple>

#include "app/gui/camera/path_file.hpp"
#include "app/gui/film/time_lanes.hpp"
#include "app/gui/script/script_rows.hpp"

namespace tri::app::gui {
namespace {

/// Number of a bookmark, from 1 on.
std::size_t mark_of(const std::string& word) {
  return static_cast<std::size_t>(whole_number("it", word, 1, CameraPath::kMost)) - 1;
}

std::size_t existing(const SceneView& view, std::size_t mark) {
  const std::size_t count = view.path.marks().size();
  if (mark >= count) throw ConfigError(fmt::format("the path has {} bookmarks", count));
  return mark;
}

ScriptAct read_path(const ScriptWords& w) {
  if (w.empty()) throw ConfigError("it takes add, move, delete, clear, play, save or open");
  const auto what = choice("it", w[0], {"add", "move", "delete", "clear", "play", "save", "open"});
  const ScriptWords rest(w.begin() + 1, w.end());
  switch (what) {
    case 0: {
      std::optional<double> time;
      if (!rest.empty()) time = finite_number("it", one(rest, "a time, or nothing"));
      return [time](ScriptHost& h) {
        SceneView& view = h.state.view;
        if (view.path.marks().size() == CameraPath::kMost) throw ConfigError("the path is full");
        view.mark = view.path.add(time.value_or(h.model.time), view.camera.pose);
      };
    }
    case 1: {
      if (rest.size() != 2) throw ConfigError("it takes the number of a bookmark and a time");
      return [mark = mark_of(rest[0]), time = finite_number("it", rest[1])](ScriptHost& h) {
        h.state.view.mark = h.state.view.path.move(existing(h.state.view, mark), time);
      };
    }
    case 2:
      return [mark = mark_of(one(rest, "the number of a bookmark"))](ScriptHost& h) {
        h.state.view.path.remove(existing(h.state.view, mark));
      };
    case 3:
      return none(rest), [](ScriptHost& h) { h.state.view.path.clear(); };
    case 4:
      return none(rest), [](ScriptHost& h) {
        if (h.state.view.path.empty()) throw ConfigError("the path has no bookmark");
        film::play_path(h.model, h.state.view, h.requests);
      };
    case 5:
      return [file = one(rest, "a file")](ScriptHost& h) { write_camera_path(file, h.state.view.path); };
    default:
      return [file = one(rest, "a file")](ScriptHost& h) { h.state.view.path = read_camera_path(file); };
  }
}

ScriptAct read_film(const ScriptWords& w) {
  if (w.empty() || w.size() > 5) {
    throw ConfigError("it takes stop, or a file, and if wanted a size or window, frames a second, speed and seconds");
  }
  if (w == ScriptWords{"stop"}) return [](ScriptHost& h) { h.state.film.stop = true; };
  FilmChoice choice;
  choice.path = w[0];
  if (w.size() > 1) {
    constexpr std::string_view kWindow = "window";
    choice.panels = w[1].starts_with(kWindow);
    if (w[1] == kWindow) {
      choice.width = choice.height = 0;
    } else {
      const std::string size = choice.panels && w[1][kWindow.size()] == ':' ? w[1].substr(kWindow.size() + 1) : w[1];
      std::tie(choice.width, choice.height) = picture_size("it", size, FilmChoice::kMinSide);
    }
  }
  if (w.size() > 2) choice.fps = static_cast<u32>(whole_number("it", w[2], 1, FilmChoice::kMaxFps));
  if (w.size() > 3) choice.speed = non_negative_number("it", w[3]);
  if (w.size() > 4) choice.seconds = positive_number("it", w[4]);
  return [choice](ScriptHost& h) { h.state.film.choice = choice, h.state.film.start = true; };
}

ScriptAct read_screenshot(const ScriptWords& w) {
  if (w.size() != 2 || w[1] != "--transparent") {
    return [path = one(w, "a file, and if wanted --transparent")](ScriptHost& h) {
      h.state.pending.screenshot_path = path;
    };
  }
  return [path = w[0]](ScriptHost& h) { h.state.pending.transparent_path = path; };
}

ScriptAct read_second(const ScriptWords& w) {
  const auto what = choice("it", one(w, "on, off, A or B"), {"off", "on", "A", "B"});
  return [what](ScriptHost& h) {
    SecondChoice& second = h.state.second;
    if (what < 2) second.on = what == 1;
    if (what >= 2 && !second.shown) throw ConfigError("there is no second run");
    second.controls_b = what == 3;
  };
}

ScriptAct expect_path(const ScriptWords& w) {
  return [count = whole_number("it", one(w, "a number of bookmarks"), 0, CameraPath::kMost)](ScriptHost& h) {
    const std::size_t now = h.state.view.path.marks().size();
    if (now != count) throw ConfigError(fmt::format("the path has {} bookmarks", now));
  };
}

constexpr ScriptRow kFilmRows[] = {
    {"screenshot", "screenshot FILE.png [--transparent]", read_screenshot},
    {"path", "path add [TIME]|move NUMBER TIME|delete NUMBER|clear|play|save FILE|open FILE", read_path},
    {"film", "film FILE [WxH|window|window:WxH [FPS [SPEED [SECONDS]]]]|stop", read_film},
    {"second", "second on|off|A|B", read_second},
    {"expect-path", "expect-path COUNT", expect_path},
};

}  // namespace

std::span<const ScriptRow> film_rows() { return kFilmRows; }

}  // namespace tri::app::gui
