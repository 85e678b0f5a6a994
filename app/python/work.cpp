#include "app/python/work.hpp"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "sim/backend/backend.hpp"

namespace tri::python {
namespace {

/// Longest wait for work of other threads at exit; what does not look in time goes on while the process ends.
constexpr double kPatience = 2;

std::atomic<pthread_t> main_thread{};

}  // namespace

bool InterpreterEnd::is_main_thread() { return pthread_equal(main_thread, pthread_self()) != 0; }

void InterpreterEnd::watch() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) return;  // not the main one, whose end it would not be
  const nanobind::object main = nanobind::module_::import_("threading").attr("main_thread")();
  main_thread = static_cast<pthread_t>(nanobind::cast<unsigned long>(main.attr("ident")));
  // Of the threads, a forked process has the one that forked, which is then Python's main thread.
  pthread_atfork(nullptr, nullptr, [] { main_thread = pthread_self(), taking_ = 0, working_ = 0; });
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function([] { close(); }));
}

void InterpreterEnd::enter() {
  ++taking_;
  if (!closing_ || is_main_thread()) return;
  --taking_;
  while (true) ::pause();
}

void InterpreterEnd::close() {
  closing_ = true;
  PyThreadState* const state = PyEval_SaveThread();
  const double begin = clock_s();
  while (taking_ > 0 || (working_ > 0 && clock_s() - begin < kPatience)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  finish_backends();
  PyEval_RestoreThread(state);
}

}  // namespace tri::python
