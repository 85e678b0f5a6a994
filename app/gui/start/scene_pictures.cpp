#include "app/gui/start/scene_pictures.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "app/gui/start/scene_card.hpp"
#include "render/gl/gl.hpp"
#include "render/image.hpp"
#include "sim/base/error.hpp"
#include "sim/io/files/user_file.hpp"

namespace tri::app::gui::start {
namespace {

namespace fs = std::filesystem;

constexpr int kLowest = 19;  // priority

/// Runs this program; nothing is read or printed. 0: it cannot be started.
pid_t start_program(const std::vector<std::string>& arguments) {
  std::error_code fault;
  const std::string program = fs::read_symlink("/proc/self/exe", fault).string();
  if (fault) return 0;
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  }
  pid_t process = 0;
  const int error = posix_spawn(&process, program.c_str(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return 0;
  setpriority(PRIO_PROCESS, static_cast<id_t>(process), kLowest);
  return process;
}

}  // namespace

std::string picture_folder() { return io::user_cache("pictures"); }

ScenePictures::~ScenePictures() {
  if (made_) {
    kill(made_->process, SIGTERM);  // it ends by itself, at its low priority
    if (temporary_) waitpid(made_->process, nullptr, 0);
  }
  std::error_code ignored;
  if (temporary_) fs::remove_all(folder_, ignored);
}

bool ScenePictures::make_folder() {
  if (std::exchange(ready_, true)) return !folder_.empty();
  std::error_code fault;
  if (!folder_.empty()) fs::create_directories(folder_, fault);
  if (!folder_.empty() && !fault && access(folder_.c_str(), W_OK) == 0) return true;
  std::string name = (fs::temp_directory_path(fault) / "triangulum-XXXXXX").string();
  temporary_ = !fault && mkdtemp(name.data()) != nullptr;
  folder_ = temporary_ ? name : std::string();
  return temporary_;
}

/// Whether the file held a picture; it is then a texture.
bool ScenePictures::take(GalleryState& gallery, const std::string& spec, const std::string& path) {
  std::error_code fault;
  if (!fs::exists(path, fault)) return false;
  try {
    const render::Image image = render::read_png(path);
    gl::Texture texture = gl::make_texture(GL_TEXTURE_2D);
    const auto width = static_cast<GLsizei>(image.width), height = static_cast<GLsizei>(image.height);
    glTextureStorage2D(texture.get(), 1, GL_RGB8, width, height);
    glTextureParameteri(texture.get(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(texture.get(), 0, 0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, image.rgb.data());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gallery.pictures[spec] = texture.get();
    textures_[spec] = std::move(texture);
    return true;
  } catch (const Error&) {  // damaged: it is made again
    fs::remove(path, fault);
    return false;
  }
}

void ScenePictures::begin(GalleryState& gallery, const std::string& spec, const std::string& path) {
  const std::vector<std::string> arguments = picture_arguments(spec, path);
  const pid_t process = arguments.empty() ? 0 : start_program(arguments);
  if (process > 0) {
    made_ = {process, spec, path};
  } else {
    gallery.pictures[spec] = 0;  // none
  }
}

void ScenePictures::work(GalleryState& gallery) {
  for (std::string& spec : gallery.wanted) {
    const bool known = gallery.pictures.contains(spec) || (made_ && made_->spec == spec) ||
                       std::find(waiting_.begin(), waiting_.end(), spec) != waiting_.end();
    if (!known) waiting_.push_back(std::move(spec));
  }
  gallery.wanted.clear();
  if (made_ && waitpid(made_->process, nullptr, WNOHANG) != 0) {
    const Made made = *std::exchange(made_, std::nullopt);
    if (!take(gallery, made.spec, made.path)) gallery.pictures[made.spec] = 0;
  } else if (!made_ && !waiting_.empty()) {
    const std::string spec = std::move(waiting_.front());
    waiting_.pop_front();
    if (!make_folder()) {
      gallery.pictures[spec] = 0;
    } else if (const std::string path = folder_ + "/" + picture_name(spec); !take(gallery, spec, path)) {
      begin(gallery, spec, path);
    }
  }
  gallery.pending = waiting_.size() + (made_ ? 1 : 0);
}

}  // namespace tri::app::gui::start
