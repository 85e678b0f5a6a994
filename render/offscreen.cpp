#include "render/offscreen.hpp"

#include <dlfcn.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace tri::render {
namespace {

/// The EGL functions used, loaded at run time. The library is never closed: some drivers crash when unloaded.
struct Egl {
  decltype(&eglGetProcAddress) address = nullptr;
  decltype(&eglInitialize) initialize = nullptr;
  decltype(&eglTerminate) terminate = nullptr;
  decltype(&eglBindAPI) bind_api = nullptr;
  decltype(&eglChooseConfig) choose_config = nullptr;
  decltype(&eglCreateContext) create_context = nullptr;
  decltype(&eglDestroyContext) destroy_context = nullptr;
  decltype(&eglMakeCurrent) make_current = nullptr;
  PFNEGLQUERYDEVICESEXTPROC query_devices = nullptr;
  PFNEGLQUERYDEVICESTRINGEXTPROC device_string = nullptr;
  PFNEGLQUERYDEVICEATTRIBEXTPROC device_attribute = nullptr;
  PFNEGLGETPLATFORMDISPLAYEXTPROC platform_display = nullptr;
};

Egl load_egl() {
  void* library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw gl::GlError("offscreen rendering needs libEGL.so.1, which is missing. Install libegl1.");
  }
  Egl egl;
  bool all = true;
  const auto resolve = [&](auto& function, const char* name) {
    void* found = dlsym(library, name);
    if (found == nullptr && egl.address != nullptr) found = reinterpret_cast<void*>(egl.address(name));
    std::memcpy(&function, &found, sizeof found);
    all = all && found != nullptr;
  };
  resolve(egl.address, "eglGetProcAddress");
  resolve(egl.initialize, "eglInitialize");
  resolve(egl.terminate, "eglTerminate");
  resolve(egl.bind_api, "eglBindAPI");
  resolve(egl.choose_config, "eglChooseConfig");
  resolve(egl.create_context, "eglCreateContext");
  resolve(egl.destroy_context, "eglDestroyContext");
  resolve(egl.make_current, "eglMakeCurrent");
  resolve(egl.query_devices, "eglQueryDevicesEXT");
  resolve(egl.device_string, "eglQueryDeviceStringEXT");
  resolve(egl.device_attribute, "eglQueryDeviceAttribEXT");
  resolve(egl.platform_display, "eglGetPlatformDisplayEXT");
  if (!all) throw gl::GlError("this libEGL is too old for offscreen rendering. Install a newer libegl1.");
  return egl;
}

const Egl& egl() {
  static const Egl functions = load_egl();
  return functions;
}

void (*load(const char* name))() { return egl().address(name); }

/// Mesa's switch, which other drivers ignore.
bool software_requested() {
  const char* value = std::getenv("LIBGL_ALWAYS_SOFTWARE");
  const std::string_view text = value == nullptr ? "" : value;
  return !text.empty() && text != "0" && text != "false";
}

}  // namespace

struct Offscreen::Context {
  Context(Driver driver, int cuda_device) {
    gl::require_driver_memory();
    const bool only_software = driver == Driver::software || software_requested();
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    egl().query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count);
    std::stable_partition(devices.begin(), devices.begin() + std::max(count, 0), [cuda_device](EGLDeviceEXT device) {
      EGLAttrib number = -1;
      return cuda_device >= 0 && egl().device_attribute(device, EGL_CUDA_DEVICE_NV, &number) == EGL_TRUE &&
             number == cuda_device;
    });
    for (EGLint i = 0; i < count && context == EGL_NO_CONTEXT; ++i) {
      const char* has = egl().device_string(devices[static_cast<std::size_t>(i)], EGL_EXTENSIONS);
      const bool software = has != nullptr && std::strstr(has, "EGL_MESA_device_software") != nullptr;
      if (only_software && !software) continue;
      try_display(egl().platform_display(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr));
    }
    if (context == EGL_NO_CONTEXT) {
      throw gl::GlError(
          fmt::format("none of the {} EGL devices supports OpenGL 4.5. Install the GPU driver, or libegl-mesa0 for "
                      "software OpenGL.",
                      count));
    }
  }
  ~Context() {
    messages.reset();
    egl().make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    egl().destroy_context(display, context);
    egl().terminate(display);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  std::unique_ptr<gl::Messages> messages;

 private:
  void try_display(EGLDisplay candidate) {
    if (candidate == EGL_NO_DISPLAY || egl().initialize(candidate, nullptr, nullptr) != EGL_TRUE) return;
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint configs = 0;
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                              4,
                              EGL_CONTEXT_MINOR_VERSION,
                              5,
                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                              EGL_CONTEXT_OPENGL_DEBUG,
                              EGL_TRUE,
                              EGL_NONE};
    if (egl().bind_api(EGL_OPENGL_API) == EGL_TRUE &&
        egl().choose_config(candidate, wanted, &config, 1, &configs) == EGL_TRUE && configs > 0) {
      context = egl().create_context(candidate, config, EGL_NO_CONTEXT, version);
    }
    if (context != EGL_NO_CONTEXT &&
        egl().make_current(candidate, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE) {
      display = candidate;
      gl::load_functions(load);
      messages = std::make_unique<gl::Messages>();
      return;
    }
    if (context != EGL_NO_CONTEXT) egl().destroy_context(candidate, context);
    context = EGL_NO_CONTEXT;
    egl().terminate(candidate);
  }
};

struct Offscreen::Target {
  Target(u32 w, u32 h) : width(w), height(h) {}
  u32 width, height;
  gl::Texture colour = gl::make_picture(GL_RGBA8, static_cast<int>(width), static_cast<int>(height));
  gl::Framebuffer framebuffer = gl::framebuffer_of(colour);
};

Offscreen::Offscreen(u32 width, u32 height, Driver driver, int cuda_device)
    : context_(std::make_unique<Context>(driver, cuda_device)), target_(std::make_unique<Target>(width, height)) {}
Offscreen::~Offscreen() = default;

GLuint Offscreen::texture() const noexcept { return target_->colour.get(); }

Image Offscreen::image() const {
  glBindFramebuffer(GL_FRAMEBUFFER, target_->framebuffer.get());
  return read_framebuffer(target_->width, target_->height);
}

gl::Messages& Offscreen::messages() noexcept { return *context_->messages; }

}  // namespace tri::render
