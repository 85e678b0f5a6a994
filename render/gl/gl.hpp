#pragma once
/// OpenGL: objects by their owners, shader programs and their sources, timers, buffers shared with CUDA.
///
/// OpenGL 4.5 core, as declared by the generated loader. Include no other GL header.

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <glad/gl.h>

#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/progress.hpp"

// GL errors as exceptions, and collection of the driver's messages.

namespace tri::gl {

/// OpenGL is missing, too old, or failed (exit 7). The sentence says what to do.
struct GlError : Error {
  explicit GlError(const std::string& sentence) : Error(ExitCode::no_display, sentence) {}
};

/// Loads the OpenGL functions through `load`. Throws GlError unless the current context has version 4.5 or later.
using LoadFunction = void (*(*)(const char* name))();
void load_functions(LoadFunction load);

/// Renderer and version strings of the current context.
std::string renderer_name();

/// Whether the current context renders in software (Mesa without a GPU).
bool is_software();
/// "GPU", or the name of the software that draws in its place.
std::string driver_kind();

/// Collects the driver's messages for the current context. Must outlive the use of the context; not movable, since the
/// driver keeps its address.
class Messages {
 public:
  Messages();
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// Number of errors since the start, reported by the driver or found by check().
  u64 errors() const noexcept { return errors_; }
  /// The text of each error; the first 16.
  const std::vector<std::string>& texts() const noexcept { return texts_; }
  void add(const std::string& text);

  /// Collects all pending errors of glGetError(), with `where` in their texts.
  void check(const char* where);

 private:
  u64 errors_ = 0;
  std::vector<std::string> texts_;
};

// Drivers of graphics, Mesa's software driver above all, do not look whether they got their memory.

/// Before a context is made where the memory of the session is limited (ulimit -v, -d): throws MemoryError if the
/// address space that is left is too small for a driver. From then on, a crash of the process ends it with the exit
/// code of a lack of memory and a sentence: that is what it is nearly always.
void require_driver_memory();

// Owning names of GL objects (direct state access). Use them on the thread with the current context, and destroy them
// before the context.

/// kDelete: the GL function that deletes such objects. A name of 0 owns nothing.
template <auto& kDelete>
class Name {
 public:
  Name() = default;
  explicit Name(GLuint name) : name_(name) {}
  Name(Name&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  Name& operator=(Name&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~Name() {
    if (name_ == 0) return;
    if constexpr (std::is_invocable_v<decltype(kDelete), GLuint>) {
      kDelete(name_);
    } else {
      kDelete(1, &name_);
    }
  }
  GLuint get() const noexcept { return name_; }
  explicit operator bool() const noexcept { return name_ != 0; }

 private:
  GLuint name_ = 0;
};

using Buffer = Name<glDeleteBuffers>;
using Texture = Name<glDeleteTextures>;
using VertexArray = Name<glDeleteVertexArrays>;
using Framebuffer = Name<glDeleteFramebuffers>;
using Query = Name<glDeleteQueries>;
using Program = Name<glDeleteProgram>;
using Shader = Name<glDeleteShader>;

/// One object from a glCreate function that may take a target.
template <class Object, class Create, class... Target>
Object created(Create create, Target... target) {
  GLuint name = 0;
  create(target..., 1, &name);
  return Object(name);
}

inline Buffer make_buffer() { return created<Buffer>(glCreateBuffers); }
inline Texture make_texture(GLenum target) { return created<Texture>(glCreateTextures, target); }
inline VertexArray make_vertex_array() { return created<VertexArray>(glCreateVertexArrays); }
inline Framebuffer make_framebuffer() { return created<Framebuffer>(glCreateFramebuffers); }
inline Query make_query(GLenum target) { return created<Query>(glCreateQueries, target); }

/// A texture of one level, clamped at its edges; filter: of both directions, GL_NONE: OpenGL's usual ones.
Texture make_picture(GLenum format, int width, int height, GLenum filter = GL_NONE);
/// A framebuffer that draws into a texture.
Framebuffer framebuffer_of(const Texture& colour);

// A GL fence: wait() returns when all commands before it have completed.

class Fence {
 public:
  Fence() = default;
  Fence(Fence&& other) noexcept : sync_(std::exchange(other.sync_, nullptr)) {}
  Fence& operator=(Fence&& other) noexcept {
    std::swap(sync_, other.sync_);
    return *this;
  }
  ~Fence() { reset(); }

  /// Inserts the fence into the command stream, replacing an earlier one.
  void insert() {
    reset();
    sync_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  }
  bool inserted() const noexcept { return sync_ != nullptr; }

  /// Whether all commands before the fence have completed; true without a fence. Does not wait.
  bool signaled() const {
    if (sync_ == nullptr) return true;
    const GLenum state = glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    return state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED;
  }
  void wait() const {
    constexpr GLuint64 kSecond = 1'000'000'000;
    while (sync_ != nullptr && glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond) == GL_TIMEOUT_EXPIRED) {
    }
  }
  /// Makes later commands of the current context wait on the GPU for the fence, which may be from another context that
  /// was flushed. Does not block the CPU.
  void wait_on_gpu() const {
    if (sync_ != nullptr) glWaitSync(sync_, 0, GL_TIMEOUT_IGNORED);
  }
  void reset() {
    if (sync_ != nullptr) glDeleteSync(sync_);
    sync_ = nullptr;
  }

 private:
  GLsync sync_ = nullptr;
};

// The HDR render target before tone mapping: 16-bit float colour, a depth buffer, and a layer for lines over light.

class HdrTarget {
 public:
  /// Reallocates if the size changes. width and height >= 1, in pixels.
  void resize(int width, int height);
  /// Binds the framebuffer and sets the viewport to its size.
  void bind() const { bind(framebuffer_); }
  /// The same for a framebuffer of the same depth, whose colour is lines(): unsigned floats, no alpha.
  void bind_lines() const { bind(line_framebuffer_); }
  GLuint colour() const noexcept { return colour_.get(); }
  GLuint depth() const noexcept { return depth_.get(); }
  GLuint lines() const noexcept { return lines_.get(); }
  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }

