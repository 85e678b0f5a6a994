#include "app/gui/panels/panes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui_stdlib.h>
#include <glm/vec4.hpp>

#include "app/gui/base/look.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/session/session.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

/// First cell and texels of one axis: cells [low, high) of `count`, in pieces of `step`.
void cover(double low, double high, u32 count, u32 step, u32& first, u32& texels) {
  const double end = std::min(high, static_cast<double>(count));
  if (end <= 0 || low >= end) return;
  first = static_cast<u32>(std::max(low, 0.0)) / step * step;
  texels = (static_cast<u32>(std::ceil(end)) - first + step - 1) / step;
}

}  // namespace

void Viewport2D::set_array(u32 width, u32 height) {
  TRI_EXPECTS(width >= 1 && height >= 1);
  if (width == width_ && height == height_) return;
  width_ = width, height_ = height;
  fit();
}

void Viewport2D::set_view(float width, float height) {
  view_w_ = std::max(1.0f, width), view_h_ = std::max(1.0f, height);
  if (fitted_) fit();
}

double Viewport2D::fit_pixels() const { return std::min({view_w_ / width_, view_h_ / height_, kLargestCell}); }

void Viewport2D::fit() {
  x_ = width_ / 2.0, y_ = height_ / 2.0;
  pixels_ = fit_pixels();
  fitted_ = true;
}

void Viewport2D::keep_inside() {
  x_ = std::clamp(x_, 0.0, static_cast<double>(width_));
  y_ = std::clamp(y_, 0.0, static_cast<double>(height_));
}

void Viewport2D::pan(float dx, float dy) {
  if (dx == 0 && dy == 0) return;
  x_ -= dx / pixels_, y_ -= dy / pixels_;
  fitted_ = false;
  keep_inside();
}

void Viewport2D::zoom(float factor, float x, float y) {
  TRI_EXPECTS(factor > 0);
  const double before = pixels_;
  pixels_ = std::clamp(before * static_cast<double>(factor), fit_pixels() / 2, kLargestCell);
  const double dx = x - view_w_ / 2, dy = y - view_h_ / 2;
  x_ += dx / before - dx / pixels_, y_ += dy / before - dy / pixels_;
  fitted_ = false;
  keep_inside();
}

std::optional<Cell> Viewport2D::cell_at(float x, float y) const {
  if (x < 0 || y < 0 || x >= view_w_ || y >= view_h_) return std::nullopt;
  const double col = std::floor(x_ + (x - view_w_ / 2) / pixels_), row = std::floor(y_ + (y - view_h_ / 2) / pixels_);
  if (col < 0 || row < 0 || col >= width_ || row >= height_) return std::nullopt;
  return Cell{static_cast<u32>(col), static_cast<u32>(row)};
}

CellWindow Viewport2D::window() const {
  CellWindow w;
  while (w.step * pixels_ < 1) w.step *= 2;
  const double across = view_w_ / 2 / pixels_, down = view_h_ / 2 / pixels_;
  cover(x_ - across, x_ + across, width_, w.step, w.col, w.cols);
  cover(y_ - down, y_ + down, height_, w.step, w.row, w.rows);
  return w;
}

Rect Viewport2D::place(const CellWindow& w) const {
  const double right = std::min<double>(width_, w.col + static_cast<double>(w.cols) * w.step);
  const double lower = std::min<double>(height_, w.row + static_cast<double>(w.rows) * w.step);
  return {static_cast<float>((w.col - x_) * pixels_ + view_w_ / 2),
          static_cast<float>((w.row - y_) * pixels_ + view_h_ / 2), static_cast<float>((right - w.col) * pixels_),
          static_cast<float>((lower - w.row) * pixels_)};
}

std::string coarseness(const CellWindow& window) {
  return window.step > 1 ? phrase("1:{}, means", window.step) : std::string();
}

/// (x, y): upper left corner of the view.
void CellView::apply_input(float x, float y) {
  constexpr float kClick = 1.25f;  // per click of the wheel
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemHovered()) {
    if (io.MouseWheel != 0) viewport_.zoom(std::pow(kClick, io.MouseWheel), io.MousePos.x - x, io.MousePos.y - y);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) viewport_.fit();
  }
  if (ImGui::IsItemActive()) viewport_.pan(io.MouseDelta.x, io.MouseDelta.y);
}

