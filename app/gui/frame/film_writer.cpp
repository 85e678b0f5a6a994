#include "app/gui/frame/film_writer.hpp"

#include <exception>

namespace tri::app::gui {
namespace {

constexpr std::size_t kMostWaiting = 2;

}  // namespace

FilmWriter::FilmWriter(std::unique_ptr<render::FrameSink> sink) : sink_(std::move(sink)), thread_([this] { run(); }) {}

FilmWriter::~FilmWriter() {
  {
    const std::lock_guard lock(mutex_);
    leave_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool FilmWriter::has_room() const {
  const std::lock_guard lock(mutex_);
  return frames_.size() < kMostWaiting;
}

void FilmWriter::add(render::Image image, render::ImageTexts texts) {
  {
    const std::lock_guard lock(mutex_);
    frames_.emplace_back(std::move(image), std::move(texts));
  }
  changed_.notify_all();
}

void FilmWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    finish_ = true;
  }
  changed_.notify_all();
}

bool FilmWriter::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void FilmWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_; });
}

std::string FilmWriter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void FilmWriter::run() {
  std::string failure;
  try {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !frames_.empty() || finish_ || leave_; });
      if (frames_.empty()) {
        const bool finish = finish_;
        lock.unlock();
        if (finish) sink_->finish();
        break;
      }
      const auto [image, texts] = std::move(frames_.front());
      frames_.pop_front();
      lock.unlock();
      sink_->add(image, texts);
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  sink_.reset();  // a video that is not finished goes
  {
    const std::lock_guard lock(mutex_);
    frames_.clear();
    failure_ = failure;
    ended_ = true;
  }
  changed_.notify_all();
}

}  // namespace tri::app::gui
