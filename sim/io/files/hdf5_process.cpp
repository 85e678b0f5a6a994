/// HDF5 read by a confined process: the questions, the answers, and both sides of them.
///
/// A question is its kind and four arguments; an answer is whether it succeeded, and what was asked for or the sentence
/// of the error. Rows come through shared memory, or in answers where the system lets them share none; while the parent
/// takes them, the process reads the next ones. The parent believes no length that it reads.

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sim/base/contracts.hpp"
#include "sim/base/memory.hpp"
#include "sim/io/files/confined_process.hpp"
#include "sim/io/files/hdf5_reader.hpp"

namespace tri::io {

namespace {

constexpr const char* kServerWord = "hdf5-reader";
constexpr std::size_t kMaxNames = 60000, kMaxSentence = 60000;  // bytes of an answer

// What the library may take: twice the largest chunk of data that a file of its size has any need for.
constexpr u64 kMemory = u64{1} << 30, kMemoryPerByte = 8;
constexpr u64 kSharedBytes = 2 * kMaxHdf5Values * sizeof(double);
constexpr u64 kAnswerValues = 8192;
constexpr u64 kSeconds = 60, kBytesPerSecond = u64{1} << 20;

std::string& program() {
  static std::string path;
  return path;
}

enum class Question : u64 { open, has, members, has_attribute, numbers, integer, text, shape, rows, values };

/// A message that ends before what is taken from it.
struct Cut {};

class Message {
 public:
  Message() = default;
  explicit Message(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class Number>
  requires std::is_arithmetic_v<Number> Message& add(Number v) {
    bytes_.append(reinterpret_cast<const char*>(&v), sizeof v);
    return *this;
  }
  Message& add(std::string_view text) {
    add(u64{text.size()});
    bytes_ += text;
    return *this;
  }

  template <class Number>
  Number take() {
    Number v{};
    std::memcpy(&v, piece(sizeof v).data(), sizeof v);
    return v;
  }
  std::string take_text() { return std::string(piece(take<u64>())); }

  const std::string& bytes() const { return bytes_; }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::string_view piece(u64 size) {
    if (size > bytes_.size() - at_) throw Cut{};
    at_ += static_cast<std::size_t>(size);
    return std::string_view(bytes_).substr(at_ - static_cast<std::size_t>(size), static_cast<std::size_t>(size));
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

Message question_of(Question kind, const std::string& object = "", const std::string& name = "", u64 first = 0,
                    u64 count = 0) {
  Message message;
  message.add(static_cast<u64>(kind)).add(object).add(name).add(first).add(count);
  return message;
}

/// What answers have at their beginning.
enum class Outcome : u64 { known, file_error, out_of_memory };

Message refusal(const Error& error) {
  const std::string_view sentence = error.what();
  return Message().add(static_cast<u64>(Outcome::file_error)).add(sentence.substr(0, kMaxSentence));
}

/// The side of the confined process.
class Server {
 public:
  Server(u64 size, std::span<double> shared) : size_(size), shared_(shared) {
    if (!shared_.empty()) return;
    own_.resize(2 * kMaxHdf5Values);
    shared_ = own_;
  }

  Message answer_to(Message question) {
    try {
      return Message(Message().add(static_cast<u64>(Outcome::known)).bytes() + known(question).bytes());
    } catch (const Error& error) {
      return refusal(error);
    } catch (const std::bad_alloc&) {
      return Message().add(static_cast<u64>(Outcome::out_of_memory)).add("");
    }
  }

  /// Reads the rows behind the last ones. A failure is met again when they are asked for.
  void read_ahead() {
    if (next_count_ == 0 || !ahead_.empty()) return;
    try {
      ahead_ = reader_->rows(shaped_, next_, next_count_);
    } catch (const std::exception&) {
      next_count_ = 0;
    }
  }

 private:
  Message known(Message& question) {
    const auto kind = static_cast<Question>(question.take<u64>());
    const std::string object = question.take_text(), name = question.take_text();
    const auto first = question.take<u64>(), count = question.take<u64>();
    Message out;
    switch (kind) {
      case Question::open:
        reader_ = read_hdf5_here(kGivenFile, object, size_, shared_);
        return out;
      case Question::has:
        return out.add(u64{reader_->has(object)});
      case Question::members:
        return names_from(first, object);
      case Question::has_attribute:
        return out.add(u64{reader_->has_attribute(object, name)});
      case Question::numbers: {
        const std::vector<double> values = reader_->numbers(object, name);
        out.add(u64{values.size()});
        for (const double v : values) out.add(v);
        return out;
      }
      case Question::integer:
        return out.add(reader_->integer(object, name));
      case Question::text:
        return out.add(reader_->text(object, name));
      case Question::shape: {
        const Hdf5Shape shape = reader_->shape(object);
        shaped_ = object, rows_ = shape.rows, next_count_ = 0, ahead_ = {};
        return out.add(shape.rows).add(shape.columns).add(u64{shape.dimensions});
      }
      case Question::rows: {
        const bool known = !ahead_.empty() && object == shaped_ && first == next_ && count == next_count_;
        const std::span<const double> values = known ? ahead_ : reader_->rows(object, first, count);
        ahead_ = {};
        if (object == shaped_) next_ = first + count, next_count_ = std::min(count, rows_ - std::min(rows_, next_));
        const auto offset = static_cast<u64>(values.data() - shared_.data());
        return out.add(offset).add(u64{values.size()}).add(reader_->bytes_read());
      }
      case Question::values:
        for (const double v : shared_.subspan(first, count)) out.add(v);
        return out;
    }
    TRI_UNREACHABLE("a Question outside its enum");
  }

  /// The number of all names, and those from `first` on that fit an answer.
  Message names_from(u64 first, const std::string& group) {
    const std::vector<std::string> names = reader_->members(group);
    Message out;
    out.add(u64{names.size()});
    for (u64 i = first; i < names.size() && out.bytes().size() + names[i].size() < kMaxNames; ++i) out.add(names[i]);
    return out;
  }

  u64 size_;
  std::span<double> shared_;
  std::vector<double> own_;  ///< in the place of shared memory
  std::unique_ptr<Hdf5Reader> reader_;
  std::string shaped_;             ///< the dataset whose shape was asked for last
  u64 rows_ = 0;                   ///< of it
  u64 next_ = 0, next_count_ = 0;  ///< its rows behind those that were asked for last
  std::span<const double> ahead_;  ///< these, if they were read
};

/// The side of the parent.
class Remote final : public Hdf5Reader {
 public:
  Remote(int fd, const std::string& path, u64 size)
      : process_(program(), kServerWord, fd, shareable(kSharedBytes)), path_(path), size_(size) {
    ask(question_of(Question::open, path));
  }

  bool has(const std::string& object) override { return number(question_of(Question::has, object)) != 0; }

  std::vector<std::string> members(const std::string& group) override {
    std::vector<std::string> names;
    u64 all = 0;
    do {
      const std::size_t before = names.size();
      read(question_of(Question::members, group, "", before), [&](Message& answer) {
        all = answer.take<u64>();
        for (u64 i = before; i < all && answer.left() > 0; ++i) names.push_back(answer.take_text());
        if (names.size() == before && all > before) throw Cut{};
      });
    } while (names.size() < all);
    return names;
  }

  bool has_attribute(const std::string& object, const std::string& name) override {
    return number(question_of(Question::has_attribute, object, name)) != 0;
  }

  std::vector<double> numbers(const std::string& object, const std::string& name) override {
    std::vector<double> values;
    read(question_of(Question::numbers, object, name), [&](Message& answer) {
      for (u64 left = answer.take<u64>(); left > 0; --left) values.push_back(answer.take<double>());
    });
    return values;
  }

  u64 integer(const std::string& object, const std::string& name) override {
    return number(question_of(Question::integer, object, name));
  }

  std::string text(const std::string& object, const std::string& name) override {
    std::string text;
    read(question_of(Question::text, object, name), [&](Message& answer) { text = answer.take_text(); });
    return text;
  }

  Hdf5Shape shape(const std::string& dataset) override {
    Hdf5Shape shape;
    read(question_of(Question::shape, dataset), [&](Message& answer) {
      shape.rows = answer.take<u64>(), shape.columns = answer.take<u64>();
      shape.dimensions = static_cast<u32>(answer.take<u64>());
    });
    return shape;
  }

  std::span<const double> rows(const std::string& dataset, u64 first, u64 count) override {
    u64 offset = 0, size = 0;
    read(question_of(Question::rows, dataset, "", first, count), [&](Message& answer) {
      offset = answer.take<u64>(), size = answer.take<u64>();
      if (offset > kMaxHdf5Values || size > kMaxHdf5Values) throw Cut{};
      bytes_read_ = answer.take<u64>();
    });
    if (process_.shared().empty()) return sent(offset, size);
    return process_.shared().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }

  u64 bytes_read() const override { return bytes_read_; }

 private:
  static constexpr int kReportMs = 50;

  /// Values without shared memory.
  std::span<const double> sent(u64 offset, u64 size) {
    sent_.clear();
    while (sent_.size() < size) {
      const u64 count = std::min(kAnswerValues, size - sent_.size());
      read(question_of(Question::values, "", "", offset + sent_.size(), count), [&](Message& answer) {
        for (u64 k = 0; k < count; ++k) sent_.push_back(answer.take<double>());
      });
    }
    return sent_;
  }

  /// Asks, waits, and reports the wait, so that Ctrl-C ends it. Returns the answer behind its outcome.
  Message ask(const Message& question) {
    process_.send(question.bytes());
    bool ended = false;
    while (!process_.wait(kReportMs, ended)) {
      if (ended) crashed();
      report_progress(ProgressKind::reading, path_, static_cast<double>(std::min(bytes_read_, size_)),
                      static_cast<double>(size_));
    }
    Message answer(process_.receive());
    if (answer.left() == 0) crashed();
    const auto outcome = static_cast<Outcome>(answer.take<u64>());
    if (outcome == Outcome::known) return answer;
    if (outcome == Outcome::file_error) throw FileError(answer.take_text());
    throw MemoryError(
        fmt::format("reading '{}' takes more than {}, far more than a file of its size should; it is damaged, or made "
                    "to do harm. Get it again from a source that you trust.",
                    path_, gib_text(static_cast<double>(kMemory + kMemoryPerByte * size_))));
  }

  /// Takes what was asked for out of the answer.
  template <class Take>
  void read(const Message& question, const Take& take) {
    try {
      Message answer = ask(question);
      take(answer);
    } catch (const Cut&) {
      crashed();
    }
  }

  u64 number(const Message& question) {
    u64 value = 0;
    read(question, [&](Message& answer) { value = answer.take<u64>(); });
    return value;
  }

  [[noreturn]] void crashed() {
    throw FileError(
        fmt::format("the file '{}' made the HDF5 reader crash ({}); it is damaged, or made to do harm. Get it again "
                    "from a source that you trust.",
                    path_, process_.end()));
  }

  ConfinedProcess process_;
  std::string path_;
  u64 size_, bytes_read_ = 0;
  std::vector<double> sent_;
};

}  // namespace

void read_hdf5_apart(const std::string& path) { program() = path; }

std::unique_ptr<Hdf5Reader> start_hdf5_process(int fd, const std::string& path, u64 size) {
  if (program().empty() || !can_confine()) return nullptr;
  return std::make_unique<Remote>(fd, path, size);
}

bool is_hdf5_server(int argc, const char* const* argv) {
  return argc == 2 && std::string_view(argv[1]) == kServerWord && was_started_confined();
}

int serve_hdf5() {
  try {
    struct stat file {};
    const u64 size = ::fstat(kGivenFile, &file) == 0 ? static_cast<u64>(file.st_size) : 0;
    Server server(size, confine(kMemory + kMemoryPerByte * size, kSeconds + size / kBytesPerSecond));
    for (std::string question = next_request(); !question.empty(); question = next_request()) {
      answer(server.answer_to(Message(std::move(question))).bytes());
      server.read_ahead();
    }
  } catch (const Error& error) {
    answer(refusal(error).bytes());
  }
  ::_exit(0);  // the libraries' own ends of a process have nothing to do here, and no right to do it
}

}  // namespace tri::io
