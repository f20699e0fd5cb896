#include "workload/cascade/layers.hpp"

#include <gtest/gtest.h>

#include "workload/zoo/cascades.hpp"

namespace tilewright::part_test {
namespace {

const CascadeTensor& tensor(const Cascade& cascade, const std::string& name) {
    return cascade.tensors.at(find_tensor(cascade, name));
}

// Two blocks of one kind by hand: the second einsum's result is carried on, the first one's stays inside.
TEST(Parts, HaveTheRolesOfWhatCrossesTheirBorders) {
    const Cascade whole = zoo_cascade("llama3-8b", {{"batch", 2}, {"context", 31}}, Phase::decode);
    const Block& block = whole.blocks.front();
    const Cascade part = part_of(whole, block.first, block.end);
    EXPECT_EQ(problem_with(part), "");
    EXPECT_TRUE(part.blocks.empty());
    const CascadeEinsum& last = part.einsums.back();
    EXPECT_EQ(part.tensors[last.accesses.back().tensor].role, TensorRole::output) << "the next repeat carries it on";
    int inputs = 0;
    for (const CascadeTensor& one : part.tensors) {
        inputs += one.role == TensorRole::input;
        EXPECT_EQ(one.carried_from, -1);
        EXPECT_EQ(one.role == TensorRole::weight || one.role == TensorRole::cache,
                  tensor(whole, one.name).role == one.role &&
                      (one.role == TensorRole::weight || one.role == TensorRole::cache));
    }
    EXPECT_EQ(inputs, 1) << "what the block before has made";
    const Cascade tail = part_of(whole, block.end, whole.einsum_count());
    EXPECT_EQ(tensor(tail, whole.tensors[last.accesses.back().tensor].name).role, TensorRole::input);
}

// Of every language model, in both phases, cut into einsums: cascades but for tensors written in part, all uses there.
TEST(Parts, AreCascadesOfTheirOwn) {
    int parts = 0;
    int written = 0;
    for (const ZooEntry& entry : zoo_cascades()) {
        if (!is_zoo_language_model(entry.name)) continue;
        for (const Phase phase : {Phase::prefill, Phase::decode}) {
            const Cascade whole = zoo_cascade(entry.name, {}, phase);
            std::size_t uses = 0;
            for (int i = 0; i < whole.einsum_count(); ++i) {
                const Cascade part = part_of(whole, i, i + 1);
                const std::string problem = problem_with(part);  // queries of latent attention have two writers
                EXPECT_TRUE(problem.empty() || problem.ends_with(" are written")) << problem;
                written += problem.empty();
                EXPECT_TRUE(is_same_but_for_names(part, part_of(whole, i, i + 1)));
                for (const CascadeTensor& one : part.tensors) uses += one.readers.size() + one.writers.size();
                ++parts;
            }
            for (const CascadeTensor& one : whole.tensors) uses -= one.readers.size() + one.writers.size();
            EXPECT_EQ(uses, 0U) << entry.name;
        }
    }
    EXPECT_GE(written, 300);
    EXPECT_GE(written, parts - 10);
}

TEST(Parts, AreTheSameWhateverTheirNames) {
    const Cascade first = zoo_cascade("llama3-8b", {{"context", 31}}, Phase::decode);
    Cascade other = first;
    other.name = "other";
    for (CascadeTensor& one : other.tensors) one.name += "'";
    for (CascadeEinsum& one : other.einsums) one.name += "'";
    EXPECT_TRUE(is_same_but_for_names(first, other));
    EXPECT_FALSE(is_same_but_for_names(first, zoo_cascade("llama3-8b", {{"context", 32}}, Phase::decode)));
}

}  // namespace
}  // namespace tilewright::part_test
