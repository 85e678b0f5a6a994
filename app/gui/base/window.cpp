#include "app/gui/base/window.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include "app/gui/base/glfw_library.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/base/settings.hpp"

namespace tri::app::gui {
namespace {

std::string last_error;

void on_error(int, const char* text) { last_error = text; }

bool opens_display() {
  last_error.clear();
  glfwSetErrorCallback(on_error);
  if (glfwInit() == GLFW_TRUE) return true;
  // GLFW 3.4 tries more than X11, and names no display.
  const char* const display = std::getenv("DISPLAY");
  if (last_error.empty()) last_error = "no display can be opened";
  if (display != nullptr && last_error.find(display) == std::string::npos) {
    last_error += fmt::format(" with DISPLAY={}", display);
  }
  return false;
}

constexpr const char* kNoDriver =
    "Use a driver with OpenGL 4.5, or software OpenGL (LIBGL_ALWAYS_SOFTWARE=1 with Mesa).";
constexpr const char* kNoDisplay =
    "Set DISPLAY to a display that answers (ssh -X, xvfb-run), or use triangulum run to simulate and triangulum bench "
    "to compare.";

[[noreturn]] void fail(const char* what, const char* cure) {
  throw gl::GlError(fmt::format("view: {}{}{}. {}", what, last_error.empty() ? "" : ": ", last_error, cure));
}

}  // namespace

int meaning_of(int place, const char* written) {
  const bool prints = place > GLFW_KEY_SPACE && place <= GLFW_KEY_WORLD_2;
  const bool digit = place >= GLFW_KEY_0 && place <= GLFW_KEY_9;
  if (!prints || digit || written == nullptr || written[0] == 0 || written[1] != 0) return place;
  const auto letter = static_cast<unsigned char>(written[0]);
  if (letter <= ' ' || letter > '~') return place;
  return letter == '+' ? GLFW_KEY_EQUAL : std::toupper(letter);  // GLFW's numbers of them
}

struct Window::Parts {
  GLFWwindow* window = nullptr;
  GLFWwindow* drawing = nullptr;  ///< invisible; its context draws
  Events events;
  std::vector<KeyDown> pressed;              ///< since new_presses()
  std::vector<int> touched, tapped;          ///< places, since the last poll, and between the two before
  std::array<float, 2> pointer{};            ///< after the events so far, unlike glfwGetCursorPos()
  std::optional<std::array<float, 2>> rest;  ///< where the pointer was first seen
  bool pointed = false;                      ///< it has moved since, or a button went down
  std::deque<ButtonChange> clicks;           ///< since new_click()
  LeftButton left;
  std::optional<gl::Messages> messages;
  std::array<int, 4> before{};               ///< place and size before it filled the screen
  std::optional<std::pair<u32, u32>> drawn;  ///< size, if not the framebuffer's

  static Parts& of(GLFWwindow* w) { return *static_cast<Parts*>(glfwGetWindowUserPointer(w)); }
  static void collect_events(GLFWwindow* window);

