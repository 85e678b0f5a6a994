#include "render/gl/gl.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "shaders.hpp"
#include "sim/base/machine.hpp"

namespace tri::gl {
namespace {

constexpr std::size_t kMaxTexts = 16;

void GLAPIENTRY on_message(GLenum, GLenum type, GLuint, GLenum, GLsizei, const GLchar* text, const void* user) {
  // Performance and memory hints are not for users.
  if (type == GL_DEBUG_TYPE_ERROR) static_cast<Messages*>(const_cast<void*>(user))->add(text);
}

const char* text_of(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM:
      return "invalid enum";
    case GL_INVALID_VALUE:
      return "invalid value";
    case GL_INVALID_OPERATION:
      return "invalid operation";
    case GL_OUT_OF_MEMORY:
      return "out of memory";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "invalid framebuffer operation";
    default:
      return "unknown error";
  }
}

}  // namespace

void load_functions(LoadFunction load) {
  const int version = gladLoadGL(load);
  const int major = GLAD_VERSION_MAJOR(version), minor = GLAD_VERSION_MINOR(version);
  if (major > 4 || (major == 4 && minor >= 5)) return;
  throw GlError(
      fmt::format("this context has OpenGL {}.{}, but rendering needs 4.5. Use a newer driver, or software OpenGL "
                  "(LIBGL_ALWAYS_SOFTWARE=1 with Mesa).",
                  major, minor));
}

std::string renderer_name() {
  const auto text = [](GLenum name) {
    const GLubyte* bytes = glGetString(name);
    return std::string(bytes == nullptr ? "?" : reinterpret_cast<const char*>(bytes));
  };
  return fmt::format("{}, OpenGL {}", text(GL_RENDERER), text(GL_VERSION));
}

std::string driver_kind() {
  const std::string name = renderer_name();
  for (const char* processor : {"llvmpipe", "softpipe", "SWR", "Software Rasterizer"}) {
    if (name.find(processor) != std::string::npos) return processor;
  }
  return "GPU";
}

bool is_software() { return driver_kind() != "GPU"; }

Messages::Messages() {
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);  // messages arrive on this thread, before the call returns
  glDebugMessageCallback(on_message, this);
}

Messages::~Messages() { glDebugMessageCallback(nullptr, nullptr); }

void Messages::add(const std::string& text) {
  ++errors_;
  if (texts_.size() < kMaxTexts) texts_.push_back(text.substr(0, text.find('\n')));
}

void Messages::check(const char* where) {
  for (GLenum error = glGetError(); error != GL_NO_ERROR; error = glGetError()) {
    add(fmt::format("{}: {}", where, text_of(error)));
    if (error == GL_OUT_OF_MEMORY) throw MemoryError("the GPU is out of memory. Use fewer bodies.");
  }
}

namespace {

/// What Mesa's software driver was seen to need, with its compiler and threads.
constexpr double kDriverBytes = 512.0 * (1 << 20);

extern "C" void on_crash(int) {
  constexpr std::string_view kSentence =
      "error: the graphics driver crashed; it ran out of memory, most likely: ulimit -v or -d limits this session. "
      "Raise "
      "the limit, or take a smaller --size and fewer bodies.\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kSentence.data(), kSentence.size());
  ::_exit(static_cast<int>(ExitCode::out_of_memory));
}

bool is_limited(__rlimit_resource what) {
  rlimit limit{};
  return ::getrlimit(what, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

void require_driver_memory() {
  if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) return;
  const auto left = static_cast<double>(available_memory());
  if (is_limited(RLIMIT_AS) && left < kDriverBytes) {
    throw MemoryError(fmt::format("drawing needs {} for the graphics driver; ulimit -v leaves {}. Raise the limit.",
                                  gib_text(kDriverBytes), gib_text(left)));
  }
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) sigaction(signal, &action, nullptr);
}

Texture make_picture(GLenum format, int width, int height, GLenum filter) {
  Texture texture = make_texture(GL_TEXTURE_2D);
  glTextureStorage2D(texture.get(), 1, format, width, height);
  for (const GLenum direction : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T}) {
    glTextureParameteri(texture.get(), direction, GL_CLAMP_TO_EDGE);
  }
  for (const GLenum which : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) {
    if (filter != GL_NONE) glTextureParameteri(texture.get(), which, static_cast<GLint>(filter));
  }
  return texture;
}

Framebuffer framebuffer_of(const Texture& colour) {
  Framebuffer framebuffer = make_framebuffer();
  glNamedFramebufferTexture(framebuffer.get(), GL_COLOR_ATTACHMENT0, colour.get(), 0);
  return framebuffer;
}

