/// What guards HDF5: checks of headers, our own driver, the process that reads.
///
/// Layout: HDF5 File Format Specification, version 3.0, sections II.A (superblock), IV.A.1 (object headers) and IV.A.2
/// (messages 0x0C, attribute, and 0x10, continuation).

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <hdf5.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/files/hdf5.hpp"
#include "sim/files/process.hpp"

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // the driver API, since HDF5 1.14
#endif

namespace tri::io {

namespace {

using Bytes = std::span<const unsigned char>;

constexpr std::size_t kPrefix = 16;        // of a version 1 header
constexpr std::size_t kMessagePrefix = 8;  // type, size, flags
constexpr std::size_t kMaxParts = 4096;    // of one header
constexpr u32 kAttribute = 0x0C, kContinuation = 0x10;
constexpr u32 kShared = 2;  // flag: the message is stored elsewhere

static_assert(std::endian::native == std::endian::little, "HDF5 metadata is little-endian");

template <class Number>
Number at(Bytes bytes, std::size_t offset) {
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool read_exactly(const Hdf5Storage& storage, u64 from, std::span<unsigned char> to) {
  if (from > storage.end || to.size() > storage.end - from) return false;
  for (std::size_t done = 0; done < to.size();) {
    const ssize_t got = ::pread(storage.fd, to.data() + done, to.size() - done, static_cast<off_t>(from + done));
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

bool is_signature(Bytes start) {
  constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);
  return std::memcmp(start.data(), kSignature.data(), kSignature.size()) == 0;
}

/// Base address of the file: the offset of its signature, 0 or after a user block of 512, 1024, 2048, ... bytes (the
/// library ignores the base address in the superblock). nullopt for addresses and lengths that are not 8 bytes wide;
/// such files are rare and not checked.
std::optional<u64> base_of(const Hdf5Storage& storage) {
  std::array<unsigned char, 16> start{};
  for (u64 base = 0; read_exactly(storage, base, start); base = base == 0 ? 512 : 2 * base) {
    if (!is_signature(start)) continue;
    const std::size_t sizes = start[8] < 2 ? 13 : 9;
    return start[sizes] == 8 && start[sizes + 1] == 8 ? std::optional<u64>(base) : std::nullopt;
  }
  return std::nullopt;
}

/// Number of values of a dataspace; nullopt when it is truncated or overflows.
std::optional<u64> values_in(Bytes space) {
  if (space.size() < 4) return std::nullopt;
  const u32 version = space[0];
  const std::size_t rank = space[1], head = version == 1 ? 8 : 4, lists = (space[2] & 1) != 0 ? 2 : 1;
  if (version == 2 && space[3] == 2) return 0;  // a null dataspace
  if (space.size() < head + 8 * rank * lists) return std::nullopt;
  u64 values = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(values, at<u64>(space, head + 8 * d), &values)) return std::nullopt;
  }
  return values;
}

struct Part {
  u64 begin, bytes;
};

/// Validates the messages of one part of a header; continuations are appended to `parts`.
bool valid_messages(Bytes part, u64 base, std::vector<Part>& parts) {
  while (!part.empty()) {
    if (part.size() < kMessagePrefix) return false;
    const u32 type = at<std::uint16_t>(part, 0), flags = part[4];
    const std::size_t size = at<std::uint16_t>(part, 2);
    part = part.subspan(kMessagePrefix);
    if (size > part.size()) return false;
    if (type == kAttribute && (flags & kShared) == 0 && !valid_attribute(part.first(size))) return false;
    if (type == kContinuation) {
      if (size < 16 || parts.size() == kMaxParts) return false;
      parts.push_back({base + at<u64>(part, 0), at<u64>(part, 8)});
    }
    part = part.subspan(size);
  }
  return true;
}

}  // namespace

bool valid_attribute(Bytes message) {
  if (message.size() < 9) return false;
  const u32 version = message[0], shared = version > 1 ? message[1] & 3u : 0;
  const auto padded = [version](std::size_t size) { return version == 1 ? (size + 7) / 8 * 8 : size; };
  const std::size_t name = at<std::uint16_t>(message, 2), type = at<std::uint16_t>(message, 4),
                    space = at<std::uint16_t>(message, 6);
  const std::size_t type_begin = (version == 3 ? 9 : 8) + padded(name), space_begin = type_begin + padded(type),
                    values_begin = space_begin + padded(space);
  if (values_begin > message.size()) return false;
  const Bytes characters = message.first(type_begin).last(padded(name));
  if (std::find(characters.begin(), characters.end(), 0) == characters.end()) return false;
  if (shared != 0) return true;  // type or space are references to another header
  const std::optional<u64> values = values_in(message.subspan(space_begin, space));
  u64 bytes = 0;
  return type >= 8 && values && !__builtin_mul_overflow(*values, u64{at<u32>(message, type_begin + 4)}, &bytes) &&
         bytes <= message.size() - values_begin;
}

bool valid_driver_block(const Hdf5Storage& storage, u64 begin, u64 bytes) {
  std::array<unsigned char, 16> start{};
  if (bytes != start.size()) return true;  // the library reads a driver block's first 16 bytes first
  return read_exactly(storage, begin, start) &&
         (is_signature(start) || at<u32>(start, 4) <= storage.end - begin - start.size());
}

bool valid_heap(const Hdf5Storage& storage, u64 begin) {
  std::array<unsigned char, 16> start{};
  if (!read_exactly(storage, begin, start)) return true;  // shorter than any heap header
  const bool heap = std::memcmp(start.data(), "HEAP", 4) == 0 || std::memcmp(start.data(), "GCOL", 4) == 0;
  return !heap || at<u64>(start, 8) <= storage.end;
}

bool valid_header(Hdf5Storage& storage, u64 begin) {
  const auto holds = [begin](const auto& part) { return begin >= part.first && begin < part.second; };
  if (std::any_of(storage.headers.begin(), storage.headers.end(), holds)) return true;
  std::array<unsigned char, kPrefix> prefix{};
  if (!read_exactly(storage, begin, prefix)) return false;
  if (prefix[0] != 1) return true;
  const std::optional<u64> base = base_of(storage);
  if (!base) return true;
  std::vector<Part> parts{{begin + kPrefix, at<u32>(prefix, 8)}};
  std::vector<unsigned char> bytes;
  u64 left = storage.end;  // bounds the total, also of parts that overlap
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].bytes > left) return false;
    left -= parts[p].bytes;
    bytes.resize(static_cast<std::size_t>(parts[p].bytes));
    if (!read_exactly(storage, parts[p].begin, bytes) || !valid_messages(bytes, *base, parts)) return false;
  }
  parts[0] = {begin, kPrefix + parts[0].bytes};
  for (const Part& part : parts) storage.headers.emplace_back(part.begin, part.begin + part.bytes);
  return true;
}