  std::array<u32, 2> framebuffer() const {
    int w = 0, h = 0;
    glfwGetFramebufferSize(window, &w, &h);
    return {static_cast<u32>(std::max(w, 0)), static_cast<u32>(std::max(h, 0))};
  }
  std::array<u32, 2> picture() const { return drawn ? std::array{drawn->first, drawn->second} : framebuffer(); }
  Rect place() const {
    const auto [w, h] = picture();
    const auto [room_w, room_h] = framebuffer();
    const auto of = [](u32 pixels) { return static_cast<float>(pixels); };
    if (w == 0 || h == 0) return {};
    return fitted(of(w), of(h), of(room_w), of(room_h));
  }
  /// at: in the framebuffer.
  std::array<float, 2> in_picture(std::array<float, 2> at) const {
    const Rect p = place();
    if (!drawn || p.w <= 0) return at;
    const float scale = static_cast<float>(picture()[0]) / p.w;
    return {(at[0] - p.x) * scale, (at[1] - p.y) * scale};
  }
};

/// Sets the callbacks that fill the parts. ImGui chains to its own.
void Window::Parts::collect_events(GLFWwindow* window) {
  glfwSetKeyCallback(window, [](GLFWwindow* w, int place, int scancode, int action, int mods) {
    Parts& parts = Parts::of(w);
    parts.events.any = true;
    if (action == GLFW_RELEASE) return;
    const int meaning = meaning_of(place, glfwGetKeyName(place, scancode));
    // The modifiers that it was pressed with: they may have gone up since, and down in an earlier frame.
    const bool modifies = place >= GLFW_KEY_LEFT_SHIFT && place <= GLFW_KEY_RIGHT_SUPER;
    if (action == GLFW_PRESS && place >= 0 && !modifies)
      parts.pressed.push_back({place, meaning, mods, typed_so_far()});
    parts.touched.push_back(place);
    parts.events.keys.push_back({meaning, (mods & GLFW_MOD_CONTROL) != 0, (mods & GLFW_MOD_SHIFT) != 0, place});
  });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double, double y) {
    Parts::of(w).events.scroll += static_cast<float>(y), Parts::of(w).events.any = true;
  });
  glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
    for (int i = 0; i < count; ++i) Parts::of(w).events.dropped.emplace_back(paths[i]);
    Parts::of(w).events.any = true;
  });
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
    Parts& parts = Parts::of(w);
    parts.pointer = parts.in_picture({static_cast<float>(x), static_cast<float>(y)});
    if (!parts.rest) parts.rest = parts.pointer;
    parts.pointed = parts.pointed || parts.pointer != *parts.rest;
    parts.events.any = true;
  });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { Parts::of(w).events.any = true; });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int mods) {
    Parts& parts = Parts::of(w);
    parts.pointed = true;
    if (button == GLFW_MOUSE_BUTTON_LEFT) {
      (action == GLFW_PRESS ? parts.left.pressed : parts.left.released) = parts.pointer;
      if (action == GLFW_PRESS) parts.left.shift = (mods & GLFW_MOD_SHIFT) != 0;
    }
    if (button <= GLFW_MOUSE_BUTTON_MIDDLE) parts.clicks.push_back({parts.pointer, button, action == GLFW_PRESS});
    parts.events.any = true;
  });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { Parts::of(w).events.any = true; });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { Parts::of(w).events.any = true; });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { Parts::of(w).events.any = true; });
}

Availability try_display() {
  if (Availability found = glfw_found(); !found) return found;
  if (!opens_display()) return {false, last_error};
  glfwTerminate();
  return {true, ""};
}

std::pair<u32, u32> grown(std::pair<u32, u32> size, double scale, std::pair<int, int> room) {
  const auto side = [scale](u32 pixels, int most) {
    const double wanted = std::round(pixels * std::max(1.0, scale));
    return static_cast<u32>(most > 0 ? std::clamp(wanted, 1.0, std::max<double>(most, pixels)) : wanted);
  };
  return {side(size.first, room.first), side(size.second, room.second)};
}

namespace {

/// What the display asks for, and the room that it has for windows.
std::pair<double, std::pair<int, int>> display_of() {
  GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
  if (monitor == nullptr) return {1, {0, 0}};
  float scale = 1;
  int x = 0, y = 0, width = 0, height = 0;
  glfwGetMonitorContentScale(monitor, &scale, nullptr);
  glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
  return {std::clamp(scale, 0.5f, 4.0f), {width, height}};
}

}  // namespace

Window::Window(u32 width, u32 height, bool grows, std::optional<double> scale) : parts_(std::make_unique<Parts>()) {
  if (const Availability found = glfw_found(); !found) throw gl::GlError("view: " + found.reason + ".");
  gl::require_driver_memory();
  if (!opens_display()) fail("no window can be opened", kNoDisplay);
  if (grows) {
    const auto [asked, room] = display_of();
    std::tie(width, height) = grown({width, height}, scale.value_or(asked), room);
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_FALSE);
  parts_->window = glfwCreateWindow(static_cast<int>(width), static_cast<int>(height), "Triangulum", nullptr, nullptr);
  if (parts_->window == nullptr) {
    glfwTerminate();
    fail("no window with OpenGL 4.5 can be opened", kNoDriver);
  }
  glfwSetWindowUserPointer(parts_->window, parts_.get());
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  parts_->drawing = glfwCreateWindow(1, 1, "Triangulum", nullptr, parts_->window);
  if (parts_->drawing == nullptr) {
    glfwTerminate();
    fail("no second OpenGL context can be created beside the window's", kNoDriver);
  }
  glfwMakeContextCurrent(parts_->drawing);
  try {
    gl::load_functions(glfwGetProcAddress);
  } catch (...) {
    glfwTerminate();
    throw;
  }
  parts_->messages.emplace();
  Parts::collect_events(parts_->window);
}

