#include "app/gui/look/system_font.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace tri::app::gui {
namespace {

/// The functions of libfontconfig (fontconfig.h, version 2) that are used here; patterns and sets are its own.
struct Fontconfig {
  int (*init)();
  void (*end)();
  void* (*make_set)();
  int (*add)(void* set, std::uint32_t letter);
  int (*has)(const void* set, std::uint32_t letter);
  void (*drop_set)(void* set);
  void* (*make_pattern)();
  int (*add_set)(void* pattern, const char* object, const void* set);
  int (*substitute)(void* config, void* pattern, int kind);
  void (*complete)(void* pattern);
  void* (*match)(void* config, void* pattern, int* result);
  int (*get_text)(const void* pattern, const char* object, int n, const unsigned char** text);
  int (*get_number)(const void* pattern, const char* object, int n, int* number);
  int (*get_set)(const void* pattern, const char* object, int n, void** set);
  void (*drop_pattern)(void* pattern);

  template <class Function>
  static bool load(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
  /// False where the library or one of them is missing.
  bool load() {
    void* library = dlopen("libfontconfig.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && load(library, "FcInit", init) && load(library, "FcFini", end) &&
           load(library, "FcCharSetCreate", make_set) && load(library, "FcCharSetAddChar", add) &&
           load(library, "FcCharSetHasChar", has) && load(library, "FcCharSetDestroy", drop_set) &&
           load(library, "FcPatternCreate", make_pattern) && load(library, "FcPatternAddCharSet", add_set) &&
           load(library, "FcConfigSubstitute", substitute) && load(library, "FcDefaultSubstitute", complete) &&
           load(library, "FcFontMatch", match) && load(library, "FcPatternGetString", get_text) &&
           load(library, "FcPatternGetInteger", get_number) && load(library, "FcPatternGetCharSet", get_set) &&
           load(library, "FcPatternDestroy", drop_pattern) && init() != 0;
  }
};

/// Loaded for as long as the program runs.
struct LoadedFontconfig {
  Fontconfig functions{};
  bool there = functions.load();
  LoadedFontconfig() = default;
  LoadedFontconfig(const LoadedFontconfig&) = delete;
  LoadedFontconfig& operator=(const LoadedFontconfig&) = delete;
  ~LoadedFontconfig() {
    if (there) functions.end();
  }
};

struct FontFile {
  std::string path;
  int index = 0;
};

/// The file of the font that fontconfig finds; an empty path without one.
FontFile file_with(const Fontconfig& fc, const std::vector<std::uint16_t>& letters) {
  constexpr const char* kLetters = "charset";
  FontFile found;
  void* wanted = fc.make_set();
  for (const std::uint16_t letter : letters) fc.add(wanted, letter);
  void* pattern = fc.make_pattern();
  fc.add_set(pattern, kLetters, wanted);
  fc.substitute(nullptr, pattern, 0);
  fc.complete(pattern);
  int result = 0;
  void* font = fc.match(nullptr, pattern, &result);
  const unsigned char* path = nullptr;
  void* its_letters = nullptr;
  if (font != nullptr && fc.get_set(font, kLetters, 0, &its_letters) == 0 &&
      fc.has(its_letters, letters.front()) != 0 && fc.get_text(font, "file", 0, &path) == 0) {
    found.path = reinterpret_cast<const char*>(path);
    fc.get_number(font, "index", 0, &found.index);
  }
  if (font != nullptr) fc.drop_pattern(font);
  fc.drop_pattern(pattern);
  fc.drop_set(wanted);
  return found;
}

/// Whether the bytes begin as a font does that can be drawn: TrueType, OpenType, or a collection of them.
bool is_font(const std::string& bytes) {
  constexpr std::array<std::string_view, 4> kBegins{std::string_view("\0\1\0\0", 4), "OTTO", "true", "ttcf"};
  for (const std::string_view begin : kBegins) {
    if (bytes.starts_with(begin)) return true;
  }
  return false;
}

}  // namespace

std::optional<SystemFont> system_font_with(const std::vector<std::uint16_t>& letters) {
  static const LoadedFontconfig fontconfig;
  if (!fontconfig.there || letters.empty()) return std::nullopt;
  const FontFile file = file_with(fontconfig.functions, letters);
  std::error_code none;
  if (!std::filesystem::is_regular_file(file.path, none)) return std::nullopt;
  std::ifstream in(file.path, std::ios::binary);
  SystemFont font{{std::istreambuf_iterator<char>(in), {}}, file.index & 0xffff};
  if (!is_font(font.bytes)) return std::nullopt;
  return font;
}

}  // namespace tri::app::gui
