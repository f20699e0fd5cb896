#include "timeloop/expression/expression.hpp"

#include <gtest/gtest.h>

namespace tilewright::timeloop::expression_test {
namespace {

// a = 6, b = 2.5, name = 'SRAM', list = [1, 2, 4], map with the part x = 7
std::optional<Value> lookup(std::string_view name) {
    if (name == "a") return Value{std::int64_t{6}};
    if (name == "b") return Value{2.5};
    if (name == "name") return Value{std::string("SRAM")};
    if (name == "list") return Value{std::vector<Value>{{std::int64_t{1}}, {std::int64_t{2}}, {std::int64_t{4}}}};
    if (name != "map") return std::nullopt;
    const auto part = [](std::string_view key) {
        return key == "x" ? std::optional<Value>(Value{std::int64_t{7}}) : std::nullopt;
    };
    return Value{Parts{part, 1}};
}

std::string result_of(const std::string& text) { return to_text(evaluate_text(text, yaml::Node(), lookup)); }

std::string mistake_in(const std::string& text) {
    try {
        return "no mistake: " + to_text(evaluate_text(text, yaml::Node(), lookup, {"a", "b", "name", "list", "map"}));
    } catch (const InputError& error) {
        return error.message();
    }
}

TEST(Expression, ComputesAsPythonDoes) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"1 + 2 * 3", "7"},
        {"(1 + 2) * 3", "9"},
        {"16_777_216 // 1_024", "16384"},
        {"2 ** 3 ** 2", "512"},
        {"-2 ** 2", "-4"},
        {"2 ** -1", "0.5"},
        {"7 / 2", "3.5"},
        {"6 / 2", "3"},
        {"7 // 2", "3"},
        {"-7 // 2", "-4"},
        {"-7 % 3", "2"},
        {"7.5 // 2", "3"},
        {"a * 3", "18"},
        {"a / b", "2.4"},
        {"1e3 + 1", "1001"},
        {"3 < 4", "1"},
        {"3 >= 4", "0"},
        {"name == 'SRAM'", "1"},
        {"'a' + \"b\"", "'ab'"},
        {"1 if a > 5 else 2", "1"},
        {"1 if a > 6 else 2", "2"},
        {"1 / 0 if a > 6 else 2", "2"},
        {"a > 6 and 1 / 0", "0"},
        {"a or 1 / 0", "6"},
        {"not a", "0"},
        {"True + True", "2"},
        {"max(1, ceil(log2(a)))", "3"},
        {"min(list)", "1"},
        {"max(1, 2.5, 2)", "2.5"},
        {"sum([1, 2, 3.5])", "6.5"},
        {"prod(list)", "8"},
        {"floor(-2.5) + round(2.5) + int(-2.5)", "-3"},
        {"pow(2, 10)", "1024"},
        {"sqrt(16)", "4"},
        {"abs(-3) + abs(2.5)", "5.5"},
        {"len(list) + len(map) + len(name)", "8"},
        {"list[0] + list[-1]", "5"},
        {"map.x + map['x']", "14"},
    };
    for (const auto& [text, result] : cases) EXPECT_EQ(result_of(text), result) << text;
}

// Of CiMLoop's variables; the means are those of cim/encoding.
TEST(Expression, ComputesListsAndFunctionsAsCimloopDoes) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"sum([1] * 15)", "15"},
        {"len([1, 2] + list)", "5"},
        {"sum(p * (1 - p) for p in list)", "-14"},
        {"len([p for p in list if p > 1])", "2"},
        {"sum(i * p for i, p in enumerate(list))", "10"},
        {"sum(range(5)) + sum(range(2, 4))", "15"},
        {"map.get('x', 1) + map.get(\"y\", 3)", "10"},
        {"f\"X={a} and {b}\"", "'X=6 and 2.5'"},
        {"(\"X=\" + str(a))", "'X=6'"},
        {"(ceil if a > 5 else floor)(b)", "3"},
        {"ceil", "the function 'ceil'"},
        {"encoded_hist_to_avg_slice(offset_encode_hist([0, 1, 0]), 2, 2)", "0.3333333333333333"},
        {"encoded_hist_to_avg_slice(magnitude_encode_hist([0, 0, 1]), 2, 1, return_per_slice=True)", "a list"},
        {"hist_to_magnitude([1, 2, 3])[1]", "4"},
        {"is_hist_signed([0, 1, 1]) + 2 * is_hist_signed([1, 0, 0])", "2"},
        {"sum_map(bits2integration_steps, bits2phase_2phase(5, 3))", "10"},
        {"sum_phase_out_bits(8, bits2phase_1phase(5, 3))", "8"},
    };
    for (const auto& [text, result] : cases) EXPECT_EQ(result_of(text), result) << text;
}

TEST(Expression, KeepsWholeNumbersWhole) {
    EXPECT_TRUE(evaluate_text("a * 3", yaml::Node(), lookup).is_whole());
    EXPECT_TRUE(evaluate_text("ceil(b)", yaml::Node(), lookup).is_whole());
    EXPECT_FALSE(evaluate_text("6 / 2", yaml::Node(), lookup).is_whole()) << "division gives reals";
}