 private:
  void bind(const Framebuffer& framebuffer) const;

  Framebuffer framebuffer_, line_framebuffer_;
  Texture colour_, depth_, lines_;
  int width_ = 0, height_ = 0;
};

/// A picture with alpha, 16 bits a channel (GL_RGBA16), so that faint light over nothing keeps its steps.
class AlphaTarget {
 public:
  /// width and height >= 1, in pixels. Throws GlError where the driver cannot draw to it.
  AlphaTarget(int width, int height);
  GLuint texture() const noexcept { return colour_.get(); }
  /// For read_alpha_framebuffer().
  void bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get()); }
  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }

 private:
  Texture colour_;
  Framebuffer framebuffer_;
  int width_, height_;
};

// GPU time between begin() and end(), read back some frames later to avoid a stall.

/// Seconds to add to a time of the GPU that make it one of clock_s(). Costs some microseconds; clocks part, so ask
/// again from time to time.
inline double gpu_clock_offset() {
  GLint64 ns = 0;
  const double before = clock_s();
  glGetInteger64v(GL_TIMESTAMP, &ns);
  return (before + clock_s()) / 2 - static_cast<double>(ns) * 1e-9;
}

class GpuTimer {
 public:
  /// Seconds of the GPU's clock.
  struct Span {
    double begin = 0, end = 0;
  };

