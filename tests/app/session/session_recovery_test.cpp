// A session whose device fails continues on the cpu backend, bit for bit.

#include <gtest/gtest.h>

#include <exception>
#include <utility>

#include "app/session/session.hpp"
#include "sim/base/error.hpp"
#include "tests/app/session/session_support.hpp"
#include "tests/support/forwarding_backend.hpp"

namespace tri::app {
namespace {

/// The cpu backend under another name. Its engines fail from a given step on; if `blind`, they cannot be read either.
class Failing final : public test::ForwardingBackend {
 public:
  Failing(u64 fails_at, bool blind, std::exception_ptr error)
      : fails_at_(fails_at), blind_(blind), error_(std::move(error)) {}
  BackendInfo info() const override { return {"cuda", "a card that breaks", ""}; }

 private:
  struct Broken final : test::ForwardingEngine {
    Broken(std::unique_ptr<tri::Engine> engine, u64 at, bool blindly, std::exception_ptr with)
        : ForwardingEngine(std::move(engine)), fails_at(at), blind(blindly), error(std::move(with)) {}
    void fail() const {
      if (step >= fails_at) std::rethrow_exception(error);
    }
    void advance(Integrator i, double dt, u64 steps) override {
      for (; steps > 0; --steps, ++step) fail(), ForwardingEngine::advance(i, dt, 1);
    }
    Bodies read() const override {
      if (blind) fail();
      return ForwardingEngine::read();
    }
    void publish(InstanceSink& sink) override { fail(), ForwardingEngine::publish(sink); }
    u64 fails_at, step = 0;
    bool blind;
    std::exception_ptr error;
  };
  std::unique_ptr<tri::Engine> wrap(std::unique_ptr<tri::Engine> engine, const ForceField&) override {
    return std::make_unique<Broken>(std::move(engine), fails_at_, blind_, error_);
  }
  u64 fails_at_;
  bool blind_;
  std::exception_ptr error_;
};

std::unique_ptr<Backend> failing(u64 at, bool blind) {
  return std::make_unique<Failing>(
      at, blind,
      std::make_exception_ptr(Error(ExitCode::numerical, "cudaGraphLaunch failed: unspecified launch failure.")));
}

TEST(Session, ALostDeviceIsReplacedAndTheStateIsKept) {
  Session s(failing(5, false), {"plummer:n=64"}, {}), whole(cpu(), {"plummer:n=64"}, {});
  EXPECT_EQ(s.model().backend.name, "cuda");
  s.apply(ask::Run{true});
  s.apply(ask::StepsPerFrame{2});
  for (int k = 0; k < 6; ++k) s.advance(1e9);
  EXPECT_EQ(s.failure(), nullptr);
  EXPECT_EQ(s.model().backend.name, "cpu");
  EXPECT_EQ(s.backends(), 1u);
  EXPECT_EQ(s.generation(), whole.generation()) << "the same scene";
  EXPECT_TRUE(s.model().running);
  ASSERT_EQ(s.model().notices.size(), 1u);
  EXPECT_NE(s.model().notices[0].text.find("goes on with the cpu backend at step"), std::string::npos)
      << s.model().notices[0].text;
  steps(whole, s.model().steps);
  EXPECT_GE(s.model().steps, 8u);
  EXPECT_EQ(hash_of(s), hash_of(whole)) << "bit for bit, as if nothing had happened";
  s.apply(ask::Reset{});
  s.apply(ask::Open{"plummer:n=32"});
  EXPECT_EQ(s.model().backend.name, "cpu") << "the device is not tried again";
}

TEST(Session, AnUnreadableStateContinuesFromTheLastCopy) {
  Session s(failing(5, true), {"plummer:n=64"}, {}), whole(cpu(), {"plummer:n=64"}, {});
  steps(s, 1);  // the first copy is made at once, the next a second later
  s.apply(ask::Take{9});
  for (int k = 0; k < 4; ++k) s.advance(1e9);
  EXPECT_EQ(s.model().backend.name, "cpu");
  EXPECT_EQ(s.model().steps, 10u) << "the requested steps are caught up";
  EXPECT_NEAR(s.model().time, 10 * s.model().scene.dt, 1e-12);
  EXPECT_NE(s.model().notices.back().text.find("from step 1, the last that could be kept"), std::string::npos)
      << s.model().notices.back().text;
  steps(whole, 10);
  EXPECT_EQ(hash_of(s), hash_of(whole));
}

TEST(Session, OtherErrorsKeepTheDevice) {
  for (const std::exception_ptr& error :
       {std::make_exception_ptr(ConfigError("no map.")), std::make_exception_ptr(FileError("no file.")),
        std::make_exception_ptr(MemoryError("no room.")), std::make_exception_ptr(NumericalError("no number.", 1))}) {
    Session s(std::make_unique<Failing>(2, false, error), {"plummer:n=64"}, {});
    steps(s, 5);
    EXPECT_NE(s.failure(), nullptr);
    EXPECT_EQ(s.model().backend.name, "cuda");
  }
}

TEST(Session, ADeviceThatFailsWhilePublishingIsReplacedToo) {
  Session s(failing(2, false), {"plummer:n=64"}, {}), whole(cpu(), {"plummer:n=64"}, {});
  steps(s, 2);
  std::vector<Instance> instances(64);
  InstanceSink sink{InstanceSink::Place::host, instances};
  s.publish(sink);
  EXPECT_EQ(s.backends(), 1u);
  steps(whole, 2);
  EXPECT_EQ(hash_of(s), hash_of(whole));
}

TEST(Session, ACompareOnALostDeviceKeepsItsStep) {
  Session s(cpu(), {"plummer:n=64"}, {}), whole(cpu(), {"plummer:n=64"}, {});
  steps(s, 3);
  s.apply(ask::LoseDevice{4});
  for (int k = 0; k < 2; ++k) steps(s, 4);
  EXPECT_EQ(s.backends(), 1u);
  EXPECT_EQ(s.model().steps, 7u);
  s.advance(1e9);
  EXPECT_EQ(s.model().steps, 11u);
  steps(whole, 11);
  EXPECT_EQ(hash_of(s), hash_of(whole));
}

}  // namespace
}  // namespace tri::app
