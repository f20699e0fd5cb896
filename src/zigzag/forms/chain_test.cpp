#include "zigzag/forms/chain.hpp"

#include <gtest/gtest.h>

#include "fixtures/zigzag_sample.hpp"
#include "mapping/text.hpp"
#include "mapping/validity.hpp"
#include "zigzag/forms/uneven_text.hpp"

namespace tilewright::zigzag::chain_test {
namespace {

using namespace sample;

class ZigzagChain : public testing::Test {
   protected:
    Layer layer_ = convolution({1, 8, 4, 6, 6, 3, 3});
    Accelerator accelerator_ = array_of(6, 4);
    ArrayUnrolling unrolling_{{{OY, 6}}, {{K, 4}}};
    UnevenMapping even_{{{{{C, 4}, {FX, 3}}, {{FY, 3}, {OX, 6}}, {{K, 2}}},
                         {{{C, 4}, {FX, 3}, {FY, 3}}, {{OX, 6}, {K, 2}}},
                         {{{C, 4}}, {{FX, 3}, {FY, 3}, {OX, 6}}, {{K, 2}}}}};

    Chain chain(const UnevenMapping& mapping) const {
        auto result = to_chain(accelerator_, layer_, unrolling_, mapping);
        return std::holds_alternative<Chain>(result) ? std::get<Chain>(result) : Chain{};
    }
};

TEST_F(ZigzagChain, MemoriesStandInTheOrderOfTheirStores) {
    const Chain same = chain(even_);
    std::vector<std::string> names;
    for (const Memory& memory : same.architecture.memories) names.push_back(memory.name);
    EXPECT_EQ(names, (std::vector<std::string>{"dram", "buffer", "rf_w", "rf_o", "rf_i"}));
    EXPECT_EQ(same.architecture.fanout(1), (Mesh{6, 4}));
    EXPECT_TRUE(check(same.einsum, same.architecture, same.mapping).empty());
}

TEST_F(ZigzagChain, TranslatedBackItIsTheSameMapping) {
    const Chain there = chain(even_);
    const auto back = translate(there.einsum, there.architecture, there.mapping);
    ASSERT_TRUE(std::holds_alternative<Translation>(back)) << std::get<std::string>(back);
    const auto& same = std::get<Translation>(back);
    // Inputs are in equation order, so that W and I keep their places.
    EXPECT_EQ(to_text(same.accelerator, same.layer, same.mapping), to_text(accelerator_, layer_, even_));
}

TEST_F(ZigzagChain, UnevenStoresStayUneven) {
    UnevenMapping uneven = even_;  // results leave the buffer inside OX, inputs outside
    uneven.operands[0][1].pop_back();
    uneven.operands[0][2].insert(uneven.operands[0][2].begin(), {OX, 6});
    const Chain same = chain(uneven);
    int stores = 0;
    for (const auto& node : same.mapping.nodes)
        if (const Store* store = std::get_if<Store>(&node); store != nullptr && store->memory == 1) ++stores;
    EXPECT_EQ(stores, 2);
}

TEST_F(ZigzagChain, MemoriesThatAreSharedAlongDifferentDimensionsAreNoChain) {
    accelerator_.memories[1].served = {0};
    accelerator_.memories[2].served = {1};
    derive(accelerator_);
    const auto result = to_chain(accelerator_, layer_, unrolling_, even_);
    EXPECT_EQ(std::get<std::string>(result), "memory 'rf_w' is replicated along D2, which 'rf_o' inside it shares");
}

}  // namespace
}  // namespace tilewright::zigzag::chain_test
