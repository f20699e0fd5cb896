#include "certificate/claim/check.hpp"

#include <gtest/gtest.h>

#include "mapping/validity.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::certificate::membership_test {
namespace {

constexpr int kM = 0;
constexpr int kK = 1;

Memory memory(std::string name) {
    Memory memory;
    memory.name = std::move(name);
    return memory;
}

Architecture machine() {
    Architecture a;
    a.memories = {memory("DRAM"), memory("Buffer")};
    return a;
}

Node loop(int dimension, std::int64_t extent) { return Loop{dimension, extent, extent, LoopKind::temporal}; }
Node store(int memory, std::uint32_t tensors) { return Store{memory, TensorSet::from_bits(tensors)}; }

/// Of 4 x 6 products.
bool contains(Storage storage, std::vector<Node> nodes, const Constraints& constraints = {}) {
    const Einsum einsum = parse_einsum("O[m] += A[m,k] * B[k]", {{"m", 4}, {"k", 6}});
    const Mapping mapping{std::move(nodes), {}};
    EXPECT_TRUE(tilewright::check(einsum, machine(), mapping).empty());
    return is_in(Mapspace(einsum, machine(), constraints), storage, einsum, machine(), mapping);
}

TEST(Membership, EvenMappingsAreInBothSpaces) {
    const std::vector<Node> even{store(0, 7), loop(kM, 4), store(1, 7), loop(kK, 6)};
    EXPECT_TRUE(contains(Storage::even, even));
    EXPECT_TRUE(contains(Storage::uneven, even));
}

TEST(Membership, UnevenMappingsAreInOne) {
    const std::vector<Node> uneven{store(0, 7), store(1, 1), loop(kM, 4), store(1, 6), loop(kK, 6)};
    EXPECT_FALSE(contains(Storage::even, uneven));
    EXPECT_TRUE(contains(Storage::uneven, uneven));
}

TEST(Membership, BetweenTwoStoresADimensionHasOneLoop) {
    EXPECT_TRUE(
        contains(Storage::uneven, {store(0, 7), loop(kM, 2), store(1, 1), loop(kM, 2), store(1, 6), loop(kK, 6)}));
    EXPECT_FALSE(
        contains(Storage::uneven, {store(0, 7), loop(kM, 2), loop(kK, 6), loop(kM, 2), store(1, 1), store(1, 6)}));
}

TEST(Membership, AStoreOfNothingIsThereForAMemoryThatKeepsNothing) {
    EXPECT_TRUE(contains(Storage::uneven, {store(0, 7), loop(kM, 4), store(1, 0), loop(kK, 6)}));
    EXPECT_FALSE(contains(Storage::uneven, {store(0, 7), loop(kM, 4), store(1, 7), loop(kK, 6), store(1, 0)}));
}

// Between the stores of the buffer loops belong to main memory.
TEST(Membership, LoopsMeetTheConstraintsOfTheirMemory) {
    Constraints whole;
    whole.levels.resize(2);
    whole.levels[0].temporal.factors.resize(2);
    whole.levels[0].temporal.factors[kM].at_most = 2;
    const std::vector<Node> split{store(0, 7), store(1, 1), loop(kM, 2), store(1, 6), loop(kM, 2), loop(kK, 6)};
    EXPECT_TRUE(contains(Storage::uneven, split, whole));
    EXPECT_FALSE(contains(Storage::uneven, {store(0, 7), store(1, 1), loop(kM, 4), store(1, 6), loop(kK, 6)}, whole));
}

}  // namespace
}  // namespace tilewright::certificate::membership_test