namespace {

/// An open file as the library sees it; its public part comes first.
struct Open {
  H5FD_t common;
  Hdf5Storage* storage;
  haddr_t eoa;  ///< end of the allocated address space
};

Open& mine(H5FD_t* file) { return *reinterpret_cast<Open*>(file); }
const Open& mine(const H5FD_t* file) { return *reinterpret_cast<const Open*>(file); }

H5FD_t* open_storage(const char* name, unsigned flags, hid_t access, haddr_t /*max_address*/) {
  const auto* info = static_cast<Hdf5Storage* const*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  Hdf5Storage& storage = **info;
  // External links are opened through this driver too, with the name of the other file.
  if (storage.path != name || ((flags & H5F_ACC_RDWR) != 0 && !storage.writes)) return nullptr;
  auto* file = new (std::nothrow) Open{};
  if (file == nullptr) return nullptr;
  file->storage = &storage;
  return &file->common;
}

herr_t close_storage(H5FD_t* file) {
  delete &mine(file);
  return 0;
}

/// Metadata is accumulated for writing only: when reading a damaged file, the accumulator of HDF5 1.10 copies a length
/// beyond the end of the file, whereas our read() refuses it.
herr_t query(const H5FD_t* file, unsigned long* flags) {
  if (flags == nullptr) return 0;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
  if (file != nullptr && mine(file).storage->writes) *flags |= H5FD_FEAT_ACCUMULATE_METADATA;
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t /*type*/) { return mine(file).eoa; }

herr_t set_eoa(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  mine(file).eoa = address;
  return 0;
}

haddr_t get_eof(const H5FD_t* file, H5FD_mem_t /*type*/) { return mine(file).storage->end; }

/// Reading past the end is an error (the library's own drivers return zeros).
herr_t read(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, haddr_t address, std::size_t size, void* buffer) {
  Hdf5Storage& storage = *mine(file).storage;
  if (address > storage.end || size > storage.end - address) return -1;
  if (type == H5FD_MEM_OHDR && !storage.writes && !valid_header(storage, address)) return -1;
  const bool heap = type == H5FD_MEM_LHEAP || type == H5FD_MEM_GHEAP;
  if (heap && !storage.writes && !valid_heap(storage, address)) return -1;
  if (type == H5FD_MEM_SUPER && !storage.writes && !valid_driver_block(storage, address, size)) return -1;
  storage.read += size;
  auto* to = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(storage.fd, to, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    to += got, address += static_cast<haddr_t>(got), size -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address, std::size_t size,
             const void* buffer) {
  Hdf5Storage& storage = *mine(file).storage;
  if (storage.end < address + size) storage.end = address + size;
  const auto* from = static_cast<const char*>(buffer);
  while (size > 0 && storage.error == 0) {
    const ssize_t written = ::pwrite(storage.fd, from, size, static_cast<off_t>(address));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      storage.error = written == 0 ? EIO : errno;
      break;
    }
    from += written, address += static_cast<haddr_t>(written), size -= static_cast<std::size_t>(written);
  }
  return 0;
}

/// Sets the file size to the end of the allocated address space, even if its last bytes were never written.
herr_t truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  Open& open = mine(file);
  Hdf5Storage& storage = *open.storage;
  if (!storage.writes || storage.end == open.eoa) return 0;
  if (storage.error == 0 && ::ftruncate(storage.fd, static_cast<off_t>(open.eoa)) != 0) storage.error = errno;
  storage.end = open.eoa;
  return 0;
}

