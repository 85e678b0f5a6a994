#pragma once
/// Destinations of recorded frames: PNG files in a folder, one PNG file, or a video by ffmpeg. Frames added before an
/// error stay intact.

#include <memory>
#include <string>

#include "render/image.hpp"

namespace tri::render {

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// Adds the next frame. Throws FileError.
  virtual void add(const Image& image, const ImageTexts& texts) = 0;
  /// The same with alpha, which a video has not. Throws FileError.
  virtual void add(const AlphaImage& image, const ImageTexts& texts) = 0;
  /// Call after the last frame. Throws FileError. Without it a video is discarded; PNG files stay.
  virtual void finish() = 0;
};

/// frame_000001.png, ... in a folder, which is created if needed. Throws FileError if it is not writable or already has
/// frames, which would be mistaken for frames of this recording.
std::unique_ptr<FrameSink> make_folder_sink(const std::string& folder);

/// Throws the FileError of make_folder_sink(), without creating the folder.
void check_frame_folder(const std::string& folder);

/// One PNG file, replaced by every frame. Throws FileError if its folder is not writable.
std::unique_ptr<FrameSink> make_image_sink(const std::string& path);

/// An .mp4 file, encoded by the ffmpeg in PATH, which gets the frames through a pipe. The file appears when it is
/// finished. All frames have the size of the first, both sides even. fps: frames per second, >= 1. Throws FileError
/// without ffmpeg, and with ffmpeg's message if it fails. The program must ignore SIGPIPE.
std::unique_ptr<FrameSink> make_video_sink(const std::string& path, u32 fps);

/// Throws the FileError of a video without ffmpeg.
void require_ffmpeg(const std::string& path);

/// Whether ffmpeg is in PATH.
bool video_available();

}  // namespace tri::render