void CellView::upload() {
  const CellWindow& w = pixels_.window();
  if (w.cols == 0 || w.rows == 0) return;
  if (w.cols != texture_cols_ || w.rows != texture_rows_) {
    texture_ = gl::make_picture(GL_RGBA8, static_cast<int>(w.cols), static_cast<int>(w.rows), GL_NEAREST);
    texture_cols_ = w.cols, texture_rows_ = w.rows;
  }
  glTextureSubImage2D(texture_.get(), 0, 0, 0, static_cast<GLsizei>(w.cols), static_cast<GLsizei>(w.rows), GL_RGBA,
                      GL_UNSIGNED_BYTE, pixels_.rgba().data());
}

std::optional<Cell> CellView::draw(const char* id, const CellSource& source, const CellPaint& paint, float width,
                                   float height) {
  if (width < 1 || height < 1) return std::nullopt;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  viewport_.set_array(source.width(), source.height());
  viewport_.set_view(width, height);
  invisible_button(
      id, {width, height},
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  apply_input(corner.x, corner.y);
  const CellWindow window = viewport_.window();
  if (pixels_.update(source, paint, window)) upload();

  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(corner, {corner.x + width, corner.y + height}, true);
  if (window.cols > 0 && window.rows > 0) {
    const Rect r = viewport_.place(window);
    const auto share = [&](float pixels, u32 texels) {
      return static_cast<float>(pixels / (viewport_.pixels() * texels * window.step));
    };
    const ImVec2 low{corner.x + r.x, corner.y + r.y};
    list.AddImage(texture_of(texture_.get()), low, {low.x + r.w, low.y + r.h}, {0, 0},
                  {share(r.w, window.cols), share(r.h, window.rows)});
  }
  std::optional<Cell> hovered;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemHovered()) hovered = viewport_.cell_at(mouse.x - corner.x, mouse.y - corner.y);
  if (hovered) {
    const Rect r = viewport_.place({hovered->col, hovered->row, 1, 1, 1});
    const ImVec2 low{corner.x + r.x, corner.y + r.y};
    if (r.w >= 3) list.AddRect(low, {low.x + r.w, low.y + r.h}, IM_COL32(255, 80, 80, 255));
  }
  list.PopClipRect();
  if (hovered) tip(source.describe(*hovered));
  return hovered;
}

void CellView::draw(const char* id, const CellSource& source, const CellPaint& paint, const Rect& place, float scale,
                    std::string text) {
  const std::string coarse = coarseness(viewport_.window());
  if (!coarse.empty()) text += fmt::format(" ({})", coarse);
  const float pad = 8 * scale, width = ImGui::GetContentRegionAvail().x;
  const float below = ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y + 2 * pad;
  draw(id, source, paint, width, place.y + place.h - ImGui::GetCursorScreenPos().y - below);
  ImGui::TextWrapped("%s", text.c_str());
}

namespace {

constexpr double kDrawingShare = 0.1;  // of the time, at most
constexpr u32 kSampleSides[] = {128, 256, 512, 1024, 2048};

}  // namespace

std::vector<u32> bodies_in_view(std::span<const Instance> bodies, const render::Camera& camera, float aspect,
                                u32 most) {
  const glm::mat4 m = camera.projection(aspect) * camera.view();
  std::vector<u32> seen;
  for (const Instance& b : bodies) {
    const glm::vec4 p = m * glm::vec4(b.x, b.y, b.z, 1);
    if (p.w > 0 && std::abs(p.x) <= p.w && std::abs(p.y) <= p.w) seen.push_back(b.id);
  }
  if (seen.size() <= most) return seen;
  std::vector<u32> some(most);
  for (u32 k = 0; k < most; ++k) some[k] = seen[u64{k} * seen.size() / most];
  return some;
}