/// A template, so that members which only later versions of the library have can be tested for.
template <class Class>
Class driver_class() {
  Class c{};
  if constexpr (requires { c.version; }) {
    c.version = 0x01;  // H5FD_CLASS_VERSION
    c.value = 540;     // from the range reserved for private use
  }
  c.name = "triangulum";
  c.maxaddr = (haddr_t{1} << 62) - 1;
  c.fc_degree = H5F_CLOSE_STRONG;
  c.fapl_size = sizeof(void*);  // the address of the storage
  c.open = open_storage;
  c.close = close_storage;
  c.query = query;
  c.get_eoa = get_eoa;
  c.set_eoa = set_eoa;
  c.get_eof = get_eof;
  c.read = read;
  c.write = write;
  c.truncate = truncate;
  // One free list for raw data and one for metadata.
  constexpr H5FD_mem_t kMap[] = H5FD_FLMAP_DICHOTOMY;
  for (std::size_t i = 0; i < H5FD_MEM_NTYPES; ++i) c.fl_map[i] = kMap[i];
  return c;
}

}  // namespace

void require_hdf5_memory() {
  constexpr double kBytes = 8 << 20;
  require_memory(kBytes, "the HDF5 library", "Raise the limits of this session (ulimit -v, -d), or end other programs");
}

Hdf5Id hdf5_access(Hdf5Storage& storage) {
  static const H5FD_class_t kClass = driver_class<H5FD_class_t>();
  static const hid_t driver = H5FDregister(&kClass);
  if (driver < 0) return -1;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0) return -1;
  Hdf5Storage* const info = &storage;
  if (H5Pset_driver(access, driver, &info) < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0) {
    H5Pclose(access);
    return -1;
  }
  return access;
}

// HDF5 read by a confined process: the questions, the answers, and both sides of them.
//
// A question is its kind and four arguments; an answer is whether it succeeded, and what was asked for or the sentence
// of the error. Rows come through shared memory, or in answers where the system lets them share none; while the parent
// takes them, the process reads the next ones. The parent believes no length that it reads.

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
  std::string next_text() { return std::string(piece(take<u64>())); }

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
    const std::string object = question.next_text(), name = question.next_text();
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
        for (u64 i = before; i < all && answer.left() > 0; ++i) names.push_back(answer.next_text());
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
    read(question_of(Question::text, object, name), [&](Message& answer) { text = answer.next_text(); });
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
    if (outcome == Outcome::file_error) throw FileError(answer.next_text());
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