  void begin() { stamp(pairs_[at_].begin); }
  void end() {
    stamp(pairs_[at_].end);
    at_ = (at_ + 1) % kInFlight;
    const Pair& oldest = pairs_[at_];  // of kInFlight - 1 frames ago
    if (!oldest.end) return;
    last_ = {seconds(oldest.begin), seconds(oldest.end)};
    if (done_.size() < kMaxDone) done_.push_back(last_);
  }
  /// Time of a frame some frames ago; 0 before the first.
  double ms() const noexcept { return (last_.end - last_.begin) * 1e3; }
  /// What was read back since the last call; of the many frames of a program that does not call it, the first.
  std::vector<Span> take() { return std::exchange(done_, {}); }

 private:
  struct Pair {
    Query begin, end;
  };
  static void stamp(Query& query) {
    if (!query) query = make_query(GL_TIMESTAMP);
    glQueryCounter(query.get(), GL_TIMESTAMP);
  }
  static double seconds(const Query& query) {
    GLuint64 ns = 0;
    glGetQueryObjectui64v(query.get(), GL_QUERY_RESULT, &ns);
    return static_cast<double>(ns) * 1e-9;
  }

  static constexpr u32 kInFlight = 4;
  static constexpr std::size_t kMaxDone = 8;
  std::array<Pair, kInFlight> pairs_;
  u32 at_ = 0;
  Span last_;
  std::vector<Span> done_;
};

}  // namespace tri::gl

// Shader sources: embedded in the program, or overridden by files in a folder (--shader-dir).

namespace tri::render {

class ShaderSources {
 public:
  /// A file in `folder`, if not empty, overrides the embedded shader or file of shaders of the same name.
  explicit ShaderSources(std::string folder = {});

  /// The source with #include "..." lines expanded, one level deep. Throws FileError for an unknown name or an
  /// unreadable file.
  std::string text(std::string_view name) const;
  /// Of all shaders in the files of shaders/, without those that others include.
  std::vector<std::string> names() const;

 private:
  void add_parts(std::string_view file);
  std::optional<std::string> in_folder(std::string_view name) const;
  std::string raw(std::string_view name) const;

  std::string folder_;
  std::map<std::string, std::string, std::less<>> parts_;  ///< by name
};

}  // namespace tri::render

// A linked shader program.

namespace tri::gl {

class ShaderProgram {
 public:
  /// The extension of each shader determines its stage: .vert, .frag, .comp. Throws GlError with the shader's name and
  /// the driver's log in one line.
  ShaderProgram(const render::ShaderSources& sources, std::initializer_list<std::string_view> shaders);

  void use() const { glUseProgram(program_.get()); }

 private:
  Program program_;
};

}  // namespace tri::gl

// The GL buffer into which a backend publishes instances.
//
// A frame: `sink()` -> the engine publishes -> `written()` -> `bind()` and draw -> `drawn()`. Two paths: interop (the
// CUDA backend writes into the mapped GL buffer) and copy (host memory read by GL, triple-buffered, so that no frame
// waits for the previous one).

namespace tri::render {

enum class PresentPath : u8 { copy, interop };

class InstanceBuffer {
 public:
  virtual ~InstanceBuffer() = default;
  virtual PresentPath path() const = 0;
  virtual std::size_t size() const = 0;  ///< bodies
  /// Memory of size() instances, which the caller fills before written(). Throws GlError if it is not available.
  virtual InstanceSink sink() = 0;
  /// Ends writing; bind() then uses the new instances.
  virtual void written() = 0;
  /// Binds the last written instances as shader storage.
  virtual void bind(u32 binding) const = 0;
  /// Ends drawing of this frame.
  virtual void drawn() = 0;
};

/// The copy path, which is always available. n >= 1.
std::unique_ptr<InstanceBuffer> make_copy_buffer(std::size_t n);

// A GL buffer that the CUDA backend writes directly, mapped and unmapped every frame. A build without CUDA links
// interop_absent.cpp.

/// device: the CUDA device that publishes. Null, with a phrase in `reason`, if GL and that device cannot share memory
/// (another GPU or software renders). Call it only with a CUDA backend.
std::unique_ptr<InstanceBuffer> make_interop_buffer(std::size_t n, int device, std::string& reason);

}  // namespace tri::render