void sort_by_centre(std::span<const Instance> bodies, std::vector<u32>& numbers) {
  double mean[3] = {0, 0, 0};
  for (const u32 i : numbers) {
    mean[0] += static_cast<double>(bodies[i].x), mean[1] += static_cast<double>(bodies[i].y);
    mean[2] += static_cast<double>(bodies[i].z);
  }
  for (double& v : mean) v /= static_cast<double>(std::max<std::size_t>(1, numbers.size()));
  const auto away = [&](u32 i) {
    const Instance& b = bodies[i];
    return std::hypot(static_cast<double>(b.x) - mean[0], static_cast<double>(b.y) - mean[1],
                      static_cast<double>(b.z) - mean[2]);
  };
  std::stable_sort(numbers.begin(), numbers.end(), [&](u32 a, u32 b) { return away(a) < away(b); });
}

void DistanceView::Source::read(const CellWindow& window, std::span<float> texels) const {
  mean_cells(square, width(), window, texels);
}

std::string DistanceView::Source::describe(Cell cell) const {
  const float distance = square[std::size_t{cell.row} * width() + cell.col];
  return phrase("bodies {} and {}: distance {}{}", bodies[cell.row], bodies[cell.col],
                number_text(static_cast<double>(distance), 5), length);
}

/// The range ends at the 98th percentile, so that a few distant bodies do not leave all others dark.
void DistanceView::Source::find_range() {
  std::vector<float> sorted = square;
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() - 1 - sorted.size() / 50);
  std::nth_element(sorted.begin(), at, sorted.end());
  most = *at > 0 ? *at : 1;
  least = most;
  for (const float d : square) {
    if (d > 0) least = std::min(least, d);
  }
}

void DistanceView::compute(Session& session, const SceneView& view) {
  const std::vector<Instance> all = session.drawn();
  std::vector<u32> seen = bodies_in_view(all, view.camera, view.aspect, choice_.most);
  source_.bodies.clear(), source_.square.clear();
  ++source_.changes;
  refusal_ = "No body is in view.";
  if (seen.empty()) return;
  if (choice_.by_centre) sort_by_centre(all, seen);
  PointSet points{static_cast<u32>(seen.size()), 3, {}};
  for (const u32 i : seen) {
    for (const float x : {all[i].x, all[i].y, all[i].z}) points.values.push_back(static_cast<double>(x));
  }
  DistanceResult result = session.distances(points, DistanceLayout::square);
  if (auto* single = std::get_if<std::vector<float>>(&result.values)) {
    source_.square = std::move(*single);
  } else {
    const auto& wide = std::get<std::vector<double>>(result.values);
    source_.square.assign(wide.begin(), wide.end());
  }
  source_.bodies = std::move(seen);
  source_.find_range();
  source_.length = unit_behind(find_unit_system(session.model().scene.units), "length");
  source_.pairs = result.work_items, source_.ms = result.ms;
}

/// In the present language.
std::string DistanceView::text(const SessionModel& model) const {
  return phrase("{} of {} in view; {} by {} in {}; lightest colour: {}{} or more", grouped(source_.bodies.size()),
                counted(model.n, "body", "bodies"), counted(source_.pairs, "distance"), info(made_->map).name,
                time_text(source_.ms), number_text(static_cast<double>(source_.most), 3), source_.length);
}

void DistanceView::work(Session& session, const PaneContext& context) {
  const SessionModel& m = session.model();
  const render::CameraPose& pose = context.view.camera.pose;
  const Key key{session.generation(), m.steps,       m.time,   choice_.most, choice_.by_centre,  m.asked.pair_map,
                pose.target,          pose.distance, pose.yaw, pose.pitch,   context.view.aspect};
  waited_ += static_cast<double>(context.seconds);
  if (made_ == key) return;
  if (made_ && made_->generation == key.generation && waited_ < cost_ / kDrawingShare) return;
  const double begin = clock_s();
  try {
    compute(session, context.view);
  } catch (const std::exception& error) {
    source_.bodies.clear(), source_.square.clear();
    refusal_ = error.what();
  }
  made_ = key;
  cost_ = clock_s() - begin, waited_ = 0;
}

