#pragma once
/// Where the frames of a film go: PNG files of a folder, one PNG file, or ffmpeg. What was added before an error or an
/// end stays whole.

#include <memory>
#include <string>

#include "render/picture.hpp"

namespace tri::render {

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// The next frame. Throws FileError.
  virtual void add(const Picture& picture, const PictureTexts& texts) = 0;
  /// After the last frame. Throws FileError. Without it a video is thrown away; pictures stay.
  virtual void finish() = 0;
};

/// frame_000001.png and so on, in a folder that is made when it is not there. Throws FileError where nothing can be
/// written, and where frames of an earlier film lie, which would be taken for frames of this one.
std::unique_ptr<FrameSink> make_folder_sink(const std::string& folder);

/// One PNG file: every frame replaces the one before. Throws FileError where its folder is not there.
std::unique_ptr<FrameSink> make_picture_sink(const std::string& path);

/// An .mp4 file made by the ffmpeg that stands in PATH, which gets the pictures through a pipe. The file has its name
/// when it is finished. All frames have the size of the first, both sides even. fps: frames a second, >= 1. Throws
/// FileError where there is no ffmpeg, and with ffmpeg's own words when it fails. The program must ignore SIGPIPE.
std::unique_ptr<FrameSink> make_video_sink(const std::string& path, u32 fps);

/// Whether there is an ffmpeg in PATH.
bool video_available();

}  // namespace tri::render
