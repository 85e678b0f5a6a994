// nvrtc_maps INCLUDE: compiles a kernel for each map, and each header that is for devices alone, with NVRTC and nothing
// but the installed headers, and looks for the kernel in the PTX. Needs no GPU.
#include <nvrtc.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

struct Case {
  const char* header;
  const char* map;
};

constexpr Case kCases[] = {
    {"triangle_bb", "TriangleBb"},
    {"triangle_lambda", "TriangleLambda"},
    {"triangle_fold", "TriangleFold"},
    {"triangle_rec", "TriangleRec"},
    {"triangle_lambda_historical", "TriangleLambdaX"},
    {"triangle_lambda_historical", "TriangleLambdaN"},
    {"triangle_lambda_historical", "TriangleLambdaR"},
    {"triangle_lambda_grouped", "TriangleLambdaGrouped"},
    {"triangle_lambda_longest", "TriangleLambdaLongest"},
    {"triangle_rb", "TriangleRb"},
    {"triangle_h", "TriangleH"},
    {"triangle_utm", "TriangleUtm"},
    {"triangle_utm", "TriangleUtmBlock"},
    {"triangle_attention", "AttentionRows"},
    {"triangle_attention", "AttentionBatch"},
    {"triangle_band", "TriangleBand"},
    {"triangle_batch", "TriangleBatch"},
    {"triangle_batch", "TriangleBatchStream"},
    {"triangle_lambda_lut", "TriangleLambdaLut"},
    {"triangle_lambda_stream", "TriangleLambdaStream"},
    {"triangle_circulant", "TriangleCirculant"},
    {"tetra_bb", "TetraBb"},
    {"tetra_exact", "TetraExact"},
    {"tetra_r", "TetraR"},
    {"tetra_lut", "TetraLut"},
    {"tetra_stream", "TetraStream"},
    {"tetra_h", "TetraH"},
    {"gasket_bb", "GasketBb"},
    {"gasket_lambda", "GasketLambda"},
    {"gasket_digits", "GasketDigits"},
    {"gasket_stream", "GasketStream"},
};

/// Of the host, with names and tables of maps; and one without a namespace.
constexpr const char* kHostOnly[] = {"map_check.hpp", "map_registry.hpp", "maps.hpp", "typed_map.hpp", "version.hpp"};

std::string kernel_of(const std::string& header, const Case& c) {
  return "#include <triangulum/" + header +
         ">\n"
         "extern \"C\" __global__ void tiles_of(tri::" +
         c.map +
         " map, unsigned pass, decltype(map.begin({}).tile())* out) {\n"
         "  for (auto tiles = map.begin({blockIdx.x, blockIdx.y, blockIdx.z, pass}); tiles.valid(); tiles.next())\n"
         "    out[blockIdx.x] = tiles.tile();\n"
         "}\n";
}

/// False, with what NVRTC says, if the kernel does not compile or is not in the result.
bool compiles(const std::string& source, const std::vector<const char*>& options) {
  nvrtcProgram program = nullptr;
  if (nvrtcCreateProgram(&program, source.c_str(), "tiles_of.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return false;
  const bool done = nvrtcCompileProgram(program, int(options.size()), options.data()) == NVRTC_SUCCESS;
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '\0'), ptx;
  nvrtcGetProgramLog(program, log.data());
  if (done) {
    nvrtcGetPTXSize(program, &size);
    ptx.resize(size);
    nvrtcGetPTX(program, ptx.data());
  } else {
    std::printf("%s\n%s\n", source.c_str(), log.c_str());
  }
  nvrtcDestroyProgram(&program);
  return ptx.find(".entry tiles_of") != std::string::npos;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::puts("nvrtc_maps INCLUDE: the folder that holds triangulum/"), 2;
  const std::string include = std::string("--include-path=") + argv[1];
  const std::string shim = include + "/triangulum/nvrtc";
  const std::vector<const char*> options{"-std=c++20", "-default-device", include.c_str(), shim.c_str()};
  int failed = 0;
  for (const Case& c : kCases) {
    for (const char* folder : {"maps/", "single/"}) {
      const bool good = compiles(kernel_of(std::string(folder) + c.header + ".hpp", c), options);
      std::printf("%s%s.hpp: %s\n", folder, c.header, good ? "compiled" : "FAILED");
      failed += !good;
    }
  }
  for (const char* folder : {"maps/", "single/"}) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[1] + std::string("/triangulum/") + folder)) {
      const std::string name = entry.path().filename();
      if (std::ranges::find(kHostOnly, name) != std::end(kHostOnly)) continue;
      const bool good = compiles("#include <triangulum/" + (folder + name) +
                                     ">\nextern \"C\" __global__ void tiles_of(tri::u64* out) { *out = 1; }\n",
                                 options);
      std::printf("%s%s alone: %s\n", folder, name.c_str(), good ? "compiled" : "FAILED");
      failed += !good;
    }
  }
  return failed != 0;
}