void DistanceView::draw(const SessionModel& model, const PaneContext& context, const Rect& place) {
  const float unit = ImGui::CalcTextSize("0").x;
  u32 order = choice_.by_centre ? 1 : 0;
  if (choose("##order", order, {"by index", "from the centre out"}, 24 * unit)) choice_.by_centre = order == 1;
  tip("Order of rows and columns");
  ImGui::SameLine();
  choose_number("##most", choice_.most, kSampleSides, 18 * unit, phrase("at most {}", choice_.most));
  tip("Bodies; of more in view, an even sample of that size");
  ImGui::SameLine();
  ImGui::Checkbox("log scale", &choice_.logarithmic);
  if (source_.bodies.empty()) return ImGui::TextWrapped("%s", stated(refusal_).c_str());
  const float least = choice_.logarithmic ? source_.least : 0;
  // Distances go from dark to bright; colours of stars and of kinds do not.
  const render::ColourMap asked = context.view.style.colours;
  const render::ColourMap map = render::begins_dark(asked) ? asked : render::ColourMap::inferno;
  const CellPaint paint = cell_paint(map, least, source_.most, choice_.logarithmic);
  view_.draw("distances", source_, paint, place, context.scale, text(model));
}

namespace {

constexpr u32 kNoPiece = ~0u;
constexpr u32 kTreeLeaves = 4096;  // a side: 262,144 bodies

}  // namespace

void TreeView::Source::fill() {
  const std::size_t side = picture.leaves;
  piece.assign(side * side, kNoPiece);
  highest = 1, near = 0;
  for (u32 k = 0; k < picture.pieces.size(); ++k) {
    const TreePicture::Piece& p = picture.pieces[k];
    highest = std::max(highest, p.order), near += p.order == 0 ? 1 : 0;
    for (u32 row = p.row; row < p.row + p.rows; ++row) {
      const u32 end = p.row == p.col ? row + 1 : p.col + p.cols;  // a leaf with itself
      std::fill(piece.begin() + static_cast<std::ptrdiff_t>(row * side + p.col),
                piece.begin() + static_cast<std::ptrdiff_t>(row * side + end), k);
    }
  }
  ++changes;
}

void TreeView::Source::read(const CellWindow& window, std::span<float> texels) const {
  const auto middle = [&](u32 first, u32 k) {
    return std::min(first + k * window.step + window.step / 2, width() - 1);
  };
  for (u32 y = 0; y < window.rows; ++y) {
    const std::size_t row = middle(window.row, y);
    for (u32 x = 0; x < window.cols; ++x) {
      const u32 of = piece[row * width() + middle(window.col, x)];
      texels[std::size_t{y} * window.cols + x] =
          of == kNoPiece ? std::nanf("") : static_cast<float>(picture.pieces[of].order);
    }
  }
}

std::string TreeView::Source::describe(Cell cell) const {
  const u32 of = piece[std::size_t{cell.row} * width() + cell.col];
  if (of == kNoPiece) return "";
  return piece_text(picture, picture.pieces[of]);
}

std::string piece_text(const TreePicture& picture, const TreePicture::Piece& p) {
  const auto bodies = [&](u32 first, u32 leaves) {
    return std::min<u64>(u64{first + leaves} * picture.leaf, picture.bodies) - u64{first} * picture.leaf;
  };
  const u64 rows = bodies(p.row, p.rows), cols = bodies(p.col, p.cols);
  if (p.order == 0) return phrase("{} \u00d7 {} bodies are near: each pair meets by itself", rows, cols);
  return phrase("nodes of {} and {} bodies: one series each way, of order {}, error below {} of the least pull on them",
                grouped(rows), grouped(cols), p.order, power_text(p.error));
}

/// In the present language.
std::string TreeView::text(u64 all) const {
  if (source_.picture.leaves == 0) return stated(refusal_);
  const u64 series = source_.picture.pieces.size() - source_.near, bodies = source_.picture.bodies;
  const std::string whole =
      phrase("{} pairs of bodies: {} series, in the colour of their order, 2 to {}, and {} pairs of near leaves",
             grouped(bodies * (bodies - 1) / 2), grouped(series), source_.highest, grouped(source_.near));
  return bodies < all ? whole + phrase("; the first {} along the curve", counted(bodies, "body", "bodies")) : whole;
}