Window::~Window() {
  parts_->messages.reset();
  glfwDestroyWindow(parts_->drawing);
  glfwDestroyWindow(parts_->window);
  glfwTerminate();
}

bool Window::should_close() const { return glfwWindowShouldClose(parts_->window) != 0; }

Events Window::poll(double seconds) {
  if (seconds > 0) {
    glfwWaitEventsTimeout(seconds);
  } else {
    glfwPollEvents();
  }
  parts_->tapped = std::exchange(parts_->touched, {});
  return std::exchange(parts_->events, {});
}

void Window::make_current(bool vsync) {
  glfwMakeContextCurrent(parts_->window);
  if (glfwGetCurrentContext() != parts_->window) {
    throw gl::GlError(
        "the window cannot be shown, because its context cannot be used by another thread. Use a newer driver.");
  }
  glfwSwapInterval(vsync ? 1 : 0);
}
void Window::leave_context() { glfwMakeContextCurrent(nullptr); }
void Window::swap() { glfwSwapBuffers(parts_->window); }
void Window::resize(u32 width, u32 height) {
  glfwSetWindowSize(parts_->window, static_cast<int>(width), static_cast<int>(height));
}
void Window::fill_screen(bool on) {
  if (on == (glfwGetWindowMonitor(parts_->window) != nullptr)) return;
  int* const b = parts_->before.data();
  if (!on) return glfwSetWindowMonitor(parts_->window, nullptr, b[0], b[1], b[2], b[3], GLFW_DONT_CARE);
  glfwGetWindowPos(parts_->window, &b[0], &b[1]);
  glfwGetWindowSize(parts_->window, &b[2], &b[3]);
  int count = 0;
  GLFWmonitor** const monitors = glfwGetMonitors(&count);
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  for (int k = 0; k < count; ++k) {  // the one that the window's middle is on
    int x = 0, y = 0;
    glfwGetMonitorPos(monitors[k], &x, &y);
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[k]);
    const int middle_x = b[0] + b[2] / 2 - x, middle_y = b[1] + b[3] / 2 - y;
    const bool inside = mode != nullptr && middle_x >= 0 && middle_y >= 0 && middle_x < mode->width;
    if (inside && middle_y < mode->height) best = monitors[k];
  }
  const GLFWvidmode* mode = best == nullptr ? nullptr : glfwGetVideoMode(best);
  if (mode == nullptr) return;
  glfwSetWindowMonitor(parts_->window, best, 0, 0, mode->width, mode->height, mode->refreshRate);
}
void Window::set_title(const std::string& title) { glfwSetWindowTitle(parts_->window, title.c_str()); }
void Window::draw_at(std::optional<std::pair<u32, u32>> size) { parts_->drawn = size; }
u32 Window::width() const { return parts_->picture()[0]; }
u32 Window::height() const { return parts_->picture()[1]; }
bool Window::is_scaled() const { return parts_->drawn.has_value(); }
Rect Window::place() const { return parts_->place(); }
std::array<float, 2> Window::in_picture(std::array<float, 2> at) const { return parts_->in_picture(at); }

std::pair<u32, u32> Window::size() const {
  int w = 0, h = 0;
  glfwGetWindowSize(parts_->window, &w, &h);
  return {static_cast<u32>(std::max(w, 0)), static_cast<u32>(std::max(h, 0))};
}

float Window::content_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(parts_->window, &x, &y);
  return std::clamp(x, 0.5f, 4.0f);
}