namespace {

void require_complete(const Framebuffer& framebuffer, const char* what) {
  if (glCheckNamedFramebufferStatus(framebuffer.get(), GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return;
  throw GlError(fmt::format("this driver cannot {}. Use a newer driver, or software OpenGL.", what));
}

Framebuffer make_complete(const Texture& colour, const Texture& depth) {
  Framebuffer framebuffer = framebuffer_of(colour);
  glNamedFramebufferTexture(framebuffer.get(), GL_DEPTH_ATTACHMENT, depth.get(), 0);
  require_complete(framebuffer, "render to 16-bit floats");
  return framebuffer;
}

}  // namespace

void HdrTarget::resize(int width, int height) {
  if (width == width_ && height == height_) return;
  colour_ = make_picture(GL_RGBA16F, width, height);
  lines_ = make_picture(GL_R11F_G11F_B10F, width, height);
  depth_ = make_picture(GL_DEPTH_COMPONENT32F, width, height);
  framebuffer_ = make_complete(colour_, depth_);
  line_framebuffer_ = make_complete(lines_, depth_);
  width_ = width, height_ = height;
}

void HdrTarget::bind(const Framebuffer& framebuffer) const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.get());
  glViewport(0, 0, width_, height_);
}

AlphaTarget::AlphaTarget(int width, int height)
    : colour_(make_picture(GL_RGBA16, width, height)),
      framebuffer_(framebuffer_of(colour_)),
      width_(width),
      height_(height) {
  require_complete(framebuffer_, "draw pictures with alpha of 16 bits");
}

}  // namespace tri::gl

namespace tri::render {

ShaderSources::ShaderSources(std::string folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  if (!folder_.empty() && !std::filesystem::is_directory(folder_, ignored)) {
    throw FileError(fmt::format("--shader-dir {}: there is no such folder.", folder_));
  }
  for (const embedded::Shaders& file : embedded::kShaders) {
    add_parts(file.text);
    if (const auto own = in_folder(file.name)) add_parts("\n" + *own);
  }
}

void ShaderSources::add_parts(std::string_view file) {
  constexpr std::string_view kPart = "\n//@ ";  // and the name of what follows, up to the next
  for (std::size_t at = file.find(kPart), next = 0; at != file.npos; at = next) {
    const std::size_t begin = at + kPart.size(), end = std::min(file.find('\n', begin), file.size() - 1);
    next = file.find(kPart, end);
    parts_[std::string(file.substr(begin, end - begin))] = file.substr(end + 1, next - end);
  }
}

std::optional<std::string> ShaderSources::in_folder(std::string_view name) const {
  const std::filesystem::path path = std::filesystem::path(folder_) / name;
  std::error_code ignored;
  if (folder_.empty() || !std::filesystem::exists(path, ignored)) return std::nullopt;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw FileError(fmt::format("{}: the shader is no file.", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw FileError(fmt::format("{}: the shader cannot be read.", path.string()));
  return text.str();
}

std::string ShaderSources::raw(std::string_view name) const {
  if (std::optional<std::string> own = in_folder(name)) return *std::move(own);
  if (const auto part = parts_.find(name); part != parts_.end()) return part->second;
  throw FileError(fmt::format("there is no shader '{}'.", name));
}

std::string ShaderSources::text(std::string_view name) const {
  const std::string whole = raw(name);
  std::istringstream lines(whole);
  std::string out = whole.starts_with("#version") ? "" : "#version 450 core\n";
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kInclude = "#include \"";
    if (line.starts_with(kInclude)) {
      const std::size_t end = line.find('"', kInclude.size());
      out += raw(std::string_view(line).substr(kInclude.size(), end - kInclude.size()));
    } else {
      out += line + "\n";
    }
  }
  return out;
}

std::vector<std::string> ShaderSources::names() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : parts_) {
    if (!name.starts_with("include/")) names.push_back(name);
  }
  return names;
}

}  // namespace tri::render