void TreeView::work(Session& session, const PaneContext& context) {
  const SessionModel& m = session.model();
  const ForceField& field = m.scene.field;
  const Key key{
      session.generation(),   m.steps, m.time, m.asked.tolerance, m.asked.precision, field.pair, field.box.boundary,
      field.gravity.softening};
  waited_ += static_cast<double>(context.seconds);
  if (made_ == key) return;
  if (made_ && made_->generation == key.generation && waited_ < cost_ / kDrawingShare) return;
  const double begin = clock_s();
  try {
    source_.picture = session.tree(kTreeLeaves);
    source_.fill();
  } catch (const std::exception& error) {
    source_.picture = {}, refusal_ = error.what();
  }
  made_ = key;
  cost_ = clock_s() - begin, waited_ = 0;
}

void tree_key(const CellPaint& paint) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float swatch = 0.8f * ImGui::GetTextLineHeight();
  for (std::size_t order = 0; order < paint.ramp.size(); ++order) {
    if (order == 1) continue;
    if (order > 0) ImGui::SameLine();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::array<float, 3>& c = paint.ramp[order];
    const float top = at.y + (ImGui::GetTextLineHeight() - swatch) / 2;
    draw.AddRectFilled({at.x, top}, {at.x + swatch, top + swatch},
                       ImGui::ColorConvertFloat4ToU32({c[0], c[1], c[2], 1}));
    ImGui::Dummy({swatch, swatch});
    ImGui::SameLine();
    ImGui::TextUnformatted(order == 0 ? tr("near") : std::to_string(order).c_str());
  }
}

void TreeView::draw(const SessionModel& model, const PaneContext& context, const Rect& place) {
  const std::string text = this->text(model.n);
  if (source_.picture.leaves == 0) return ImGui::TextWrapped("%s", text.c_str());
  CellPaint paint;
  paint.high = static_cast<float>(source_.highest);
  for (u32 order = 0; order <= source_.highest; ++order) {
    const float share = static_cast<float>(order) / static_cast<float>(source_.highest);
    paint.ramp.push_back(order == 0 ? std::array<float, 3>{0.95f, 0.55f, 0.25f}
                                    : sample(render::ColourMap::viridis, 0.15f + 0.6f * share));
  }
  tree_key(paint);
  const float pad = 8 * context.scale, width = ImGui::GetContentRegionAvail().x;
  const float below = ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y + 2 * pad;
  view_.draw("tree", source_, paint, width, place.y + place.h - ImGui::GetCursorScreenPos().y - below);
  ImGui::TextWrapped("%s", text.c_str());
}

namespace {

constexpr double kMaxStepSeconds = 0.01;  // of a frame

constexpr Preset kScenes[]{{"gasket:r=10,rule=B2/S12", "gasket, 2^10"},
                           {"gasket:r=12,rule=B2/S12", "gasket, 2^12"},
                           {"gasket:r=14,rule=B2/S12", "gasket, 2^14"},
                           {"gasket:r=9,rule=B1/S012,density=0.01", "gasket, growth from seeds"},
                           {"gasket:r=10,rule=B135/S135", "gasket, parity"},
                           {"vicsek:r=6,rule=B2/S12", "Vicsek, 3^6"},
                           {"carpet:r=6", "carpet, 3^6, Conway's life"},
                           {"carpet:r=6,rule=B36/S23", "carpet, 3^6, HighLife"},
                           {"gasket-3d:r=7,rule=B1.3/S2.4", "gasket in three dimensions, seen along z"},
                           {"menger:r=4,rule=B2/S12", "Menger's sponge, seen along z"}};

CellPaint fractal_paint(bool dark) {
  CellPaint p;
  p.ramp = dark ? std::vector<std::array<float, 3>>{{0.16f, 0.19f, 0.26f}, {0.99f, 0.85f, 0.35f}}
                : std::vector<std::array<float, 3>>{{0.80f, 0.84f, 0.90f}, {0.10f, 0.25f, 0.55f}};
  return p;
}

}  // namespace

