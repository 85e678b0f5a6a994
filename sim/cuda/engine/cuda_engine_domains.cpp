// Steps in which each of several ranks moves some of the bodies, and the whole state around them.

#include "sim/base/contracts.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"

namespace tri::cuda {

template <class Real>
void CudaEngine<Real>::divide() {
  if (!work_.domains || divided_) return;
  TRI_EXPECTS(whole_);
  work_.domains->divide(stream_, arrays());
  divided_ = true;
  array_ = 0;
  recorded_.clear(), warm_ = false;
}

template <class Real>
void CudaEngine<Real>::make_whole() {
  if (whole_) return;
  use_device();
  work_.domains->gather(stream_, array_, arrays());
  whole_ = true;
}

template <class Real>
void CudaEngine<Real>::take_over_whole() {
  make_whole();
  divided_ = false;
}

template <class Real>
void CudaEngine<Real>::make_room() {
  if (divided_) {
    work_.domains->note_lack(stream_);
    take_over_whole();
    divide();
  } else {
    work_.contacts->grow(stream_);
  }
  recorded_.clear();
}

template <class Real>
bool CudaEngine<Real>::contacts_left_range() {
  if (!work_.contacts) return false;
  const bool whole = work_.contacts->left_range(stream_);
  const bool own = work_.domains && work_.domains->left_range(stream_);
  return ranks_ != nullptr ? ranks_->largest(whole || own ? 1 : 0) != 0 : whole;
}

template class CudaEngine<float>;
template class CudaEngine<double>;

}  // namespace tri::cuda