namespace tri::gl {
namespace {

GLenum stage_of(std::string_view name) {
  if (name.ends_with(".vert")) return GL_VERTEX_SHADER;
  if (name.ends_with(".frag")) return GL_FRAGMENT_SHADER;
  if (name.ends_with(".comp")) return GL_COMPUTE_SHADER;
  throw GlError(fmt::format("the shader {} must end in .vert, .frag or .comp.", name));
}

/// A log joined into one line. Drivers that lack memory leave it empty.
std::string one_line(std::string log) {
  log.resize(std::min(log.find('\0'), log.size()));
  while (!log.empty() && log.back() == '\n') log.pop_back();
  std::replace(log.begin(), log.end(), '\n', ';');
  return log.empty() ? "the driver gives no reason; it may lack memory." : log;
}

Shader compile(std::string_view name, const std::string& text) {
  Shader shader(glCreateShader(stage_of(name)));
  const char* source = text.c_str();
  glShaderSource(shader.get(), 1, &source, nullptr);
  glCompileShader(shader.get());
  GLint ok = 0, length = 0;
  glGetShaderiv(shader.get(), GL_COMPILE_STATUS, &ok);
  if (ok == GL_TRUE) return shader;
  glGetShaderiv(shader.get(), GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(std::max(length, 1)), '\0');
  glGetShaderInfoLog(shader.get(), length, nullptr, log.data());
  throw GlError(fmt::format("the shader {} does not compile: {}", name, one_line(log)));
}

}  // namespace

ShaderProgram::ShaderProgram(const render::ShaderSources& sources, std::initializer_list<std::string_view> shaders)
    : program_(glCreateProgram()) {
  std::string names;
  std::vector<Shader> parts;
  for (const std::string_view name : shaders) {
    parts.push_back(compile(name, sources.text(name)));
    glAttachShader(program_.get(), parts.back().get());
    names += fmt::format("{}{}", names.empty() ? "" : " + ", name);
  }
  glLinkProgram(program_.get());
  GLint ok = 0, length = 0;
  glGetProgramiv(program_.get(), GL_LINK_STATUS, &ok);
  if (ok != GL_TRUE) {
    glGetProgramiv(program_.get(), GL_INFO_LOG_LENGTH, &length);
    std::string log(static_cast<std::size_t>(std::max(length, 1)), '\0');
    glGetProgramInfoLog(program_.get(), length, nullptr, log.data());
    throw GlError(fmt::format("the shaders {} do not link: {}", names, one_line(log)));
  }
  for (const Shader& part : parts) glDetachShader(program_.get(), part.get());
}

}  // namespace tri::gl

namespace tri::render {
namespace {

/// A persistently mapped buffer of three parts: the engine writes one while GL still reads the others.
class CopyBuffer final : public InstanceBuffer {
 public:
  explicit CopyBuffer(std::size_t n) : n_(n), buffer_(gl::make_buffer()) {
    GLint step = 256;
    glGetIntegerv(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, &step);
    const std::size_t align = step > 0 ? static_cast<std::size_t>(step) : 256;
    stride_ = (n * sizeof(Instance) + align - 1) / align * align;
    constexpr GLbitfield kAccess = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const GLsizeiptr bytes = static_cast<GLsizeiptr>(stride_ * kParts);
    glNamedBufferStorage(buffer_.get(), bytes, nullptr, kAccess);
    memory_ = static_cast<std::byte*>(glMapNamedBufferRange(buffer_.get(), 0, bytes, kAccess));
    if (memory_ == nullptr) {
      throw MemoryError("the graphics driver has no memory for the instances of the bodies. Use fewer bodies.");
    }
  }
  ~CopyBuffer() override { glUnmapNamedBuffer(buffer_.get()); }
  CopyBuffer(const CopyBuffer&) = delete;
  CopyBuffer& operator=(const CopyBuffer&) = delete;

  PresentPath path() const override { return PresentPath::copy; }
  std::size_t size() const override { return n_; }

  InstanceSink sink() override {
    next_ = (shown_ + 1) % kParts;
    fences_[next_].wait();
    return {InstanceSink::Place::host, {reinterpret_cast<Instance*>(memory_ + next_ * stride_), n_}};
  }
  void written() override { shown_ = next_; }
  void bind(u32 binding) const override {
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, binding, buffer_.get(), static_cast<GLintptr>(shown_ * stride_),
                      static_cast<GLsizeiptr>(n_ * sizeof(Instance)));
  }
  void drawn() override { fences_[shown_].insert(); }

 private:
  static constexpr std::size_t kParts = 3;
  std::size_t n_, stride_ = 0;
  gl::Buffer buffer_;
  std::byte* memory_ = nullptr;
  std::array<gl::Fence, kParts> fences_;
  std::size_t shown_ = 0, next_ = 0;
};

}  // namespace

std::unique_ptr<InstanceBuffer> make_copy_buffer(std::size_t n) { return std::make_unique<CopyBuffer>(n); }

}  // namespace tri::render
