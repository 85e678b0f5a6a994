#pragma once
#include <span>
#include <string>
#include <string_view>

#include "sim/expression/program.hpp"
namespace tri::cuda {
std::string functor_statements(const expression::Program& program, std::span<const std::string_view> names);
}
