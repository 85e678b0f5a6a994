# Run at build time by tri_embed_text(): writes the .cpp with the bytes of SOURCE, which the assembler reads.
file(SIZE "${SOURCE}" size)
file(WRITE "${OUTPUT}" "// Made by cmake/EmbedText.cmake.
#include \"${NAME}.hpp\"

extern \"C\" const char tri_embedded_${NAME}[];
asm(R\"(
  .pushsection .rodata
  .global tri_embedded_${NAME}
  .balign 16
tri_embedded_${NAME}:
  .incbin \"${SOURCE}\"
  .byte 0
  .popsection
)\");

namespace tri::embedded {
constinit const std::string_view ${NAME}{tri_embedded_${NAME}, ${size}};
}  // namespace tri::embedded
")
