#pragma once
/// Programs of map files: instructions, compilation, intervals.
///
/// A text of a map file as a program over 64-bit integers: what map_program.hpp makes and what the host runs.
///
/// All values are i64. A program ends for every input: jumps go forward, except those of `repeat`, whose number of
/// rounds a literal bounds. What has no value (an overflow, a division by 0, a shift by 64, an index outside a table)
/// is a fault, which ends the program.
///
/// Plain data; any thread may run it.

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::mapfile {

using Register = std::uint16_t;

/// What an instruction does: r[to] = r[a] op r[b] where it says nothing else.
enum class Op : u8 {
  copy,  ///< r[a]
  add,
  subtract,
  multiply,
  divide,     ///< towards 0, as C++
  remainder,  ///< with the sign of r[a], as C++
  negate,
  shift_left,   ///< r[a] 2^r[b]
  shift_right,  ///< rounded down
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  logical_not,
  equal,
  not_equal,
  less,
  less_equal,
  min,
  max,
  abs,
  isqrt,     ///< floor of the square root
  icbrt,     ///< floor of the cube root
  clz,       ///< leading zero bits of 64; 64 for 0
  ctz,       ///< trailing zero bits; 64 for 0
  popcount,  ///< bits that are set
  mulhi,     ///< r[a] r[b] / 2^64, rounded down
  table,     ///< tables[target][r[a]]
  jump,
  jump_if_zero,  ///< to target, if r[a] is 0
  end_if,        ///< ends the program, which is idle, if r[a] is not 0
  repeat,        ///< r[to] = r[a] rounds, at most limit of them; to target if there are none
  next_round,    ///< to target, if there is a round left of r[to]
};
std::string_view name_of(Op op);  ///< as typed: "+", "isqrt()", "table"

struct Instruction {
  Op op = Op::copy;
  Register to = 0, a = 0, b = 0;
  u32 target = 0;  ///< of jumps: an instruction; of table: its number
  u32 limit = 0;   ///< of repeat
  u32 offset = 0;  ///< where in the text
};

enum class FaultKind : u8 {
  none,
  overflow,  ///< beyond 64 bits
  divide_by_zero,
  shift,  ///< by less than 0 or more than 63
  negative_root,
  index,   ///< outside a table
  rounds,  ///< more rounds than the bound of a repeat, or less than 0
};

/// Why a program has no value, and where.
struct Fault {
  FaultKind kind = FaultKind::none;
  u32 at = 0;  ///< the instruction
  explicit operator bool() const { return kind != FaultKind::none; }
};

/// Limits of every program: a text beyond is refused with a sentence.
inline constexpr u32 kMaxInstructions = 4096, kMaxRegisters = 512, kMaxTableEntries = 65536;
inline constexpr u64 kMaxSteps = 1'000'000;  ///< that one run may take
inline constexpr u32 kMaxRounds = 4096;      ///< bound of one repeat

struct Table {
  std::string name;
  std::vector<i64> values;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<i64> start;  ///< registers at the start: the inputs (to be filled in), then the constants
  u32 inputs = 0;
  u32 registers = 0;
  std::vector<Register> outputs;                     ///< registers
  std::shared_ptr<const std::vector<Table>> tables;  ///< may be null where none is read
  std::vector<u32> reads;                            ///< [inputs] 1: the text reads it
  u64 most_steps = 0;
  std::string text;  ///< as typed, with what stands before it in the file as empty lines

  /// The registers of a run. Its size does not depend on the program, so that it lies on the stack.
  using Frame = std::array<i64, kMaxRegisters>;
  /// Copies the constants and the inputs (`inputs` of them) into the frame.
  void fill(Frame& frame, const i64* values) const;
  /// Runs on a frame that fill() filled; idle: whether an end_if ended it. Results are frame[outputs[k]].
  Fault run(Frame& frame, bool& idle) const;

  /// "'+' passes 64 bits at line 3 of the file".
  std::string text_of(const Fault& fault) const;
};

// From the texts of a map file to programs.
//
//     i = (isqrt(8*w + 1) - 1) / 2      # statements of sim/text/syntax.hpp, on i64
//     repeat m up to 64 {               # on a line of its own; the bound is a literal
//       k = k + (m >> k != 0)
//     }                                 # on a line of its own
//     idle = i >= m                     # the position has no tile, and nothing behind this is evaluated
//
// Operators: ?: || && | ^ & == != < <= > >= << >> + - * / % unary - ! ~, with C's meaning on i64 and '^' as exclusive
// or; of ?:, && and || only what is needed is evaluated. Functions: isqrt, icbrt, clz, ctz, popcount, min, max, abs,
// mulhi. TABLE[index] reads a table of the file. A name may be assigned again; inputs may not. Names that are first
// assigned within a repeat end with it.
//
// Everything throws ConfigError with line, column and caret (sim/text/syntax.hpp). Pure functions.

struct FileText {
  std::string what;  ///< how a sentence about it begins: "map file waves.toml"
  std::string text;  ///< with empty lines for what stands before it in the file
};

/// What the statements may read and must assign.
struct Interface {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;  ///< each must be assigned
  bool may_idle = false;             ///< `idle = ...` is allowed
  bool all_are_outputs = false;      ///< every name is an output, in the order of their first assignments
  std::shared_ptr<const std::vector<Table>> tables;
};

struct Compiled {
  Program program;
  std::vector<std::string> outputs;  ///< names, in the order of program.outputs
};

Compiled compile(const FileText& text, const Interface& interface);

/// One expression without a name.
Program compile_expression(const FileText& text, const Interface& interface);

// Which values the instructions of a program may meet: intervals, by running it on intervals. A kernel computes in 32
// bits where they fit (map_cuda.cpp), which a GPU does several times as fast.
//
// Pure functions.

/// low to high, both included; empty if low > high.
struct Range {
  i64 low = std::numeric_limits<i64>::max(), high = std::numeric_limits<i64>::min();
  bool empty() const { return low > high; }
  bool is(i64 value) const { return low == value && high == value; }
  bool within(i64 least, i64 most) const { return !empty() && low >= least && high <= most; }
  friend bool operator==(const Range&, const Range&) = default;
};
inline constexpr Range kAnyValue{std::numeric_limits<i64>::min(), std::numeric_limits<i64>::max()};

/// Of all times that an instruction runs: its operands and what it writes, `repeat` and `next_round` included; empty
/// where it never runs, or has no such operand.
struct Ranges {
  Range a, b, to;
};

/// [instructions]. They hold for every run without a fault that starts with inputs in these ranges (`inputs` of them).
/// A program whose loops take longer than kMaxRangeSteps has kAnyValue everywhere.
inline constexpr u32 kMaxRangeSteps = 20'000;
std::vector<Ranges> ranges_of(const Program& program, const std::vector<Range>& inputs);

}  // namespace tri::mapfile
