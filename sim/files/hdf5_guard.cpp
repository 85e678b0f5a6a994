/// What guards HDF5: checks of headers, our own driver, the process that reads.
///
/// Layout: HDF5 File Format Specification, version 3.0, sections II.A (superblock), III.A.1 (B-trees), IV.A.1 (object
/// headers) and IV.A.2 (messages 0x0C, attribute, and 0x10, continuation).

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
#include <ranges>
#include <string_view>
#include <tuple>
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
  const bool whole = bytes == start.size();  // the library reads a driver block's first 16 bytes first
  if (!read_exactly(storage, begin, start)) return !whole;
  const std::size_t sizes = start[8] < 2 ? 13 : 9;
  if (is_signature(start)) return start[sizes] <= 8 && start[sizes + 1] <= 8;
  return !whole || at<u32>(start, 4) <= storage.end - begin - start.size();
}

bool valid_heap(const Hdf5Storage& storage, u64 begin) {
  std::array<unsigned char, 16> start{};
  if (!read_exactly(storage, begin, start)) return true;  // shorter than any heap header
  const bool heap = std::memcmp(start.data(), "HEAP", 4) == 0 || std::memcmp(start.data(), "GCOL", 4) == 0;
  return !heap || at<u64>(start, 8) <= storage.end;
}

bool valid_tree(const Hdf5Storage& storage, u64 begin, u64 bytes) {
  constexpr u64 kHead = 24, kChild = 8, kUndefined = ~u64{0};
  std::vector<unsigned char> node(static_cast<std::size_t>(bytes));
  if (!read_exactly(storage, begin, node) || bytes < kHead || std::memcmp(node.data(), "TREE", 4) != 0) return true;
  if (node[4] > 1 || !base_of(storage)) return true;
  const bool chunks = node[4] == 1, leaf = node[5] == 0;  // the others are of groups
  const u64 used = at<std::uint16_t>(node, 6);
  // The key of a chunk has its bytes, its filters and an offset for each dimension and one more.
  for (const u64 key : chunks ? std::vector<u64>{24, 32} : std::vector<u64>{8}) {
    const u64 step = key + kChild;
    const u64 most = bytes < kHead + key || (bytes - kHead - key) % (2 * step) != 0 ? 0 : (bytes - kHead - key) / step;
    if (used > most) continue;  // a node has room for an even number
    bool valid = true;
    for (u64 entry = kHead; entry < kHead + used * step; entry += step) {
      valid = valid && (!chunks || !leaf || at<u32>(node, entry) > 0) && at<u64>(node, entry + key) != kUndefined;
    }
    if (!valid) return false;
  }
  return true;
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
  if (hdf5_name(storage) != name || ((flags & H5F_ACC_RDWR) != 0 && !storage.writes)) return nullptr;
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
  if (type == H5FD_MEM_BTREE && !storage.writes && !valid_tree(storage, address, size)) return -1;
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

std::string hdf5_name(const Hdf5Storage& storage) { return "/" + storage.path; }

Hdf5Id hdf5_access(Hdf5Storage& storage) {
  static const H5FD_class_t kClass = driver_class<H5FD_class_t>();
  static const hid_t driver = H5FDregister(&kClass);
  if (driver < 0) return -1;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0) return -1;
  Hdf5Storage* const info = &storage;
  // HDF5 2 writes, unless told, what no version before 1.8 reads, and times that make equal files differ.
  if (H5Pset_driver(access, driver, &info) < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 ||
      H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) < 0) {
    H5Pclose(access);
    return -1;
  }
  return access;
}

// HDF5 read by a confined process: the questions, the answers, and both sides of them.
//
// A question is its kind and the arguments of that member of Hdf5Reader; it has one answer: whether it succeeded, and
// what the member returned or the sentence of the error. Rows come through shared memory, or in the answer where the
// system lets processes share none; while the parent uses them, the process reads the next ones. The parent believes no
// length that it reads.

