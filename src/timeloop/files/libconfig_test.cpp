#include <gmock/gmock.h>

#include "base/error.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::timeloop::libconfig_test {
namespace {

using ::testing::HasSubstr;

const std::string kMachine = R"(// a machine of 2018
arch :
{
  arithmetic : { name = "MACs"; instances = 0x100L; word-bits = 16; meshX = 16; };
  storage = (
    { name = "Regis" "ters"; entries = 64; instances = 256, meshX = 16; word-bits = 16 },  # innermost
    /* between
       them */ { name = "Buffer"; sizeKB = 128; instances = 1; word-bits = 16; block-size = 4; },
    { name = "DRAM"; technology = "DRAM"; instances = 1; word-bits = 16; } );
};
)";

std::string mistake(const std::string& text) {
    try {
        (void)load_text(text, "machine.cfg");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Libconfig, AMachineOfTimeloopsFirstVersions) {
    const Architecture machine = read_architecture(load_text(kMachine, "machine.cfg"));
    ASSERT_EQ(machine.memory_count(), 3);
    EXPECT_EQ(machine.memories[0].name, "DRAM");
    EXPECT_EQ(machine.memories[2].name, "Registers");
    EXPECT_EQ(machine.memories[2].instances, 256);
    EXPECT_EQ(machine.compute.instances, 256);
    EXPECT_EQ(read_architecture(load_text(kMachine, "machine")).memory_count(), 3) << "known by what is in it";
}

TEST(Libconfig, ValuesOfEveryKind) {
    const yaml::Node root =
        load_text("a = 1 b : -2.5e3; c = True; d = \"x\\\"y\"; e = [ 1, 2, ]; f = ( ); g = { };;", "x.cfg");
    EXPECT_EQ(root.at("a").integer(), 1);
    EXPECT_EQ(root.at("b").real(), -2500.0);
    EXPECT_TRUE(root.at("c").boolean());
    EXPECT_EQ(root.at("d").text(), "x\"y");
    EXPECT_EQ(root.at("e").items().size(), 2U);
    EXPECT_TRUE(root.at("f").items().empty());
    EXPECT_TRUE(root.at("g").entries().empty());
}

TEST(Libconfig, IsToldFromYaml) {
    EXPECT_TRUE(is_libconfig("", "a.cfg"));
    EXPECT_TRUE(is_libconfig("# x\nproblem = 1", "a"));
    EXPECT_TRUE(is_libconfig("/* x */ arch :\n{ a = 1; };", "a"));
    EXPECT_FALSE(is_libconfig("arch:\n  a: 1", "a.yaml"));
    EXPECT_FALSE(is_libconfig("arch: {a: 1}", "a.yaml"));
    EXPECT_FALSE(is_libconfig("sizes: { spad: &spad 12 }\n# this; that\narch: 1", "a.yaml"));
    EXPECT_FALSE(is_libconfig("{\"a\": 1}", "a.json"));
    EXPECT_FALSE(is_libconfig("{% set a = 1 %}", "a.yaml"));
    EXPECT_FALSE(is_libconfig("", "a.yaml"));
}

TEST(Libconfig, MistakesAreAtTheirPlace) {
    for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
             {"a = 1;\nb = ;", "machine.cfg:2:5: error: expected a value"},
             {"a = 1;\n b 2;", "machine.cfg:2:4: error: expected '=' or ':' behind the name"},
             {"a = { b = 1;", "'{' is never closed"},
             {"a = ( 1 2 );", "machine.cfg:1:9: error: expected ',' or the end of the list"},
             {"a = ( 1 };", "machine.cfg:1:9: error: nothing to close with '}' here"},
             {"a = banana;", "machine.cfg:1:5: error: expected a value"},
             {"a = \"x\ny\";", "a text that does not end in its line"},
             {"a = 1; /* b", "a comment that does not end"},
             {"@include \"b.cfg\"", "@include is not supported"},
             {"a = 1; a = 2;", "duplicate key"},
             {"a =", "the last setting has no value"},
             {std::string("a = ") + std::string(1000, '('), "nested too deeply"},
         })
        EXPECT_THAT(mistake(text), HasSubstr(message)) << text;
}

}  // namespace
}  // namespace tilewright::timeloop::libconfig_test
