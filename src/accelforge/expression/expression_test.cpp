#include <gtest/gtest.h>

#include <cmath>

#include "accelforge/expression/evaluate.hpp"
#include "base/error.hpp"

namespace tilewright::accelforge::expression_test {
namespace {

Names names() {
    auto universe = std::make_shared<Universe>();
    universe->names = {"A", "B", "C"};
    universe->bits = {8.0, 16.0, 4.0};
    universe->variables = std::make_shared<const Universe>(Universe{{"m", "k", "n"}, {}, nullptr, {}});
    universe->variables_of = {0b011, 0b110, 0b101};
    Names made;
    const auto put = [&](const char* name, std::uint64_t members) {
        made.own[name] = Value{SetValue{universe, members}};
    };
    put("All", 0b111);
    put("Nothing", 0);
    put("A", 0b001);
    put("B", 0b010);
    put("C", 0b100);
    made.own["size"] = Value{64.0};
    return made;
}

double number_of(const char* text) {
    const Value value = evaluate_text(text, {}, names());
    return value.is_number() ? value.number() : NAN;
}

std::uint64_t members_of(const char* text) { return evaluate_text(text, {}, names()).set()->members; }

TEST(AccelForgeExpression, ComputesAsPythonDoes) {
    EXPECT_EQ(number_of("1024*1024*128*8"), 1073741824.0);
    EXPECT_EQ(number_of("8 * 614e9"), 4.912e12);
    EXPECT_EQ(number_of("-7 // 2"), -4.0);
    EXPECT_EQ(number_of("-7 % 4"), 1.0);
    EXPECT_EQ(number_of("-2 ** 2"), -4.0);
    EXPECT_EQ(number_of("2 ** -1"), 0.5);
    EXPECT_EQ(number_of("ceil(log2(size + 1))"), 7.0);
    EXPECT_EQ(number_of("3 if 1 < size <= 64 else 4"), 3.0);
    EXPECT_EQ(number_of("sum(x * x for x in range(1, 4) if x != 2)"), 10.0);
    EXPECT_EQ(number_of("max([1, 5, 2])"), 5.0);
    EXPECT_EQ(number_of("not 3 in [1, 2]"), 1.0);
    EXPECT_TRUE(std::isinf(number_of("inf")));
}

TEST(AccelForgeExpression, KnowsSetsOfTensors) {
    EXPECT_EQ(members_of("~A"), 0b110U);
    EXPECT_EQ(members_of("~(A | B)"), 0b100U);
    EXPECT_EQ(members_of("All - B & ~C"), 0b001U);  // differences before common members, as in Python
    EXPECT_EQ(members_of("A ^ All"), 0b110U);
    EXPECT_EQ(members_of("A if len(All) == 3 else Nothing"), 0b001U);
    EXPECT_EQ(members_of("A.tensors()"), 0b001U);
    EXPECT_EQ(members_of("(A | B).rank_variables"), 0b111U);
    EXPECT_EQ(number_of("3 * B.bits_per_value if B else 0"), 48.0);
    EXPECT_EQ(number_of("Nothing.bits_per_value if Nothing else 0"), 0.0);
}

std::string refusal(const std::string& text) {
    try {
        static_cast<void>(evaluate_text(text, {}, names()));
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(AccelForgeExpression, SaysWhatIsWrong) {
    EXPECT_EQ(refusal("siz * 2"), "unknown name 'siz' in 'siz * 2'; did you mean 'size'?");
    EXPECT_EQ(refusal("~size"), "in '~size': '~' takes a set, found a number");
    EXPECT_EQ(refusal("A + 1"), "in 'A + 1': expected a number, found a set");
    EXPECT_EQ(refusal("A * B"), "in 'A * B': '*' is not for sets");
    EXPECT_EQ(refusal("A | A.rank_variables"),
              "in 'A | A.rank_variables': sets of tensors and of rank variables are mixed");
    EXPECT_EQ(refusal("All.bits_per_value"),
              "in 'All.bits_per_value': 'bits_per_value' is of one tensor; the set has 3");
    EXPECT_EQ(refusal("1 / 0"), "in '1 / 0': division by zero");
    EXPECT_EQ(refusal("(1"), "'(1' is no expression: expected ')' at character 3");
    EXPECT_EQ(refusal("open('x')"), "unknown name 'open' in 'open('x')'");
    EXPECT_NE(refusal(std::string(300, '(')).find("nested too deeply"), std::string::npos);
    EXPECT_NE(refusal("sum(a for a in range(1e6))"), "");
    EXPECT_NE(refusal("sum(sum(b for b in range(99999)) for a in range(99999))").find("too many steps"),
              std::string::npos);
}

TEST(AccelForgeExpression, ListsAndFunctionsAreValues) {
    EXPECT_EQ(number_of("len([1] * 15 + [2])"), 16.0);
    EXPECT_EQ(number_of("sum(2 * [1, 2])"), 6.0);
    EXPECT_EQ(number_of("(ceil if size > 1 else floor)(0.5)"), 1.0);
    EXPECT_EQ(members_of("{A, B | C}"), 0b111U);
    EXPECT_THROW(evaluate_text("{}", {}, names()), InputError);
    EXPECT_THROW(evaluate_text("max(1, key=2)", {}, names()), InputError);
    EXPECT_THROW(evaluate_text("[1] * 1e9", {}, names()), InputError);
}

TEST(AccelForgeExpression, KnowsTheFunctionsOfArrays) {
    // 3 bits: -3 .. 3, offset 0 .. 6 equally often: bits are on in 3 of 7.
    EXPECT_NEAR(number_of("encoded_hist_to_avg_slice(offset_encode_hist([1] * 7), 3, 1)"), 3.0 / 7.0, 1e-12);
    EXPECT_EQ(number_of("len(encoded_hist_to_avg_slice(offset_encode_hist([1] * 7), 3, 1, return_per_slice=True))"),
              3.0);
    EXPECT_EQ(number_of("is_hist_signed([0, 0, 0, 1, 1, 0, 0])"), 0.0);
    EXPECT_EQ(number_of("sum(hist_to_magnitude([1, 2, 3]))"), 6.0);
    EXPECT_EQ(number_of("hist_to_magnitude([1, 2, 3])[1]"), 4.0);
    EXPECT_EQ(number_of("sum_map(bits2integration_steps, bits2phase_2phase(7, 3))"), 22.0);  // 4 bits and 3
    EXPECT_EQ(number_of("sum_phase_out_bits(10, bits2phase_2phase(7, 3))"), 16.0);
    EXPECT_EQ(number_of("sum_phase_out_bits(8, bits2phase_1phase(7, 3))"), 8.0);
    EXPECT_THROW(evaluate_text("offset_encode_hist([1, 2])", {}, names()), InputError);
}

}  // namespace
}  // namespace tilewright::accelforge::expression_test
