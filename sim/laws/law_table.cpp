/// One row a law, and what is looked up in the rows.

#include "sim/laws/law_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/laws/axilrod_teller.hpp"
#include "sim/laws/contact.hpp"
#include "sim/laws/gravity.hpp"
#include "sim/laws/lennard_jones.hpp"

namespace tri {
namespace {

/// A parameter as LawParameter has it.
template <auto kParams, auto kMember>
auto& at(ForceField& f) {
  return f.*kParams.*kMember;
}

constexpr LawParameter kOfGravity[] = {
    {.key = "G",
     .real = at<&ForceField::gravity, &GravityParams::G>,
     .text = "Gravitational constant.",
     .unit = "length^3 / (mass time^2)",
     .option = "--G",
     .generator = "G",
     .summary = "G = {}"},
    {.key = "softening",
     .real = at<&ForceField::gravity, &GravityParams::softening>,
     .text = "Plummer length; 0 lets close pairs fling each other out.",
     .unit = "length",
     .range = kNotNegative,
     .option = "--eps",
     .generator = "eps",
     .summary = "softening {}"},
};

constexpr LawParameter kOfLennardJones[] = {
    {.key = "epsilon",
     .real = at<&ForceField::lennard_jones, &LennardJonesParams::epsilon>,
     .text = "Depth of the well.",
     .unit = "energy",
     .range = kPositive,
     .option = "--epsilon",
     .scene = "epsilon",
     .summary = "epsilon = {}"},
    {.key = "sigma",
     .real = at<&ForceField::lennard_jones, &LennardJonesParams::sigma>,
     .text = "Distance of zero potential.",
     .unit = "length",
     .range = kPositive,
     .option = "--sigma",
     .scene = "sigma",
     .summary = "sigma = {}"},
    {.key = "cutoff",
     .real = at<&ForceField::lennard_jones, &LennardJonesParams::cutoff>,
     .text = "Distance beyond which a pair gives nothing; 0 = none.",
     .unit = "length",
     .range = kNotNegative,
     .option = "--cutoff",
     .scene = "cutoff",
     .summary = "cut-off {}",
     .zero_is_none = true},
    {.key = "shifted",
     .flag = at<&ForceField::lennard_jones, &LennardJonesParams::shifted>,
     .text = "The potential ends in 0 at the cutoff.",
     .option = "--shifted",
     .scene = "shifted",
     .has_effect = [](const ForceField& f) { return f.lennard_jones.cutoff > 0; },
     .needs = "cutoff above 0"},
};

constexpr bool has_springs(const ForceField& f) { return !f.contact.impulse; }

constexpr LawParameter kOfContact[] = {
    {.key = "stiffness",
     .real = at<&ForceField::contact, &ContactParams::stiffness>,
     .text = "Normal spring.",
     .unit = "force / length",
     .range = kPositive,
     .option = "--stiffness",
     .scene = "stiffness",
     .generator = "k",
     .summary = "stiffness {:.6g}",
     .has_effect = has_springs,
     .needs = "response = \"springs\""},
    {.key = "damping",
     .real = at<&ForceField::contact, &ContactParams::damping>,
     .text = "Normal dashpot.",
     .unit = "force / velocity",
     .range = kNotNegative,
     .option = "--damping",
     .scene = "damping",
     .generator = "c",
     .summary = "damping {:.6g}",
     .has_effect = has_springs,
     .needs = "response = \"springs\""},
    {.key = "shear",
     .real = at<&ForceField::contact, &ContactParams::shear>,
     .text = "Tangential dashpot; 0 = no friction.",
     .unit = "force / velocity",
     .range = kNotNegative,
     .option = "--shear",
     .scene = "shear",
     .summary = "shear {:.6g}",
     .zero_is_none = true,
     .has_effect = has_springs,
     .needs = "response = \"springs\""},
    {.key = "impulse",
     .flag = at<&ForceField::contact, &ContactParams::impulse>,
     .text = "Overlaps are resolved at once, by restitution, instead of by springs.",
     .option = "--response",
     .of_motion = true,
     .scene = "response",
     .no = "springs",
     .yes = "impulses",
     .summary = "by impulse"},
    {.key = "restitution",
     .real = at<&ForceField::contact, &ContactParams::restitution>,
     .text = "Relative velocity after an impulse over that before: 0 sticks, 1 loses nothing.",
     .range = {0, 1},
     .option = "--restitution",
     .of_motion = true,
     .scene = "restitution",
     .generator = "e",
     .summary = "restitution {}",
     .has_effect = [](const ForceField& f) { return f.contact.impulse; },
     .needs = "response = \"impulses\""},
};

constexpr LawParameter kOfAxilrodTeller[] = {
    {.key = "nu",
     .real = at<&ForceField::axilrod_teller, &AxilrodTellerParams::nu>,
     .text = "Strength.",
     .unit = "energy length^9",
     .option = "--nu",
     .scene = "nu",
     .generator = "nu",
     .summary = "nu = {}"},
};

bool dissipative_contact(const ForceField& f) {
  return f.contact.impulse ? f.contact.restitution < 1 : f.contact.damping > 0 || f.contact.shear > 0;
}

std::string endless_gravity(const ForceField&) {
  return ": it reaches every image of every body, and a sum over nearest images would be another law. Use open or "
         "reflecting walls, or a law that ends.";
}

std::string shifted_without_cutoff(const ForceField& f) {
  if (!f.lennard_jones.shifted || f.lennard_jones.cutoff != 0) return {};
  return "lennard-jones shifted = true with cutoff = 0; the potential is shifted at the cut-off, so give a cutoff "
         "above 0 or leave shifted out.";
}

std::string cutoff_beyond_box(const ForceField& f) {
  const double cutoff = f.lennard_jones.cutoff, side = shortest_side(f.box);
  if (cutoff > 0 && 2 * cutoff <= side) return {};
  return fmt::format(
      " cutoff = {}; it must be above 0 and at most {:.6g}, half the shortest side of the box, so that a body meets "
      "one image of another.",
      cutoff, 0.5 * side);
}

std::string triples_of_images(const ForceField&) {
  return ": it has no cut-off, and the nearest images of three bodies need not be the corners of one triangle. Use "
         "open or reflecting walls, or no triple law.";
}

/// What is wrong with a typed law, whether its values are in range; empty: nothing.
std::string fault_of(const char* over, const expression::TypedLaw& typed, bool acts) {
  if (!typed) return acts ? fmt::format("the law of {} is typed, but has no text; give its energy.", over) : "";
  if (typed.values.size() != typed.law->parameters().size()) {
    return fmt::format("the typed law of {} has {} values for {} parameters.", over, typed.values.size(),
                       typed.law->parameters().size());
  }
  try {
    typed.law->uniforms(typed.values);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string pair_fault(const ForceField& f) { return fault_of("pairs", f.typed_pair, f.pair == PairLaw::typed); }
std::string triple_fault(const ForceField& f) {
  return fault_of("triples", f.typed_triple, f.triple == TripleLaw::typed);
}

std::string typed_cutoff_beyond_box(const ForceField& f) {
  const double cutoff = f.typed_pair.law->cutoff(f.typed_pair.values), side = shortest_side(f.box);
  if (cutoff > 0 && 2 * cutoff <= side) return {};
  const std::string most = fmt::format(
      "at most {:.6g}, half the shortest side of the box, so that a body meets one "
      "image of another",
      0.5 * side);
  if (!(cutoff > 0)) return fmt::format(": it has no cut-off; add the parameter cutoff, above 0 and {}.", most);
  return fmt::format(": its cutoff = {}, and must be above 0 and {}.", cutoff, most);
}

std::string typed_triples_of_images(const ForceField&) {
  return " triples: the nearest images of three bodies need not be the corners of one triangle. Use open or "
         "reflecting walls, or no triple law.";
}

/// Whether the parameters are all that Params has: numbers, and flags that padding follows.
template <class Params, std::size_t N>
constexpr bool covers(const LawParameter (&parameters)[N]) {
  std::size_t bytes = 0;
  for (const LawParameter& p : parameters) bytes += p.real != nullptr ? sizeof(double) : sizeof(bool);
  return (bytes + alignof(Params) - 1) / alignof(Params) * alignof(Params) == sizeof(Params);
}

/// A row with what the functor says of itself.
template <class Law, class Params, auto& kParameters>
constexpr LawInfo row(LawInfo rest) {
  static_assert(covers<Params>(kParameters), "a parameter is not in the table");
  rest.name = Law::kName, rest.uses = Law::kUses, rest.sums = Law::kSums, rest.parameters = kParameters;
  return rest;
}

constexpr std::array kLaws{
    row<laws::Gravity<double>, GravityParams, kOfGravity>(
        {.pair = PairLaw::gravity,
         .form = "Newton with Plummer softening: a_i += G m_j d / (d.d + eps^2)^(3/2)",
         .tuned = "gravity",
         .not_periodic = endless_gravity}),
    row<laws::LennardJones<double>, LennardJonesParams, kOfLennardJones>(
        {.pair = PairLaw::lennard_jones,
         .form = "4 epsilon [(sigma/r)^12 - (sigma/r)^6], plain or shifted cut-off",
         .tuned = "lennard-jones",
         .conflict = shifted_without_cutoff,
         .not_periodic = cutoff_beyond_box}),
    row<laws::Contact<double>, ContactParams, kOfContact>(
        {.pair = PairLaw::contact,
         .form = "spheres with spring and dashpot on their overlap, or by impulse (scenes)",
         .tuned = "overlaps",
         .dissipates = dissipative_contact,
         .not_periodic = nullptr}),  // check() with the largest radius
    LawInfo{.name = "typed",
            .pair = PairLaw::typed,
            .typed = true,
            .form = "an energy in r and in the masses mi, mj, radii ri, rj and charges qi, qj: --law \"EXPRESSION\"",
            .conflict = pair_fault,
            .not_periodic = typed_cutoff_beyond_box},
    row<laws::AxilrodTeller<double>, AxilrodTellerParams, kOfAxilrodTeller>(
        {.triple = TripleLaw::axilrod_teller,
         .form = "nu (1 + 3 cos A cos B cos C) / (r_ij r_jk r_ki)^3",
         .tuned = nullptr,
         .not_periodic = triples_of_images}),
    LawInfo{.name = "typed",
            .triple = TripleLaw::typed,
            .typed = true,
            .form = "an energy in the sides a, b, c of a triangle: --triple-law \"EXPRESSION\"",
            .conflict = triple_fault,
            .not_periodic = typed_triples_of_images},
};

template <class Id>
constexpr std::size_t count_of(Id LawInfo::*id) {
  std::size_t count = 0;
  for (const LawInfo& law : kLaws) count += law.*id != Id::none;
  return count;
}

/// "none" and the names of the rows, by enumerator.
template <class Id, std::size_t N>
constexpr EnumNames<Id, N> names_of(std::string_view what, Id LawInfo::*id) {
  EnumNames<Id, N> names{what, {"none"}};
  for (const LawInfo& law : kLaws) {
    if (law.*id != Id::none) names.names[static_cast<std::size_t>(law.*id)] = law.name;
  }
  return names;
}

constexpr auto kPairLaws = names_of<PairLaw, 1 + count_of(&LawInfo::pair)>("pair law", &LawInfo::pair);
constexpr auto kTripleLaws = names_of<TripleLaw, 1 + count_of(&LawInfo::triple)>("triple law", &LawInfo::triple);

/// Without the last one, "typed".
template <class Names>
std::vector<std::string_view> selectable(const Names& names) {
  std::vector<std::string_view> list = names.list();
  list.pop_back();
  return list;
}

template <class Id>
const LawInfo& find(Id LawInfo::*member, Id id) {
  const auto found = std::find_if(kLaws.begin(), kLaws.end(), [&](const LawInfo& law) { return law.*member == id; });
  TRI_EXPECTS(id != Id::none && found != kLaws.end());
  return *found;
}

}  // namespace

std::string no_cutoff(const ForceField&) {
  return ": it has no cut-off, and nearest images would not be all of it. Use open or reflecting walls.";
}

std::string idle_key(const LawInfo& law, const LawParameter& p, std::string_view key, const ForceField& f) {
  if (!law.acts(f)) {
    const std::string acting = law.pair != PairLaw::none ? to_string(f.pair) : to_string(f.triple);
    return fmt::format("{} belongs to {}, and the law of {} is {}; leave it out, or choose that law.", key, law.name,
                       law.over(), acting);
  }
  if (p.matters(f)) return {};
  return fmt::format("{} belongs to {} with {}, and has no effect without it; leave it out, or set that.", key,
                     law.name, p.needs);
}

const LawParameter* parameter_of(std::string_view option) {
  for (const LawInfo& law : kLaws) {
    for (const LawParameter& p : law.parameters) {
      if (p.option != nullptr && p.option == option) return &p;
    }
  }
  return nullptr;
}

std::string value_text(const GivenParameter& given) {
  const LawParameter* p = parameter_of(given.option);
  TRI_EXPECTS(p != nullptr);
  if (p->flag != nullptr) return given.value != 0 ? p->yes : p->no;
  return fmt::format("{:.17g}", given.value);
}

void set_parameters(ForceField& field, std::span<const GivenParameter> given) {
  for (const GivenParameter& each : given) {
    const LawParameter* p = parameter_of(each.option);
    TRI_EXPECTS(p != nullptr);
    if (p->flag != nullptr) {
      p->is_set(field) = each.value != 0;
    } else if (p->range.holds(each.value)) {
      p->value(field) = each.value;
    } else {
      throw ConfigError(
          fmt::format("{} takes a number that is {}; got '{}'.", each.option, p->range.text(), each.value));
    }
  }
  for (const LawInfo& law : kLaws) {  // when all are set: one may need another
    for (const LawParameter& p : law.parameters) {
      for (const GivenParameter& each : given) {
        if (p.option == nullptr || each.option != p.option) continue;
        if (const std::string why = idle_key(law, p, p.option, field); !why.empty()) throw ConfigError(why);
      }
    }
  }
}

std::span<const LawInfo> all_laws() { return kLaws; }
const LawInfo& law_info(PairLaw law) { return find(&LawInfo::pair, law); }
const LawInfo& law_info(TripleLaw law) { return find(&LawInfo::triple, law); }

std::vector<std::string_view> law_names() {
  std::vector<std::string_view> names;
  for (const LawInfo& law : kLaws) {
    if (!law.typed) names.emplace_back(law.name);
  }
  return names;
}
std::vector<std::string_view> pair_law_names() { return selectable(kPairLaws); }
std::vector<std::string_view> triple_law_names() { return selectable(kTripleLaws); }

void select_law(ForceField& field, std::string_view name) {
  for (const LawInfo& law : kLaws) {
    if (law.typed || law.name != name) continue;
    field.pair = law.pair, field.triple = law.triple;
    return;
  }
  throw ConfigError(unknown_name("law", name, law_names()));
}

std::string to_string(PairLaw law) { return kPairLaws.text(law); }
std::string to_string(TripleLaw law) { return kTripleLaws.text(law); }

PairLaw pair_law_from(const std::string& name) { return kPairLaws.from(name); }
TripleLaw triple_law_from(const std::string& name) { return kTripleLaws.from(name); }

}  // namespace tri
