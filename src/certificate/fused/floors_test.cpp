// Floors of groups against the cheapest group that is found where nothing is cut: the duals leave room for any.
#include "certificate/fused/floors.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "certificate/fused/groups.hpp"
#include "fixtures/fused_bottleneck.hpp"

namespace tilewright::certificate::fused_proof::floors_test {
namespace {

constexpr double kMuch = 1e15;
constexpr double kRounding = 1e-9;

// 'a' is read by two; the first filter has a stride.
const char* const kBranches = R"(
    size c=4, k=6, e=6, p=4, q=6, r=3, s=3, m=4;
    input x[4,9,13];
    weight u, v, w;
    a[k,p,q] += x[c,2p+r-1,2q+s-1] * u[k,c,r,s];
    b[e,p,q] += a[e,p+r-1,q+s-1] * v[e,r,s];
    z[k,p,q] = a[k,p,q] + b[k,p,q];
    y[m,p,q] += z[k,p,q] * w[m,k];
)";
const char* const kAttention = R"(
    size h=2, m=6, l=8, e=4, f=4;
    input Q[h,m,e], K[h,l,e], V[h,l,f];
    S[h,m,l] += Q[h,m,e] * K[h,l,e];
    P[h,m,l] = exp(S[h,m,l]);
    O[h,m,f] += P[h,m,l] * V[h,l,f];
)";

std::vector<Nests::Paid> paid_of(const Space& space) {
    std::vector<Nests::Paid> all;
    for (const NeededOf& needed : needed_of_all(space)) all.push_back(needed.paid());
    return all;
}

struct Compared {
    int groups = 0;
    int close = 0;  // the floor is a tenth below at most
};

// Of the first shared loops that have a group of einsums first .. last: the smallest steps of images, else none.
void compare(const Cascade& cascade, std::int64_t buffer_words, const Weights& weights, Compared& compared) {
    const Prices prices = prices_of(fixtures::three_levels(buffer_words, 4));
    const Space space(cascade);
    Members members(space, prices, weights);
    GroupFloors floors(space, prices, weights, members);
    LoopFloors loop_floors(space, members, paid_of(space));
    const int last = space.count() - 1;
    for (int first = 0; first <= last; ++first) {
        std::vector<double> duals(cascade.einsums.size() + 1, -kMuch);
        duals[static_cast<std::size_t>(first)] = kMuch;
        duals.back() = 0.0;
        Groups groups(space, prices, weights, duals, 0.0, 1 << 20, {});
        const std::optional<Cheaper> found = groups.cheaper_group(last);
        if (!found) continue;
        ASSERT_EQ(found->first, first);
        // Some shared loops are those of the group that was found.
        double least = kMuch;
        for (const LoopPair& loops : space.loops(last))
            for (const std::int64_t outer : space.steps(last, loops.driven[0], loops.may_be_one_step))
                for (const std::int64_t inner : space.steps(last, loops.driven[1], loops.may_be_one_step)) {
                    Making making{.einsum = last, .driven = loops.driven};
                    const std::array<std::int64_t, 2> steps{outer, inner};
                    for (std::size_t k = 0; k < 2; ++k) {
                        const int d = loops.driven[k];
                        making.made[k] =
                            d < 0 ? members.walks().even(1, 1)
                                  : members.walks().even(
                                        space.einsum(last).dimensions[static_cast<std::size_t>(d)].extent, steps[k]);
                    }
                    const std::vector<double> array = loop_floors.array_values(0, making);
                    double floor = floors.of_last(last, first, array.back());
                    for (int e = first; e < last; ++e) floor += floors.of(e, first, array[static_cast<std::size_t>(e)]);
                    least = std::min(least, floor);
                }
        ++compared.groups;
        compared.close += least > 0.9 * found->value ? 1 : 0;
        EXPECT_LE(least, found->value * (1.0 + kRounding)) << first;
    }
}

TEST(FusedFloors, NoGroupCostsLess) {
    Compared compared;
    for (const Cascade& cascade :
         {fixtures::bottleneck(4, 6), fixtures::bottleneck(2, 4), parse_cascade(kBranches), parse_cascade(kAttention)})
        for (const std::int64_t words : {150, 600, 100000})
            for (const Weights& weights : {Weights{1.0, 0.0}, Weights{0.0, 1.0}, Weights{0.5, 90.0}})
                compare(cascade, words, weights, compared);
    EXPECT_GE(compared.groups, 60);
    EXPECT_GE(compared.close, 10);
}

// By hand, of a bottleneck of 4 channels, 12 in between, on 6 x 6 places: a word takes 200 pJ at the DRAM.
TEST(FusedFloors, GroupsPayForWhatComesInOnce) {
    const Cascade cascade = fixtures::bottleneck(4, 6);
    const Prices prices = prices_of(fixtures::three_levels(100000, 4));
    const Space space(cascade);
    const Weights energy{1.0, 0.0};
    Members members(space, prices, energy);
    GroupFloors floors(space, prices, energy, members);
    constexpr double kWord = 200.0;
    const double points = 12.0 * 9.0 * 36.0;  // of the filter
    // Its results are in the buffer; what it reads is so if the group makes it.
    const auto array_pj = [&](int e, bool is_made, bool is_last) {
        Nests::Paid paid = paid_of(space)[static_cast<std::size_t>(e)];
        if (is_made) paid[0] = -1.0;
        if (!is_last) paid[2] = -1.0;
        return members.least_per_point(e, paid).energy_pj;
    };
    const double by_array = points * array_pj(1, true, false);
    const double alone = points * array_pj(1, false, false);
    // All of a (12 x 36 words) and of the weights (108) come in where the group begins with the filter, else the
    // weights.
    EXPECT_NEAR(floors.of(1, 1, 0.0), alone + (432.0 + 108.0) * kWord, 1e-6);
    EXPECT_NEAR(floors.of(1, 0, 0.0), by_array + 108.0 * kWord, 1e-6);
    EXPECT_NEAR(floors.of(1, 0, by_array + 1000.0), by_array + 1000.0 + 108.0 * kWord, 1e-6) << "loops know more";
    // Of the last one all results go out, too: 4 x 36 words; b (432) and the weights (48) come in.
    const double last = 4.0 * 12.0 * 36.0 * array_pj(2, false, true);
    EXPECT_NEAR(floors.of_last(2, 2, 0.0), last + (432.0 + 48.0) * kWord + 144.0 * kWord, 1e-6);
}

TEST(FusedFloors, WhatNoGroupMakesHasNoWay) {
    const Cascade cascade = parse_cascade(kBranches);
    const Prices prices = prices_of(fixtures::three_levels(100000, 4));
    const Space space(cascade);
    Members members(space, prices, {1.0, 0.0});
    LoopFloors floors(space, members, paid_of(space));
    const auto values = [&](int last) {
        Making making{.einsum = last, .driven = space.loops(last).front().driven};
        making.made = {members.walks().even(4, 2), members.walks().even(6, 6)};
        return floors.array_values(0, making);
    };
    // 'a' is read by the third einsum, too: no group of the first two has it.
    EXPECT_EQ(values(1).front(), std::numeric_limits<double>::infinity());
    EXPECT_LT(values(2).front(), 1e9);
}

}  // namespace
}  // namespace tilewright::certificate::fused_proof::floors_test