void FractalView::Source::read(const CellWindow& window, std::span<float> texels) const {
  picture->read(window.col, window.row, window.cols, window.rows, window.step, texels);
}

std::string FractalView::Source::describe(Cell cell) const {
  float share = 0;
  picture->read(cell.col, cell.row, 1, 1, 1, {&share, 1});
  if (std::isnan(share)) return "";
  const char* what = share == 1 ? "on" : share == 0 ? "off" : "some layers on";
  return phrase("x {}, y {}: {}", cell.col, cell.row, what);
}

void FractalView::work(Session&, const PaneContext& context) {
  FractalChoice& choice = choice_;
  world_.apply(choice);
  world_.advance(choice, static_cast<double>(context.seconds), kMaxStepSeconds);
  if (world_.automaton() == nullptr) return;
  source_.picture = &world_.picture();
  if (choice.running) {
    choice.hash = 0;
  } else if (choice.hash == 0 || source_.changes != world_.changes()) {
    choice.hash = world_.hash();
  }
  source_.changes = world_.changes();
}

namespace {

void choose_work(CellWork& work, const CellWork& now, float unit) {
  std::vector<std::string> maps, placements;
  for (const MapInfo& map : gasket_maps()) maps.emplace_back(map.name);
  auto map = static_cast<u32>(work.map);
  if (choose("##map", map, maps, 18 * unit)) work.map = static_cast<GasketMapId>(map);
  tip(info(work.map).formula);
  ImGui::SameLine();
  constexpr GasketPlacement kPlacements[] = {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll};
  for (const GasketPlacement p : kPlacements) placements.emplace_back(to_string(p));
  auto placement = static_cast<u32>(std::find(kPlacements, std::end(kPlacements), work.placement) - kPlacements);
  if (choose("##placement", placement, placements, 12 * unit, to_string(work.placement)))
    work.placement = kPlacements[placement];
  tip("How the threads of a block find the cells of their tile");
  ImGui::SameLine();
  constexpr u32 kBlocks[] = {0, 1, 2, 3, 4, 8, 9, 16, 27, 32};
  choose_number("##block", work.block, kBlocks, 14 * unit, phrase("block {}", now.block));
  tip("Side of a tile, in cells; auto leaves it to the backend");
}

void controls(FractalChoice& c, const CellWork& now) {
  const float unit = ImGui::CalcTextSize("0").x;
  run_step_restart(c);
  same_line(60 * unit);
  text_or_preset("scene", c.scene, kScenes, 34 * unit, 22 * unit,
                 "NAME:r=levels,rule=B3/S23,density=0.3,seed=42,storage=compact, as for run. Enter opens it.");
  same_line(46 * unit);
  choose_work(c.work, now, unit);
  same_line(28 * unit);
  rate(c.speed, 14 * unit, "Steps per second");
}

/// As memory_text(), in the language in use.
std::string memory_words(const AutomatonSpec& spec) {
  std::string text = memory_text(spec);
  if (spec.storage == CellStorage::embedded) return text;
  AutomatonSpec embedded = spec;
  embedded.storage = CellStorage::embedded;
  return phrase("{}, {:.1f} times less than the {} of embedded storage", text.substr(0, text.find(',')),
                spec.embedded_bytes() / spec.bytes(), memory_text(embedded));
}

std::string status_text(const FractalWorld& world, const FractalPicture& picture, const FractalChoice& c) {
  const AutomatonSpec& spec = world.automaton()->spec();
  return phrase("step {}: {} of {} cells on; {} per step on {}; {} storage: {}", grouped(c.steps),
                grouped(picture.on()), grouped(spec.cells()), time_text(world.automaton()->step_ms()), world.backend(),
                tr(to_string(spec.storage)), memory_words(spec));
}

}  // namespace

void FractalView::draw(const SessionModel&, const PaneContext& context, const Rect& place) {
  FractalChoice& c = choice_;
  const bool there = source_.picture != nullptr;
  controls(c, there ? world_.automaton()->spec().work : c.work);
  if (!c.error.empty()) coloured_text(theme().fault, c.error);
  if (!there) return;
  view_.draw("fractal", source_, fractal_paint(context.dark), place, context.scale,
             status_text(world_, *source_.picture, c));
}

