// Nests with the stores of one memory apart.
#include "mapping/uneven.hpp"

#include <gmock/gmock.h>

namespace tilewright::uneven_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Store kTop{0, TensorSet::all(3)};

Loop loop(int dimension, LoopKind kind = LoopKind::temporal) { return {dimension, 2, 2, kind}; }
Store store(int memory, std::uint32_t tensors) { return {memory, TensorSet::from_bits(tensors)}; }

Architecture three_memories() {
    Architecture architecture;
    for (const char* name : {"DRAM", "Buffer", "Registers"}) architecture.memories.emplace_back().name = name;
    return architecture;
}

std::string problem(std::vector<Node> nodes) { return uneven_problem({std::move(nodes), {}}, three_memories()); }

TEST(Uneven, StoresOfDifferentTensorsMayStandAnywhereBetweenTwoFanouts) {
    EXPECT_THAT(problem({kTop, store(1, 4), loop(0), store(2, 1), store(1, 3), loop(1), store(2, 6)}),
                HasSubstr("inside its store in Registers"));
    EXPECT_THAT(problem({kTop, store(1, 4), loop(0), store(1, 3), store(2, 1), loop(1), store(2, 6)}), IsEmpty());
    EXPECT_THAT(problem({kTop, store(1, 2), loop(0), store(2, 2), loop(1), store(1, 5), loop(2), store(2, 5)}),
                IsEmpty());
}

TEST(Uneven, AFanoutSeparatesMemories) {
    const Loop across = loop(2, LoopKind::spatial_x);
    EXPECT_THAT(problem({kTop, store(1, 4), store(1, 3), across, store(2, 1), loop(1), store(2, 6)}), IsEmpty());
    EXPECT_THAT(problem({kTop, store(1, 4), across, store(1, 3), store(2, 7)}),
                HasSubstr("between the stores of Buffer"));
    EXPECT_THAT(problem({kTop, store(1, 7), across, loop(1), store(2, 7)}), HasSubstr("without a store between"));
}

TEST(Uneven, EveryMemoryIsStoredAndTheOutermostAtTheTop) {
    EXPECT_THAT(problem({kTop, store(1, 7)}), HasSubstr("no store for Registers"));
    EXPECT_THAT(problem({loop(0), kTop, store(1, 7), store(2, 7)}), HasSubstr("outside a store of DRAM"));
}

TEST(Uneven, ALoopBelongsToTheInnermostMemoryThatIsWhollyOutside) {
    const Mapping mapping{{kTop, loop(0), store(1, 4), loop(1), store(2, 4), store(1, 3), loop(2), store(2, 3)}, {}};
    const std::vector<MappingLevel> levels = owned_levels(mapping, 3);
    EXPECT_THAT(levels[0].temporal, ElementsAre(loop(0), loop(1)));
    EXPECT_THAT(levels[1].temporal, ElementsAre(loop(2)));
    EXPECT_EQ(levels[1].keep, TensorSet::all(3));
}

TEST(Uneven, ABypassedMemoryStandsAtItsInnermostStoreIfItCan) {
    const Mapping mapping{{kTop, loop(0), store(1, 4), loop(1), store(1, 1), loop(2), store(2, 7)}, {}};
    EXPECT_THAT(store_positions(mapping, 3, 2), ElementsAre(0, 2, 6));
    EXPECT_THAT(store_positions(mapping, 3, 1), ElementsAre(0, 4, 6));
    const Mapping early{{kTop, store(2, 2), loop(1), store(1, 5), loop(2), store(2, 5)}, {}};
    EXPECT_THAT(store_positions(early, 3, 1), ElementsAre(0, 1, 1)) << "no further in than its next store";
}

// Two memories bypassed by the tensor: the innermost store of the outer one is further in than that of the inner one.
TEST(Uneven, OfBypassedMemoriesThatCompeteTheOuterOneGivesWay) {
    Architecture architecture = three_memories();
    architecture.memories.emplace_back().name = "Latch";
    const Mapping mapping{{kTop, store(1, 1), store(2, 1), loop(0), store(1, 2), loop(1), store(3, 7)}, {}};
    ASSERT_THAT(uneven_problem(mapping, architecture), IsEmpty());
    EXPECT_THAT(store_positions(mapping, 4, 2), ElementsAre(0, 2, 2, 6)) << "Registers stay, Buffer gives way";
    EXPECT_THAT(store_positions(mapping, 4, 1), ElementsAre(0, 4, 4, 6)) << "Buffer keeps it: Registers go along";
    EXPECT_THAT(store_positions(mapping, 4, 0), ElementsAre(0, 1, 2, 6));
}

}  // namespace
}  // namespace tilewright::uneven_test
