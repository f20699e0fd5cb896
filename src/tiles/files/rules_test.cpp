#include <gmock/gmock.h>

#include "tiles/files/shipped.hpp"
#include "tiles/search/problem.hpp"

namespace tilewright::tiles {
namespace {

std::string rules_mistake(const std::string& text, const std::string& machine = "") {
    try {
        Machine with;
        if (!machine.empty()) with = read_machine(yaml::parse_text(machine, "machine.yaml"));
        make_problem(read_rules(yaml::parse_text(text, "rules.yaml")), with);
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

const std::string kHead = "version: 1\nkernel: k\ngiven: [M]\n";

TEST(TilesRules, SayWhereTheyAreWrong) {
    using testing::HasSubstr;
    EXPECT_EQ(rules_mistake(kHead + "choose: {a: 1..M}\n"), "");
    EXPECT_THAT(rules_mistake("version: 2\nkernel: k\nchoose: {a: [1]}\n"), HasSubstr("rules.yaml:1:10"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: [1]}\nrequired: [a]\n"),
                HasSubstr("unknown key 'required'; did you mean 'require'?"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: [1], M: [2]}\n"),
                HasSubstr("rules.yaml:4:18: error: 'M' stands there twice"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {min: [1]}\n"), HasSubstr("'min' is a word of the rule language"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: [1]}\nrequire:\n- a < 2\n- a < MM\n"),
                HasSubstr("rules.yaml:7:7: error: there is no 'MM'"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: 1..M step 0}\n"),
                HasSubstr("rules.yaml:4:23: error: expected a step of at least 1"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: 5}\n"), HasSubstr("expected a list, a..b"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: 1..b, b: [1]}\n"),
                HasSubstr("the values of 'a' need 'b', which is chosen later"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: [1]}\nlet: {x: y + 1, y: 2 * z, z: x}\n"),
                HasSubstr("a circle of lets: x -> y -> z -> x"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: [1]}\nrequire: [a < 2]\nreason: {1: no}\n"),
                HasSubstr("there is no requirement 1"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {\"a, b\": [[1, 2], [3]]}\n"), HasSubstr("expected 2 numbers"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: [1]}\ntime: {half: a / 2}\n"), HasSubstr("expected 'us'"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: [1]}\ntime: {us: a}\nbound: a\n"),
                HasSubstr("a bound holds for every point"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: [1]}\nforms: {f: \"{a\"}\n"),
                HasSubstr("a brace without its other"));
    EXPECT_THAT(rules_mistake(kHead + "choose: {a: [1]}\nmap: {m: [a]}\n"), HasSubstr("the extent as the last"));
}

TEST(TilesRules, TakeNumbersOfTheMachine) {
    using testing::HasSubstr;
    const std::string rules =
        kHead + "machine: [shared, rate]\nchoose: {a: [1]}\nrequire: [a <= shared]\ntime: {us: a / rate}\n";
    const std::string machine = "version: 1\nmachine: m\nnumbers: ";
    EXPECT_EQ(rules_mistake(rules, machine + "{shared: 4, rate: 0.5}"), "");
    EXPECT_THAT(rules_mistake(rules, machine + "{share: 4, rate: 1}"),
                HasSubstr("need 'shared' of the machine m, which has no such number; did you mean 'share'?"));
    EXPECT_THAT(rules_mistake(rules, machine + "{shared: 4.5, rate: 1}"),
                HasSubstr("take 'shared' for a whole number"));
}

TEST(TilesRules, AllThatAreShippedCanBeRead) {
    for (const std::string& name : shipped_rules()) EXPECT_EQ(read_rules(shipped_rule_file(name)).kernel, name);
    for (const std::string& name : shipped_machines()) EXPECT_EQ(shipped_machine(name).name, name);
    EXPECT_EQ(shipped_machine("h200").numbers.at("shared"), 232448);  // like h100
    EXPECT_THROW(shipped_rule_file("triton"), InputError);
}

TEST(TilesRules, AMachineIsWrittenAsItIsRead) {
    Machine machine = shipped_machine("h100");
    machine.kernels = {{1, 2}, {3, 4}};
    machine.quality = {{{1}, {0.5, 9}}, {{3}, {1.25, 12}}};
    machine.prior = 0.08;
    machine.measured_rows = 7;
    machine.measured_error = 0.125;
    const Machine again = read_machine(yaml::parse_text(machine_text(machine, "rows"), "again.yaml"));
    EXPECT_EQ(again.numbers, machine.numbers);
    EXPECT_EQ(again.kernels, machine.kernels);
    EXPECT_EQ(again.quality.at({3}).rows, 12);
    EXPECT_EQ(again.quality.at({3}).time, 1.25);
    EXPECT_EQ(again.measured_error, 0.125);
}

}  // namespace
}  // namespace tilewright::tiles