namespace {

constexpr double kMaxCycleSeconds = 0.01;  // of a frame
constexpr u32 kDistanceSides[] = {64, 128, 256, 512, 1024, 2048, 4096};
constexpr Preset kRules[]{{"B3/S23", "Life"}, {"B36/S23", "HighLife"},       {"B3678/S34678", "Day & Night"},
                          {"B2/S", "Seeds"},  {"B1357/S1357", "Replicator"}, {"B3/S12345", "Maze"}};

CellPaint triangle_paint(bool dark) {
  CellPaint p;
  p.ramp = dark ? std::vector<std::array<float, 3>>{{0.13f, 0.14f, 0.17f}, {0.99f, 0.85f, 0.35f}, {1, 0.2f, 0.2f}}
                : std::vector<std::array<float, 3>>{{0.86f, 0.88f, 0.91f}, {0.10f, 0.25f, 0.55f}, {0.9f, 0, 0}};
  p.high = TriangleAutomaton::kWrong;
  return p;
}

}  // namespace

void TriangleAutomatonView::Source::read(const CellWindow& window, std::span<float> texels) const {
  mean_cells(automaton->cells(), automaton->side(), TriangleAutomaton::kOutside, window, texels);
}

std::string TriangleAutomatonView::Source::describe(Cell cell) const {
  if (cell.col > cell.row) return "";
  const u8 value = automaton->cells()[std::size_t{cell.row} * automaton->side() + cell.col];
  return phrase("row {}, column {}: {}", cell.row, cell.col,
                value == TriangleAutomaton::kAlive  ? "alive"
                : value == TriangleAutomaton::kDead ? "dead"
                                                    : "not visited exactly once in this generation");
}

/// Restarts where size or seed changed or a restart is requested; a new rule applies to the present cells.
void TriangleAutomatonView::apply_choice() {
  const bool changed =
      choice_.side != applied_.side || choice_.seed != applied_.seed || choice_.restarts != applied_.restarts;
  const LifeRule rule = triangle_rule_from(choice_.rule);
  if (!source_.automaton || changed) {
    source_.automaton.emplace(choice_.side, rule, choice_.seed, choice_.density);
    map_.reset();
    ++source_.changes;
  }
  source_.automaton->set_rule(rule);
  applied_ = choice_;
}

void TriangleAutomatonView::work(Session& session, const PaneContext& context) {
  AutomatonChoice& choice = choice_;
  if (!session.attempt([&] { apply_choice(); })) {
    choice.rule = applied_.rule;
    apply_choice();
  }
  const TriangleMapId map = session.model().asked.pair_map;
  if (map_ != map) tiles_ = trace_map(map, std::min(kMaxTriangleSide, choice.side)), map_ = map;
  run_steps(choice, owed_, static_cast<double>(context.seconds), kMaxCycleSeconds, [&] {
    source_.automaton->step(tiles_);
    ++source_.changes;
  });
  choice.generation = source_.automaton->generation(), choice.alive = source_.automaton->alive();
  choice.wrong = source_.automaton->wrong();
}

namespace {

void controls(AutomatonChoice& c) {
  const float unit = ImGui::CalcTextSize("0").x;
  run_step_restart(c);
  same_line(36 * unit);
  text_or_preset("rule", c.rule, kRules, 15 * unit, 16 * unit,
                 "B: numbers of living neighbours with which a cell is born; S: those with which it survives. "
                 "Enter applies it.");
  same_line(14 * unit);
  choose_number("##side", c.side, kDistanceSides, 13 * unit, fmt::format("n = {}", c.side));
  same_line(28 * unit);
  rate(c.speed, 14 * unit, "Generations per second");
  same_line(22 * unit);
  ImGui::SetNextItemWidth(12 * unit);
  ImGui::InputScalar("seed", ImGuiDataType_U64, &c.seed);  // 1.92 takes no EnterReturnsTrue for numbers
}

}  // namespace

