#pragma once
/// Hands frames to a sink on a thread of its own, so that a PNG file or an encoder that takes long delays no frame of
/// the window.

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "render/frame_sink.hpp"

namespace tri::app::gui {

class FilmWriter {
 public:
  explicit FilmWriter(std::unique_ptr<render::FrameSink> sink);
  /// Waits for the frames that were added. Without finish() a video is discarded.
  ~FilmWriter();
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  /// Whether add() takes a frame now: at most two wait, 50 MB at 4K.
  bool has_room() const;
  void add(render::Image image, render::ImageTexts texts);
  /// After the last frame.
  void finish();
  /// Whether everything is written after finish(), or failed.
  bool ended() const;
  /// Until it has, after finish().
  void wait();
  /// Why it failed; empty: it did not.
  std::string failure() const;

 private:
  void run();

  std::unique_ptr<render::FrameSink> sink_;  ///< of the thread
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<render::Image, render::ImageTexts>> frames_;
  bool finish_ = false, leave_ = false, ended_ = false;
  std::string failure_;
  std::thread thread_;  ///< the last member: it uses the others
};

}  // namespace tri::app::gui