bool Window::has_pointed() const { return parts_->pointed; }
std::array<float, 2> Window::pointer() const { return parts_->pointer; }
const LeftButton& Window::left_button() const { return parts_->left; }
bool Window::is_down(int place) const {
  const std::vector<int>& tapped = parts_->tapped;
  return glfwGetKey(parts_->window, place) == GLFW_PRESS ||
         std::find(tapped.begin(), tapped.end(), place) != tapped.end();
}
bool Window::is_minimised() const { return glfwGetWindowAttrib(parts_->window, GLFW_ICONIFIED) == GLFW_TRUE; }
std::optional<ButtonChange> Window::new_click() {
  if (parts_->clicks.empty()) return std::nullopt;
  const ButtonChange oldest = parts_->clicks.front();
  parts_->clicks.pop_front();
  return oldest;
}
bool Window::has_clicks() const { return !parts_->clicks.empty(); }
std::vector<KeyDown> Window::new_presses() { return std::exchange(parts_->pressed, {}); }
gl::Messages& Window::messages() { return *parts_->messages; }
const gl::Messages& Window::messages() const { return *parts_->messages; }
void* Window::handle() const { return parts_->window; }

ImguiBinding::ImguiBinding(Window& window) : window_(window) {
  // Chains to the callbacks that the window has set.
  ImGui_ImplGlfw_InitForOpenGL(static_cast<GLFWwindow*>(window.handle()), true);
  ImGui_ImplOpenGL3_Init("#version 450 core");
}
ImguiBinding::~ImguiBinding() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
}
void ImguiBinding::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  const auto place = [](const std::array<float, 2>& at) { return ImVec2(at[0], at[1]); };
  // A pointer that rested where the window appeared would open a tooltip in a picture.
  ImguiInput::Pointer pointer{{}, window_.has_pointed(), place(window_.pointer()), {}, 0, false};
  if (window_.is_scaled()) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(window_.width()), static_cast<float>(window_.height())};
    io.DisplayFramebufferScale = {1, 1};
    pointer.in_picture = [this, place](ImVec2 at) { return place(window_.in_picture({at.x, at.y})); };
  }
  // Buttons go down and up where that was done, wherever the pointer has gone since.
  if (const auto change = window_.new_click()) {
    pointer.click = place(change->at), pointer.button = change->button, pointer.down = change->down;
  }
  input_.new_frame(pointer, window_.new_presses(), [this](int key) { return window_.is_down(key); });
}
void ImguiBinding::upload_font() { upload_faces(); }
void ImguiBinding::draw_part(bool marks) {
  ImDrawData part = *ImGui::GetDrawData();
  std::vector<ImDrawList*> lists;
  for (int k = 0; k < part.CmdListsCount; ++k) {
    const char* const owner = part.CmdLists[k]->_OwnerName;
    if ((owner != nullptr && std::string_view(owner) == kMarkWindow) == marks) lists.push_back(part.CmdLists[k]);
  }
  if (lists.empty()) return;
  set_lists(part, lists);
  ImGui_ImplOpenGL3_RenderDrawData(&part);
}

