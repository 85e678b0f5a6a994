// Laws on the command line: names and texts, for every command that takes them.

#include <gtest/gtest.h>

#include "app/options/options.hpp"
#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

TEST(Options, ALawIsANameOrAText) {
  const auto law_of = [](std::vector<std::string> words) {
    words.insert(words.begin(), "triangulum");
    return parse_options(words);
  };
  const RunConfig run = law_of({"run", "plummer", "--steps", "1", "--law", "-mi*mj/r", "--triple-law", "a + b + c"});
  EXPECT_EQ(run.run.law, "-mi*mj/r");
  EXPECT_EQ(run.run.triple_law, "a + b + c");
  EXPECT_EQ(law_of({"run", "plummer", "--steps", "1", "--law", "lj"}).run.law, "lennard-jones");
  const ForceField forces = law_of({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "k/r; k = 2"}).compute.field;
  EXPECT_EQ(forces.pair, PairLaw::typed);
  EXPECT_EQ(forces.typed_pair.values, std::vector<double>{2});
  const ForceField triples =
      law_of({"compute", "forces", "a.csv", "-o", "b.npy", "--triple-law", "k/(a*b*c); k = 2"}).compute.field;
  EXPECT_EQ(triples.pair, PairLaw::none);
  EXPECT_EQ(triples.triple, TripleLaw::typed);
  EXPECT_EQ(law_of({"verify", "--law", "k/r; k = 2"}).verify.law, "k/r; k = 2");
  // An energy may begin with a minus sign, and with the letter of a flag.
  for (const char* text : {"-mi*mj/r", "-qi*qj/r", "-(1/r)", "-2*r^2"}) {
    EXPECT_EQ(law_of({"law", text}).law.text, text);
    const RunConfig plotted = law_of({"law", text, "--plot", "l.svg", "-q"});
    EXPECT_EQ(plotted.law.text, text);
    EXPECT_EQ(plotted.law.plot, "l.svg");
    EXPECT_TRUE(plotted.common.quiet);
    EXPECT_EQ(law_of({"law", "--plot", "l.svg", "--", text}).law.text, text);
  }
  const RunConfig shown = law_of({"law", "a*b*c", "--triples", "--from", "0.5", "--plot", "l.svg"});
  EXPECT_TRUE(shown.law.triples);
  EXPECT_EQ(shown.law.from, 0.5);
  const auto refusal = [&](const std::vector<std::string>& words) {
    return test::message_of<ConfigError>([&] { law_of(words); });
  };
  EXPECT_NE(refusal({"run", "plummer", "--steps", "1", "--law", "-mi*mj/q"}).find("'q'"), std::string::npos);
  EXPECT_NE(refusal({"run", "--restart", "a.hdf5", "--law", "1/r"}).find("--restart a.hdf5"), std::string::npos);
  EXPECT_NE(refusal({"verify", "--law", "gravity"}).find("takes the energy of a pair"), std::string::npos);
  EXPECT_NE(refusal({"law", "1/r", "--from", "3", "--to", "2"}).find("must be below"), std::string::npos);
  EXPECT_NE(refusal({"law", "1/r", "--plot", "l.png"}).find(".svg"), std::string::npos);
  EXPECT_NE(refusal({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "1/r", "--eps", "1"}).find("--eps"),
            std::string::npos);
  EXPECT_NE(
      refusal({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "gravity", "--nu", "1"}).find("--nu belongs"),
      std::string::npos);
  EXPECT_NE(refusal({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "axilrod-teller", "--triple-law", "a*b*c"})
                .find("both of triples"),
            std::string::npos);
}

}  // namespace
}  // namespace tri::app
