// Mappings as lists of stores and loops.
#include "timeloop/mapping/nest.hpp"

#include <gmock/gmock.h>

#include "mapping/uneven.hpp"
#include "timeloop/mapping/mapping.hpp"

namespace tilewright::timeloop::nest_test {
namespace {

using testing::HasSubstr;

Architecture machine() {
    Architecture architecture;
    for (const char* name : {"DRAM", "Buffer"}) architecture.memories.emplace_back().name = name;
    architecture.memories[1].mesh = {1, 1};
    architecture.compute.mesh = {4, 1};
    architecture.compute.instances = 4;
    return architecture;
}

// O[k] += W[k, c] * I[c]
Einsum product() {
    const auto rank = [](int dimension) { return Rank{{Term{dimension, 1}}}; };
    return {"product",
            {{"K", 4}, {"C", 6}},
            {{"W", {rank(0), rank(1)}, false}, {"I", {rank(1)}, false}, {"O", {rank(0)}, true}}};
}

constexpr const char* kNest =
    "mapping:\n"
    "  - {store: DRAM, tensors: [W, I, O]}\n"
    "  - {store: Buffer, tensors: [O]}\n"
    "  - {loop: C, extent: 6}\n"
    "  - {store: Buffer, tensors: [W, I]}\n"
    "  - {loop: K, extent: 4, across: X}\n";

InputError error_of(std::string text, const std::string& what, const std::string& instead) {
    text.replace(text.find(what), what.size(), instead);
    try {
        read_mapping(yaml::parse_text(text), product(), machine());
    } catch (const InputError& error) {
        return error;
    }
    throw std::logic_error("it was read");
}

TEST(Nest, ReadsBackWhatItWrites) {
    const Mapping mapping = read_mapping(yaml::parse_text(kNest), product(), machine());
    EXPECT_FALSE(is_even(mapping, 2));
    EXPECT_EQ(mapping.nodes.size(), 5U);
    EXPECT_EQ(write_nest(mapping, product(), machine()), kNest);
    EXPECT_FALSE(directives_can_say(mapping, machine()));
}

TEST(Nest, EvenListsAreEvenMappings) {
    std::string text = kNest;
    text.erase(text.find("  - {store: Buffer, tensors: [O]}"), 34);
    text.replace(text.find("[W, I]}\n"), 8, "[W, I, O]}\n");
    const Mapping mapping = read_mapping(yaml::parse_text(text), product(), machine());
    EXPECT_TRUE(is_even(mapping, 2));
    EXPECT_THAT(write_mapping(mapping, product(), machine()), HasSubstr("target: Buffer"));
    EXPECT_EQ(write_nest(mapping, product(), machine()), text);
}

TEST(Nest, HasTheSwitchesOfTimeloopsAccounting) {
    std::string text = kNest;
    text.erase(text.find("  - {store: Buffer, tensors: [O]}"), 34);
    text.replace(text.find("[W, I]}\n"), 8, "[W, I, O], no_multicast: [W], no_coalesce: [O]}\n");
    const Mapping mapping = read_mapping(yaml::parse_text(text), product(), machine());
    ASSERT_EQ(mapping.options.size(), 2U);
    EXPECT_EQ(mapping.options[1].no_multicast, TensorSet::of(0));
    EXPECT_EQ(write_nest(mapping, product(), machine()), text);
    EXPECT_THAT(write_mapping(mapping, product(), machine()), HasSubstr("no_coalesce: [O]"));
}

// K = 3 along both axes of 2 x 2 units: two rows, the second with one unit.
TEST(Nest, HasRemainders) {
    Architecture square = machine();
    square.compute.mesh = {2, 2};
    Einsum einsum = product();
    einsum.dimensions[0].extent = 3;
    const std::string text =
        "mapping:\n"
        "  - {store: DRAM, tensors: [W, I, O]}\n"
        "  - {loop: C, extent: 6}\n"
        "  - {store: Buffer, tensors: [W, I, O]}\n"
        "  - {loop: K, extent: 2, across: Y}\n"
        "  - {loop: K, extent: 2, remainder: 1, across: X}\n";
    const Mapping mapping = read_mapping(yaml::parse_text(text), einsum, square);
    EXPECT_TRUE(is_even(mapping, 2));
    EXPECT_EQ(write_nest(mapping, einsum, square), text);
    EXPECT_EQ(error_of(kNest, "extent: 4", "extent: 4, remainder: 5").code(), ErrorCode::bad_value);
}

TEST(Nest, NamesWhatIsWrongAndWhere) {
    const InputError memory = error_of(kNest, "store: Buffer", "store: Bufer");
    EXPECT_EQ(memory.code(), ErrorCode::unknown_level);
    EXPECT_EQ(memory.where().line, 3);
    EXPECT_THAT(memory.message(), HasSubstr("did you mean 'Buffer'"));
    EXPECT_EQ(error_of(kNest, "tensors: [O]", "tensors: [P]").code(), ErrorCode::unknown_tensor);
    EXPECT_EQ(error_of(kNest, "loop: C", "loop: D").code(), ErrorCode::unknown_name);
    EXPECT_EQ(error_of(kNest, "extent: 6", "extent: 0").code(), ErrorCode::bad_value);
    EXPECT_EQ(error_of(kNest, "across: X", "across: Z").code(), ErrorCode::bad_value);
    EXPECT_EQ(error_of(kNest, "across: X", "along: X").code(), ErrorCode::unknown_key);
    EXPECT_EQ(error_of(kNest, "{loop: C, extent: 6}", "{loop: C, extent: 2}\n  - {loop: C, extent: 3}").code(),
              ErrorCode::duplicate_key);
}

TEST(Nest, RefusesLoopsThatDoNotCoverAndStoresInNoOrder) {
    EXPECT_THAT(error_of(kNest, "extent: 6", "extent: 3").message(), HasSubstr("over C cover 3, but its extent is 6"));
    EXPECT_THAT(error_of(kNest, "tensors: [W, I]", "tensors: [W, I, O]").message(), HasSubstr("in no possible order"));
    EXPECT_THAT(error_of(kNest, "  - {store: DRAM, tensors: [W, I, O]}\n", "").message(),
                HasSubstr("no store for DRAM"));
}

}  // namespace
}  // namespace tilewright::timeloop::nest_test