namespace {

/// Another context of ImGui, and its faces, while it lives.
class InContext {
 public:
  InContext(ImGuiContext* context, LoadedFaces& faces)
      : before_(ImGui::GetCurrentContext()), faces_(faces), faces_before_(exchange_faces(faces)) {
    ImGui::SetCurrentContext(context);
  }
  ~InContext() {
    faces_ = exchange_faces(faces_before_);
    ImGui::SetCurrentContext(before_);
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  ImGuiContext* before_;
  LoadedFaces &faces_, faces_before_;
};

}  // namespace

Lettering::Lettering(u32 width, u32 height, float scale)
    : width_(width),
      height_(height),
      colour_(gl::make_picture(GL_RGBA8, static_cast<int>(width), static_cast<int>(height))),
      framebuffer_(gl::framebuffer_of(colour_)),
      context_(nullptr),
      faces_{} {
  ImGuiContext* const before = ImGui::GetCurrentContext();
  context_ = ImGui::CreateContext();  // and the one in use, where there was none
  ImGui::SetCurrentContext(before);
  const InContext in(context_, faces_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = io.LogFilename = nullptr;
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  load_text_face(scale);
  if (ImGui_ImplOpenGL3_Init("#version 450 core")) return;
  ImGui::DestroyContext(context_);
  throw gl::GlError("letters in a picture need libGL.so.1. Install libgl1.");
}

Lettering::~Lettering() {
  const InContext in(context_, faces_);
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext(context_);
}

void Lettering::draw(const std::function<void(ImDrawList&)>& draw) {
  const InContext in(context_, faces_);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  draw(*ImGui::GetBackgroundDrawList());
  ImGui::Render();
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

std::vector<u8> Lettering::rows(u32 low, u32 count) const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
  std::vector<u8> bottom_up(std::size_t{width_} * count * 4), letters;
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, static_cast<GLint>(low), static_cast<GLsizei>(width_), static_cast<GLsizei>(count), GL_RGBA,
               GL_UNSIGNED_BYTE, bottom_up.data());
  letters.reserve(bottom_up.size());
  const std::size_t row = std::size_t{width_} * 4;
  for (std::size_t y = count; y-- > 0;) {
    const auto from = bottom_up.begin() + static_cast<std::ptrdiff_t>(y * row);
    letters.insert(letters.end(), from, from + static_cast<std::ptrdiff_t>(row));
  }
  return letters;
}

namespace {

template <class Enum>
void next(Enum& value, u32 count) {
  value = static_cast<Enum>((static_cast<u32>(value) + 1) % count);
}

void next_map(const ActionContext& c, bool backwards) {
  const auto& rows = shown_maps(c.changed());
  if (rows.empty()) return;
  std::size_t now = map_in_use(c.changed());
  for (const Request& request : c.requests) {  // that are on their way
    if (const auto* pairs = std::get_if<ask::PairMap>(&request); pairs && c.changed().triple_maps.empty())
      now = static_cast<std::size_t>(pairs->map);
    if (const auto* triples = std::get_if<ask::TripleMap>(&request)) now = static_cast<std::size_t>(triples->map);
  }
  const std::size_t to = next_fitting(rows, now, backwards ? rows.size() - 1 : 1);
  if (to != now) c.requests.push_back(map_request(c.changed(), to));
}

void next_quantity(const ActionContext& c) {
  do {
    next(c.state.view.style.quantity, render::kQuantityCount);
  } while (!can_colour(c.state.view.style.quantity, c.model).ok);
}

void resize(const ActionContext& c, float factor) {
  constexpr float kMin = 0.01f, kMax = 100;
  c.state.view.style.size = std::clamp(c.state.view.style.size * factor, kMin, kMax);
}

/// The page of the map in use.
void turn_page(const ActionContext& c) {
  PageChoice& page = c.state.page;
  page.shown = (!page.shown || page.why) && !shown_maps(c.changed()).empty();
  page.why = false;
  page.domain = c.changed().triple_maps.empty() ? Domain::triangle : Domain::tetrahedron;
  page.map = static_cast<u32>(map_in_use(c.changed()));
}

void turn_puzzle(const ActionContext& c) {
  c.state.puzzle.shown = !(c.state.puzzle.shown && !c.state.page.shown && !c.state.race.shown);
  c.state.page.shown = c.state.race.shown = false;
}

/// The page of the map in use, or of that with which bb is best compared.
void ask_why(const ActionContext& c) {
  const bool closes = c.state.page.shown && c.state.page.why;
  closes ? void(c.state.page.shown = false) : open_why(c.changed(), c.state.page);
  if (c.state.panels.calm) c.state.page.sweeps = false, c.state.page.launched = 1;
}

/// A tool in use goes before what is open, as its text over the scene says; then what it left, and the selection.
void leave(const ActionContext& c) {
  PanelState& panels = c.state.panels;
  const TouchState& touch = c.state.touch;
  const bool is_used = touch.tool != Tool::look || touch.stroke || touch.box;
  if (std::exchange(panels.help, false) || std::exchange(panels.presents, false) || stop_drawing(c.state)) return;
  if (c.state.tour.shown && !c.state.paged()) {
    leave_tour(c.state);
  } else if (c.state.first.part == FirstMinute::Part::offer && !c.state.paged()) {
    c.state.first = {};
  } else if (is_used && !c.state.paged()) {
    leave_touch(c.state.touch);
  } else if (!panels.open.empty() && !panels.pinned) {
    panels.open.clear();
  } else if (c.state.race.shown) {
    c.state.race.shown = false;
  } else if (c.state.page.shown) {
    c.state.page.shown = false;
  } else if (c.state.puzzle.shown) {
    c.state.puzzle.shown = false;
  } else if (!leave_touch(c.state.touch)) {
    c.state.view.select(std::nullopt);
  }
}

/// The tool, or none where it is in use.
void choose_tool(const ActionContext& c, Tool tool) {
  TouchState& touch = c.state.touch;
  touch.tool = touch.tool == tool ? Tool::look : tool;
  touch.stroke.reset(), touch.draft.reset(), touch.picked.clear();
}

using C = const ActionContext&;
constexpr float kSizeStep = 1.25f;

/// Keys without an action here (act null) are handled below, for the palette offers what they do one by one.
constexpr Action kActions[] = {
    {"Space",
     "run or pause",
     {GLFW_KEY_SPACE},
     [](C c) { c.requests.push_back(ask::Run{!will_run(c.model, c.requests)}); }},
    {"N", "one step", {GLFW_KEY_N}, [](C c) { c.requests.push_back(ask::Take{1}); }},
    {"Backspace, Shift+N", "one step back", {GLFW_KEY_BACKSPACE}, [](C c) { c.requests.push_back(ask::StepBack{}); }},
    {"B", "reverse time", {GLFW_KEY_B}, [](C c) { c.requests.push_back(ask::Reverse{}); }},
    {"R", "back to the start", {GLFW_KEY_R}, [](C c) { c.requests.push_back(ask::Reset{}); }},
    {"1 to 9", "map by its number", {}, nullptr},
    {"Page Down", "next map that fits", {GLFW_KEY_PAGE_DOWN}, [](C c) { next_map(c, false); }},
    {"Page Up", "previous map that fits", {GLFW_KEY_PAGE_UP}, [](C c) { next_map(c, true); }},
    {"Tab",
     "keyboard to the next part of the window (arrows, Enter)",
     {GLFW_KEY_TAB},
     [](C c) { ++c.state.panels.focus_turn; }},
    {"Shift+Tab", "keyboard to the part before", {GLFW_KEY_TAB, false, true}, [](C c) { --c.state.panels.focus_turn; }},
    {"M",
     "all maps take turns, or not",
     {GLFW_KEY_M},
     [](C c) {
       bool on = c.model.comparing;
       for (const Request& request : c.requests) {
         if (const auto* compare = std::get_if<ask::Compare>(&request)) on = compare->on;
       }
       c.requests.push_back(ask::Compare{!on});
     }},
    {"Y", "race: three workloads, every map", {GLFW_KEY_Y}, [](C c) { press_race(c.model, c.state.race); }},
    {"I", "page of the map in use, or back to the scene", {GLFW_KEY_I}, turn_page},
    {"Shift+I", "why bb, the bounding box, starts more blocks, and what they cost", {GLFW_KEY_I, false, true}, ask_why},
    {"P", "puzzle: send 136 blocks onto 136 tiles by a map of your own", {GLFW_KEY_P}, turn_puzzle},
    {"O",
     "bottom pane: where blocks go, distances, automata",
     {GLFW_KEY_O},
     [](C c) { c.state.panes.shown = !c.state.panes.shown; }},
    {"U", "where the time goes, in lanes", {GLFW_KEY_U}, [](C c) { c.state.lanes.shown = !c.state.lanes.shown; }},
    {"F", "fit all bodies", {GLFW_KEY_F}, [](C c) { c.state.pending.fit = true; }},
    {"Ctrl+1 to 5", "save this view", {}, nullptr},
    {"Shift+1 to 5", "restore a saved view", {}, nullptr},
    {"Z",
     "follow the selected body",
     {GLFW_KEY_Z},
     [](C c) { c.state.view.follow = c.state.view.selected && !c.state.view.follow; }},
    {"Esc", "close what is open, put the tool away, deselect, or stop a film or picture", {GLFW_KEY_ESCAPE}, leave},
    {"J", "add bodies by a drag, or throw them", {GLFW_KEY_J}, [](C c) { choose_tool(c, Tool::add); }},
    {"K", "measure distances and angles by clicks", {GLFW_KEY_K}, [](C c) { choose_tool(c, Tool::measure); }},
    {"Delete",
     "delete the selected bodies, or the picked one",
     {GLFW_KEY_DELETE},
     [](C c) { c.state.touch.deletes = true; }},
    {"Shift+drag", "select the bodies in a box", {}, nullptr},
    {"V", "next body shape", {GLFW_KEY_V}, [](C c) { next(c.state.view.style.shape, render::kBodyShapeCount); }},
    {"C", "next quantity to colour by", {GLFW_KEY_C}, next_quantity},
    {"L",
     "logarithmic colours",
     {GLFW_KEY_L},
     [](C c) { c.state.view.style.logarithmic = !c.state.view.style.logarithmic; }},
    {"X",
     "box and axes",
     {GLFW_KEY_X},
     [](C c) { c.state.view.box = c.state.view.axes = !(c.state.view.box && c.state.view.axes); }},
    {"T", "trails", {GLFW_KEY_T}, [](C c) { c.state.view.trails.shown = !c.state.view.trails.shown; }},
    {"+", "larger bodies", {GLFW_KEY_EQUAL}, [](C c) { resize(c, kSizeStep); }},
    {"-", "smaller bodies", {GLFW_KEY_MINUS}, [](C c) { resize(c, 1 / kSizeStep); }},
    {"G", "orbit or fly (W A S D Q E)", {GLFW_KEY_G}, [](C c) { next(c.state.view.camera.mode, 2); }},
    {"H, F2",
     "all panels, or the scene alone",
     {GLFW_KEY_H},
     [](C c) {
       c.state.panels.shown = !c.state.panels.visible();
       c.state.panels.presents = false;
     }},
    {"F3", "tour: six stops through the window", {GLFW_KEY_F3}, [](C c) { start_tour(c.state); }},
    {"F1", "this help", {GLFW_KEY_F1}, [](C c) { c.state.panels.help = !c.state.panels.help; }},
    {"F4",
     "text of the screen to the clipboard, for screen readers",
     {GLFW_KEY_F4},
     [](C c) { c.state.pending.screen_text = true; }},
    {"Shift+F11",
     "full screen, panels included, or not",
     {GLFW_KEY_F11, false, true},
     [](C c) { c.state.panels.full_screen = !c.state.panels.full_screen; }},
    {"F11",
     "presentation: the scene fills the window, or not",
     {GLFW_KEY_F11},
     [](C c) { c.state.panels.presents = !c.state.panels.presents; }},
    {"F9", "start or stop recording", {GLFW_KEY_F9}, [](C c) { c.state.pending.record = true; }},
    {"F12", "screenshot", {GLFW_KEY_F12}, [](C c) { c.state.picture.start = true; }},
    {"Shift+F12",
     "screenshot of the window, panels included",
     {GLFW_KEY_F12, false, true},
     [](C c) { c.state.pending.screenshot = true; }},
    {"Ctrl+P", "find: actions, maps, scenes, panels", {GLFW_KEY_P, true}, [](C c) { c.state.palette.show(); }},
    {"Ctrl+O",
     "open a file",
     {GLFW_KEY_O, true},
     [](C c) { c.state.files.browser.show(FileBrowser::Purpose::open, c.state.files.browser.folder()); }},
    {"Ctrl+S",
     "save the bodies",
     {GLFW_KEY_S, true},
     [](C c) { c.state.files.browser.show(FileBrowser::Purpose::save, c.state.files.save_path); }},
    {"Ctrl+Z", "undo the last change", {GLFW_KEY_Z, true}, [](C c) { c.requests.push_back(ask::Undo{}); }},
    {"Ctrl+Y, Ctrl+Shift+Z",
     "redo what was undone",
     {GLFW_KEY_Y, true},
     [](C c) { c.requests.push_back(ask::Redo{}); }},
    {"Ctrl+Q", "quit", {GLFW_KEY_Q, true}, [](C c) { c.state.pending.quit = true; }},
};

/// The bookmark of a digit key.
std::optional<std::size_t> bookmark_of(int key) {
  const int number = key - GLFW_KEY_1;
  if (number < 0 || number >= static_cast<int>(SceneView::kBookmarks)) return std::nullopt;
  return static_cast<std::size_t>(number);
}

/// Other keys for the same action.
KeyPress usual_key(KeyPress press) {
  if (press.key == GLFW_KEY_F2) press.key = GLFW_KEY_H;
  if (press.key == GLFW_KEY_Z && press.ctrl && press.shift) press.key = GLFW_KEY_Y;
  if (press.key == GLFW_KEY_N && press.shift) press.key = GLFW_KEY_BACKSPACE;
  if (press.key == GLFW_KEY_KP_ADD) press.key = GLFW_KEY_EQUAL;
  if (press.key == GLFW_KEY_KP_SUBTRACT) press.key = GLFW_KEY_MINUS;
  const auto is_shifted = [&](const Action& action) { return action.press.key == press.key && action.press.shift; };
  const bool means = std::any_of(std::begin(kActions), std::end(kActions), is_shifted);
  if (press.key != GLFW_KEY_TAB && !means && !bookmark_of(press.key)) press.shift = false;
  return press;
}

}  // namespace

const std::vector<MapRow>& shown_maps(const SessionModel& model) {
  return model.triple_maps.empty() ? model.pair_maps : model.triple_maps;
}

Request map_request(const SessionModel& model, std::size_t row) {
  if (!model.triple_maps.empty()) return ask::TripleMap{static_cast<TetraMapId>(row)};
  return ask::PairMap{static_cast<TriangleMapId>(row)};
}

std::size_t map_in_use(const SessionModel& model) {
  return model.triple_maps.empty() ? static_cast<std::size_t>(model.asked.pair_map)
                                   : static_cast<std::size_t>(model.asked.triple_map);
}

void open_why(const SessionModel& model, PageChoice& page) {
  if (shown_maps(model).empty()) return;
  page = {.shown = true, .why = true, .launched = 0, .sweeps = true};
  page.domain = model.triple_maps.empty() ? Domain::triangle : Domain::tetrahedron;
}

std::span<const Action> actions() { return kActions; }

bool will_run(const SessionModel& model, const Requests& requests) {
  bool on = model.running;
  for (const Request& request : requests) {
    if (const auto* run = std::get_if<ask::Run>(&request)) on = run->on;
    if (const auto* compare = std::get_if<ask::Compare>(&request)) on = on || compare->on;
  }
  return on;
}

void on_key(const KeyPress& pressed, const ActionContext& c) {
  if (c.state.files.browser.shown()) {  // a dialog owns the keyboard
    if (pressed.key == GLFW_KEY_ESCAPE) c.state.files.browser.hide();
    return;
  }
  if (c.state.palette.shown) {
    if (pressed.key == GLFW_KEY_ESCAPE) c.state.palette.shown = false;
    if (pressed.key == GLFW_KEY_DOWN) ++c.state.palette.at;
    if (pressed.key == GLFW_KEY_UP && c.state.palette.at > 0) --c.state.palette.at;
    if (pressed.key == GLFW_KEY_ENTER || pressed.key == GLFW_KEY_KP_ENTER) c.state.palette.accepted = true;
    return;
  }
  if (field_takes(pressed.key, pressed.ctrl)) return;
  const KeyPress press = usual_key(pressed);
  if (const auto number = bookmark_of(press.key); number && (press.ctrl || press.shift)) {
    press.ctrl ? c.state.view.save_bookmark(*number) : void(c.state.view.restore_bookmark(*number));
    return;
  }
  if (press.key >= GLFW_KEY_1 && press.key <= GLFW_KEY_9 && !press.ctrl) {
    const auto row = static_cast<std::size_t>(press.key - GLFW_KEY_1);
    if (row < shown_maps(c.changed()).size()) c.requests.push_back(map_request(c.changed(), row));
    return;
  }
  for (const Action& action : kActions) {
    if (action.act != nullptr && action.press == press) return action.act(c);
  }
}

}  // namespace tri::app::gui
