#include "app/gui/look/rank_ink.hpp"

#include "app/gui/look/theme.hpp"

namespace tri::app::gui {
namespace {

constexpr ImU32 rank_rgb(unsigned code) { return IM_COL32((code >> 16) & 255, (code >> 8) & 255, code & 255, 255); }

/// As seen by any kind of colour-blind reader, all differ by 15 or more in CIE Lab; marks stand out on a panel.
struct RankPair {
  ImU32 dark, light;
};
constexpr RankPair kRankInks[kRankColours] = {
    {rank_rgb(0x56B4E9), rank_rgb(0x2E86C9)}, {rank_rgb(0xE98A00), rank_rgb(0x9A4B00)},
    {rank_rgb(0xB5EE8A), rank_rgb(0x1D6B52)}, {rank_rgb(0x9E5D7E), rank_rgb(0xC46E9F)},
    {rank_rgb(0xF5DC20), rank_rgb(0xA58A00)}, {rank_rgb(0x3F6FD8), rank_rgb(0x38087B)},
    {rank_rgb(0xF4EEF6), rank_rgb(0x2B2B2B)}, {rank_rgb(0x93A179), rank_rgb(0x6D7F52)}};

}  // namespace

ImU32 rank_colour(u32 rank) {
  const RankPair& pair = kRankInks[rank % kRankColours];
  return &theme() == &theme_of(true) ? pair.dark : pair.light;
}

ImU32 ink_on(ImU32 area) {
  const ImU32 dark = theme_of(true).page, light = theme_of(false).raised;
  return contrast(dark, area) >= contrast(light, area) ? dark : light;
}

}  // namespace tri::app::gui