namespace {

// What the library may take: twice the largest chunk of data that a file of its size has any need for.
constexpr u64 kMemory = u64{1} << 30, kMemoryPerByte = 8;
constexpr u64 kSharedBytes = 2 * kMaxHdf5Values * sizeof(double);
constexpr u64 kSeconds = 60, kBytesPerSecond = u64{1} << 20;

struct ReaderCommand {
  std::string program, argument;
};

ReaderCommand& reader() {
  static ReaderCommand command;
  return command;
}

enum class Question : u64 { open, has, members, has_attribute, numbers, integer, text, shape, rows };

/// A message that ends before what is read from it.
struct Cut {};

class Message {
 public:
  Message() = default;
  explicit Message(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void put(Number v) { bytes_.append(reinterpret_cast<const char*>(&v), sizeof v); }
  void put(bool v) { put(u64{v}); }
  void put(std::string_view text) {
    put(u64{text.size()});
    bytes_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <class List>
  requires std::ranges::range<List>
  void put(const List& values) {
    put(u64{values.size()});
    for (const auto& v : values) put(v);
  }
  void put(const Hdf5Shape& shape) { put(shape.rows), put(shape.columns), put(shape.dimensions); }

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void get(Number& v) { std::memcpy(&v, piece(sizeof v).data(), sizeof v); }
  void get(bool& v) { v = next<u64>() != 0; }
  void get(std::string& text) { text = piece(next<u64>()); }
  template <class T>
  void get(std::vector<T>& values) {
    for (u64 left = next<u64>(); left > 0; --left) values.push_back(next<T>());
  }
  void get(Hdf5Shape& shape) { get(shape.rows), get(shape.columns), get(shape.dimensions); }
  template <class T>
  T next() {
    T v{};
    get(v);
    return v;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string_view piece(u64 size) {
    if (size > bytes_.size() - at_) throw Cut{};
    at_ += static_cast<std::size_t>(size);
    return std::string_view(bytes_).substr(at_ - static_cast<std::size_t>(size), static_cast<std::size_t>(size));
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

template <class... Values>
Message message_of(const Values&... values) {
  Message message;
  (message.put(values), ...);
  return message;
}

/// What answers have at their beginning.
enum class Outcome : u64 { known, file_error, out_of_memory };

Message refusal(const Error& error) {
  return message_of(static_cast<u64>(Outcome::file_error), std::string(error.what()));
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
      return Message(message_of(static_cast<u64>(Outcome::known)).bytes() + known(question).bytes());
    } catch (const Error& error) {
      return refusal(error);
    } catch (const std::bad_alloc&) {
      return message_of(static_cast<u64>(Outcome::out_of_memory));
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
    switch (static_cast<Question>(question.next<u64>())) {
      case Question::open:
        reader_ = read_hdf5_here(kGivenFile, question.next<std::string>(), size_, shared_);
        return {};
      case Question::has:
        return result_of(&Hdf5Reader::has, question);
      case Question::members:
        return result_of(&Hdf5Reader::members, question);
      case Question::has_attribute:
        return result_of(&Hdf5Reader::has_attribute, question);
      case Question::numbers:
        return result_of(&Hdf5Reader::numbers, question);
      case Question::integer:
        return result_of(&Hdf5Reader::integer, question);
      case Question::text:
        return result_of(&Hdf5Reader::text, question);
      case Question::shape: {
        shaped_ = question.next<std::string>();
        const Hdf5Shape shape = reader_->shape(shaped_);
        rows_ = shape.rows, next_count_ = 0, ahead_ = {};
        return message_of(shape);
      }
      case Question::rows:
        return rows(question);
    }
    TRI_UNREACHABLE("a Question outside its enum");
  }

  template <class Result, class... Arguments>
  Message result_of(Result (Hdf5Reader::*member)(Arguments...), Message& question) {
    std::tuple<std::decay_t<Arguments>...> arguments;
    return std::apply(
        [&](auto&... a) {
          (question.get(a), ...);
          return message_of((reader_.get()->*member)(a...));
        },
        arguments);
  }

  Message rows(Message& question) {
    const auto object = question.next<std::string>();
    const auto first = question.next<u64>(), count = question.next<u64>();
    const bool known = !ahead_.empty() && object == shaped_ && first == next_ && count == next_count_;
    const std::span<const double> values = known ? ahead_ : reader_->rows(object, first, count);
    ahead_ = {};
    if (object == shaped_) next_ = first + count, next_count_ = std::min(count, rows_ - std::min(rows_, next_));
    Message out = message_of(reader_->bytes_read());
    if (!own_.empty()) {
      out.put(values);
    } else {
      out.put(static_cast<u64>(values.data() - shared_.data())), out.put(u64{values.size()});
    }
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
      : process_(reader().program, reader().argument, fd, shareable(kSharedBytes)), path_(path), size_(size) {
    ask(Question::open, path);
  }

  bool has(const std::string& object) override { return result<bool>(Question::has, object); }
  std::vector<std::string> members(const std::string& group) override {
    return result<std::vector<std::string>>(Question::members, group);
  }
  bool has_attribute(const std::string& object, const std::string& name) override {
    return result<bool>(Question::has_attribute, object, name);
  }
  std::vector<double> numbers(const std::string& object, const std::string& name) override {
    return result<std::vector<double>>(Question::numbers, object, name);
  }
  u64 integer(const std::string& object, const std::string& name) override {
    return result<u64>(Question::integer, object, name);
  }
  std::string text(const std::string& object, const std::string& name) override {
    return result<std::string>(Question::text, object, name);
  }
  Hdf5Shape shape(const std::string& dataset) override { return result<Hdf5Shape>(Question::shape, dataset); }

  std::span<const double> rows(const std::string& dataset, u64 first, u64 count) override {
    Message answer = ask(Question::rows, dataset, first, count);
    return unless_cut([&]() -> std::span<const double> {
      answer.get(bytes_read_);
      if (process_.shared().empty()) return sent_ = answer.next<std::vector<double>>();
      const auto offset = answer.next<u64>(), size = answer.next<u64>();
      if (offset > kMaxHdf5Values || size > kMaxHdf5Values) throw Cut{};
      return process_.shared().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    });
  }

  u64 bytes_read() const override { return bytes_read_; }

 private:
  static constexpr int kReportMs = 50;

  /// The answer behind its outcome.
  template <class... Values>
  Message ask(Question kind, const Values&... values) {
    process_.send(message_of(static_cast<u64>(kind), values...).bytes());
    return known(Message(received()));
  }

  Message known(Message answer) {
    return unless_cut([&] {
      const auto outcome = static_cast<Outcome>(answer.next<u64>());
      if (outcome == Outcome::known) return answer;
      if (outcome == Outcome::file_error) throw FileError(answer.next<std::string>());
      throw MemoryError(
          fmt::format("reading '{}' takes more than {}, far more than a file of its size should; it is damaged, or "
                      "made to do harm. Get it again from a source that you trust.",
                      path_, gib_text(static_cast<double>(kMemory + kMemoryPerByte * size_))));
    });
  }

  /// Waits for an answer, and reports the wait, so that Ctrl-C ends it.
  std::string received() {
    std::string bytes;
    for (bool whole = false; !whole;) {
      bool ended = false;
      while (!process_.wait(kReportMs, ended)) {
        if (ended) crashed();
        report_progress(ProgressKind::reading, path_, static_cast<double>(std::min(bytes_read_, size_)),
                        static_cast<double>(size_));
      }
      if (!process_.receive(bytes, whole) || bytes.size() > kMemory) crashed();
    }
    return bytes;
  }

  template <class Result, class... Values>
  Result result(Question kind, const Values&... values) {
    Message answer = ask(kind, values...);
    return unless_cut([&] { return answer.next<Result>(); });
  }

  template <class Read>
  std::invoke_result_t<Read> unless_cut(const Read& read) {
    try {
      return read();
    } catch (const Cut&) {
      crashed();
    }
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
  std::vector<double> sent_;  ///< rows without shared memory
};

}  // namespace

void read_hdf5_apart(const std::string& program, const std::string& argument) { reader() = {program, argument}; }

std::unique_ptr<Hdf5Reader> start_hdf5_process(int fd, const std::string& path, u64 size) {
  if (reader().program.empty() || !can_confine()) return nullptr;
  return std::make_unique<Remote>(fd, path, size);
}

bool is_hdf5_server(int argc, const char* const* argv) {
  return argc == 2 && std::string_view(argv[1]) == kHdf5ReaderWord && was_started_confined();
}

int serve_hdf5() {
  if (!was_started_confined()) return 1;
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
