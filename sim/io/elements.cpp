#include "sim/io/elements.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "sim/base/contracts.hpp"

namespace tri::io {

namespace {

struct Element {
  std::string_view symbol;
  double weight;
};

/// By atomic number.
constexpr std::array<Element, kElements + 1> kTable{
    {{"X", 0},          {"H", 1.008},        {"He", 4.002602}, {"Li", 6.94},
     {"Be", 9.0121831}, {"B", 10.81},        {"C", 12.011},    {"N", 14.007},
     {"O", 15.999},     {"F", 18.998403163}, {"Ne", 20.1797},  {"Na", 22.98976928},
     {"Mg", 24.305},    {"Al", 26.9815385},  {"Si", 28.085},   {"P", 30.973761998},
     {"S", 32.06},      {"Cl", 35.45},       {"Ar", 39.948},   {"K", 39.0983},
     {"Ca", 40.078},    {"Sc", 44.955908},   {"Ti", 47.867},   {"V", 50.9415},
     {"Cr", 51.9961},   {"Mn", 54.938044},   {"Fe", 55.845},   {"Co", 58.933194},
     {"Ni", 58.6934},   {"Cu", 63.546},      {"Zn", 65.38},    {"Ga", 69.723},
     {"Ge", 72.63},     {"As", 74.921595},   {"Se", 78.971},   {"Br", 79.904},
     {"Kr", 83.798},    {"Rb", 85.4678},     {"Sr", 87.62},    {"Y", 88.90584},
     {"Zr", 91.224},    {"Nb", 92.90637},    {"Mo", 95.95},    {"Tc", 0},
     {"Ru", 101.07},    {"Rh", 102.9055},    {"Pd", 106.42},   {"Ag", 107.8682},
     {"Cd", 112.414},   {"In", 114.818},     {"Sn", 118.71},   {"Sb", 121.76},
     {"Te", 127.6},     {"I", 126.90447},    {"Xe", 131.293},  {"Cs", 132.90545196},
     {"Ba", 137.327},   {"La", 138.90547},   {"Ce", 140.116},  {"Pr", 140.90766},
     {"Nd", 144.242},   {"Pm", 0},           {"Sm", 150.36},   {"Eu", 151.964},
     {"Gd", 157.25},    {"Tb", 158.92535},   {"Dy", 162.5},    {"Ho", 164.93033},
     {"Er", 167.259},   {"Tm", 168.93422},   {"Yb", 173.054},  {"Lu", 174.9668},
     {"Hf", 178.49},    {"Ta", 180.94788},   {"W", 183.84},    {"Re", 186.207},
     {"Os", 190.23},    {"Ir", 192.217},     {"Pt", 195.084},  {"Au", 196.966569},
     {"Hg", 200.592},   {"Tl", 204.38},      {"Pb", 207.2},    {"Bi", 208.9804},
     {"Po", 0},         {"At", 0},           {"Rn", 0},        {"Fr", 0},
     {"Ra", 0},         {"Ac", 0},           {"Th", 232.0377}, {"Pa", 231.03588},
     {"U", 238.02891},  {"Np", 0},           {"Pu", 0},        {"Am", 0},
     {"Cm", 0},         {"Bk", 0},           {"Cf", 0},        {"Es", 0},
     {"Fm", 0},         {"Md", 0},           {"No", 0},        {"Lr", 0},
     {"Rf", 0},         {"Db", 0},           {"Sg", 0},        {"Bh", 0},
     {"Hs", 0},         {"Mt", 0},           {"Ds", 0},        {"Rg", 0},
     {"Cn", 0},         {"Nh", 0},           {"Fl", 0},        {"Mc", 0},
     {"Lv", 0},         {"Ts", 0},           {"Og", 0}}};

}  // namespace

u32 element_of(std::string_view symbol) {
  const auto at = std::find_if(kTable.begin() + 1, kTable.end(), [&](const Element& e) { return e.symbol == symbol; });
  return at == kTable.end() ? 0 : static_cast<u32>(at - kTable.begin());
}

Species species_of(std::string_view label) {
  // Masses of the isotopes: AME2020 (Wang et al., Chinese Phys. C 45, 030003, 2021).
  if (label == "D") return {1, 2.01410177784, false};
  if (label == "T") return {1, 3.01604928132, false};
  if (const u32 element = element_of(label); element != 0) return {element, weight_of(element), true};
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto end = std::find_if_not(label.begin(), label.end(), is_letter);
  std::string symbol(label.begin(), end);
  for (std::size_t i = 0; i < symbol.size(); ++i) {
    const auto c = static_cast<unsigned char>(symbol[i]);
    symbol[i] = static_cast<char>(i == 0 ? std::toupper(c) : std::tolower(c));
  }
  if (symbol == "D" || symbol == "T") return species_of(symbol);
  const u32 element = element_of(symbol);
  return {element, weight_of(element), false};
}

std::string_view symbol_of(u32 element) {
  TRI_EXPECTS(element <= kElements);
  return kTable[element].symbol;
}

double weight_of(u32 element) {
  TRI_EXPECTS(element <= kElements);
  return kTable[element].weight;
}

}  // namespace tri::io