TEST(Expression, SaysWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"min(a.b.get(1), 2)", "'a.b.get': custom functions in Python are not run"},
        {"a.get('x')", "in 'a.get('x')': 6 has no 'get'"},
        {"map.get('y')", "in 'map.get('y')': there is no 'y'"},
        {"a(1)", "in 'a(1)': 6 is no function"},
        {"[p for p in a]", "in '[p for p in a]': 'for' needs a list, found 6"},
        {"[i for i, p in list]", "in '[i for i, p in list]': 'for i,p' needs pairs, found 1"},
        {"[p for p of list]", "'[p for p of list]' is not an expression: expected 'in', found 'of'"},
        {"[1] * 100001", "in '[1] * 100001': the list has more than 100,000 items"},
        {"[[1] * 1000] * 1000", "in '[[1] * 1000] * 1000': the list has more than 100,000 items"},
        {"sum(sum(i * j for j in range(9999)) for i in range(9999))",
         "in 'sum(sum(i * j for j in range(9999)) for i in range(9999))': takes too many steps"},
        {"f'{a'", "'f'{a'' is not an expression: '{' without '}'"},
        {"offset_encode_hist([1, 2])",
         "in 'offset_encode_hist([1, 2])': offset_encode_hist() does not take these values "
         "(docs/guide-compute-in-memory.md)"},
        {"1 +", "'1 +' is not an expression: expected a value, found its end"},
        {"1 2", "'1 2' is not an expression: expected an operator, found '2'"},
        {"(1", "'(1' is not an expression: expected ')', found its end"},
        {"[1", "'[1' is not an expression: expected ',' or ']', found its end"},
        {"'abc", "''abc' is not an expression: a quoted text does not end"},
        {"1 if 2", "'1 if 2' is not an expression: expected 'else', found its end"},
        {"a.1", "'a.1' is not an expression: expected an operator, found '.1'"},
        {"nam * 2", "unknown name 'nam' in 'nam * 2'; did you mean 'name'?"},
        {"lenn(list)", "in 'lenn(list)': unknown function 'lenn'; did you mean 'len'?"},
        {"len(1)", "in 'len(1)': len() of 1"},
        {"ceil()", "in 'ceil()': ceil() takes one argument, found 0"},
        {"min()", "in 'min()': min() of nothing"},
        {"1 / 0", "in '1 / 0': division by zero"},
        {"1 % 0", "in '1 % 0': division by zero"},
        {"log2(0)", "in 'log2(0)': the result is not a finite number"},
        {"'a' * 2", "in ''a' * 2': arithmetic needs a number, found 'a'"},
        {"2 ** 63", "in '2 ** 63': the result does not fit in 64 bits"},
        {"9223372036854775807 + 1", "in '9223372036854775807 + 1': the result does not fit in 64 bits"},
        {"9223372036854775808", "in '9223372036854775808': 9223372036854775808 does not fit in 64 bits"},
        {"ceil(1e300)", "in 'ceil(1e300)': the result does not fit in 64 bits"},
        {"list[3]", "in 'list[3]': the index 3 is outside the list"},
        {"map.y", "in 'map.y': there is no 'y'"},
        {"a.x", "in 'a.x': 6 has no part 'x'"},
        {"1.2.3", "in '1.2.3': '1.2.3' is not a number"},
    };
    for (const auto& [text, message] : cases) EXPECT_EQ(mistake_in(text), message);
}

TEST(Expression, RefusesToExhaustTheStack) {
    EXPECT_NE(mistake_in(std::string(500, '(') + "1" + std::string(500, ')')).find("nested too deeply"),
              std::string::npos);
    EXPECT_NE(mistake_in(std::string(500, '-') + "1").find("nested too deeply"), std::string::npos);
    EXPECT_NE(mistake_in("1" + std::string(5000, ' ') + "+ 1").find("longer than 4096"), std::string::npos);
    std::string sum = "1";
    for (int i = 0; i < 2000; ++i) sum += "+1";
    EXPECT_EQ(result_of(sum), "2001");
}

TEST(Expression, ReadsNodesByTheirSpelling) {
    const yaml::Node node = yaml::parse_text("{n: 7, r: 7.0, t: '7', e: a + 1, l: [1, a], m: {x: a}}");
    const auto text = [&](const char* key) { return to_text(evaluate_node(node.at(key), lookup)); };
    EXPECT_EQ(text("n"), "7");
    EXPECT_FALSE(evaluate_node(node.at("r"), lookup).is_whole());
    EXPECT_EQ(text("t"), "'7'");
    EXPECT_EQ(text("e"), "7");
    EXPECT_EQ(to_text(std::get<std::vector<Value>>(evaluate_node(node.at("l"), lookup).data)[1]), "6");
    EXPECT_EQ(to_text(*std::get<Parts>(evaluate_node(node.at("m"), lookup).data).find("x")), "6");
    EXPECT_EQ(words_in(node), (std::vector<std::string>{"0", "1", "7", "a"}));
}

}  // namespace
}  // namespace tilewright::timeloop::expression_test
