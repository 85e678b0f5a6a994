# Run at build time by tri_embed_text(): writes the .cpp with the bytes of SOURCE.
# As characters, because a string literal is limited in length and cannot contain every byte.
file(READ "${SOURCE}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
# 16 bytes per line: each has become seven characters.
string(REPEAT "......." 16 line)
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "// Made by cmake/EmbedText.cmake.
#include \"${NAME}.hpp\"

namespace tri::embedded {
namespace {
constexpr char ${NAME}_bytes[] = {
${bytes}'\\0'};
}  // namespace
constinit const std::string_view ${NAME}{${NAME}_bytes, sizeof(${NAME}_bytes) - 1};
}  // namespace tri::embedded
")