void TriangleAutomatonView::draw(const SessionModel& model, const PaneContext& context, const Rect& place) {
  controls(choice_);
  if (!source_.automaton) return;
  const TriangleAutomaton& a = *source_.automaton;
  const u64 cells = u64{a.side()} * (a.side() + 1) / 2;
  std::string text =
      phrase("generation {}: {} of {} alive, ", grouped(a.generation()), grouped(a.alive()), counted(cells, "cell"));
  text += a.wrong() == 0 ? phrase("each visited once by {}", info(model.asked.pair_map).name)
                         : phrase("{} not visited exactly once by {}", a.wrong(), info(model.asked.pair_map).name);
  ImGui::PushStyleColor(ImGuiCol_Text, a.wrong() > 0 ? theme().fault : ImGui::GetColorU32(ImGuiCol_Text));
  view_.draw("automaton", source_, triangle_paint(context.dark), place, context.scale, text);
  ImGui::PopStyleColor();
}

namespace {

template <class View, auto kChoice>
std::unique_ptr<BottomPane> make(PaneChoices& choices, const CommonOptions&) {
  return std::make_unique<View>(choices.*kChoice);
}

std::unique_ptr<BottomPane> make_fractal(PaneChoices& choices, const CommonOptions& common) {
  return std::make_unique<FractalView>(choices.fractal, common);
}

constexpr PaneRow kPaneRows[] = {
    {"domain", "Where the blocks of a map go: parallel space beside data space (O)",
     make<DomainView, &PaneChoices::domain>},
    {"distances", "Distances of all pairs of bodies in view, as a heat map",
     make<DistanceView, &PaneChoices::distances>},
    {"tree", "Gravity by a tree: which bodies meet one by one, and which nodes by series",
     [](PaneChoices&, const CommonOptions&) -> std::unique_ptr<BottomPane> { return std::make_unique<TreeView>(); }},
    {"automaton", "A cellular automaton on the triangle, stepped tile by tile by the map in use",
     make<TriangleAutomatonView, &PaneChoices::automaton>},
    {"fractal", "A cellular automaton on the gasket and its family, in compact or embedded storage", make_fractal},
};

void tabs(PaneChoices& choices) {
  for (std::size_t k = 0; k < std::size(kPaneRows); ++k) {
    if (k > 0) ImGui::SameLine();
    if (chosen_button(kPaneRows[k].name, k == choices.current, theme().selected)) choices.current = k;
    tip(kPaneRows[k].about);
  }
  ImGui::SameLine();
  const char* size = choices.whole ? "Half###size" : "Whole scene###size";
  const float width = ImGui::CalcTextSize("close").x + ImGui::CalcTextSize(size, nullptr, true).x +
                      4 * ImGui::GetStyle().FramePadding.x + ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, ImGui::GetContentRegionAvail().x - width));
  if (button(size, "How much of the scene's place the pane takes")) choices.whole = !choices.whole;
  ImGui::SameLine();
  if (ImGui::Button("close")) choices.shown = false;
}

}  // namespace

std::span<const PaneRow> pane_rows() { return kPaneRows; }

void show_pane(std::string_view name, PaneChoices& choices) {
  for (std::size_t k = 0; k < std::size(kPaneRows); ++k) {
    if (kPaneRows[k].name == name) choices.shown = true, choices.current = k;
  }
}

BottomPanes::BottomPanes(PaneChoices& choices, const CommonOptions& common) : choices_(choices) {
  for (const PaneRow& row : kPaneRows) panes_.push_back(row.make(choices, common));
}

void BottomPanes::work(Session& session, const PaneContext& context) {
  if (choices_.shown) panes_[choices_.current]->work(session, context);
}

void BottomPanes::draw(const SessionModel& model, const PaneContext& context, const Rect& place) {
  if (!choices_.shown || place.w < 1 || place.h < 1) return;
  const FixedWindow window("lower", place);
  tabs(choices_);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  panes_[choices_.current]->draw(model, context, {place.x, corner.y, place.w, place.y + place.h - corner.y});
}

}  // namespace tri::app::gui
