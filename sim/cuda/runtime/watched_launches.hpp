#pragma once
/// Long work in many launches that a progress sink (sim/base/progress.hpp) watches and may end.

#include <array>

#include "sim/base/progress.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/cuda/runtime/stream.hpp"

namespace tri::cuda {

/// launch(k) for all k < launches. With a progress sink and a named task, at most two are in flight, so that reports
/// are accurate and an exception of the sink cancels the rest; else all are enqueued at once. Not while the stream is
/// being captured.
template <class Launch>
void launch_watched(cudaStream_t stream, u32 launches, const Launch& launch) {
  if (launches < 3 || !progress_is_wanted()) {
    for (u32 k = 0; k < launches; ++k) launch(k);
    return;
  }
  std::array<Event, 2> done;
  LoopProgress report(launches);
  for (u32 k = 0; k < launches; ++k) {
    Event& event = done[k % 2];
    if (k >= 2) event.wait(), report.at(k - 1);
    launch(k);
    event.record(stream);
  }
}

/// The same for one of several ranks, none of which may end alone: nobody watches them.
template <class Launch>
void launch_all(cudaStream_t stream, u32 launches, const GridCut& cut, const Launch& launch) {
  if (cut.step == 1) return launch_watched(stream, launches, launch);
  for (u32 k = 0; k < launches; ++k) launch(k);
}

/// The grids of work that was prepared in so many slices: of one all at once, else as above.
template <class... Data, class... Arguments>
void enqueue_watched(const Prepared<Data...>& work, u32 slices, cudaStream_t stream, const Arguments&... data) {
  if (slices < 2) return work.enqueue(stream, data...);
  if (work.begin) work.begin(stream, data...);
  launch_watched(stream, work.launches, [&](u32 k) { work.launch(stream, k, data...); });
  if (work.end) work.end(stream, data...);
}

}  // namespace tri::cuda
