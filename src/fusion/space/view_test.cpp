#include "fusion/space/view.hpp"

#include <gtest/gtest.h>

#include <set>

#include "fixtures/fused_bottleneck.hpp"

namespace tilewright::fusion::view_test {
namespace {

// Names of the dimensions of an einsum that shared loops may drive.
std::set<std::string> driven(const CascadeView& view, int e) {
    std::set<std::string> names;
    const Einsum& einsum = view.cascade().einsums[e].einsum;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (view.may_be_driven()[e][d]) names.insert(einsum.dimensions[d].name);
    return names;
}

// Loops over rows and columns of y ask project for any of them, project asks the filter, and the filter, through its
// windows, expand. Channels and windows are made whole or in slices that divide.
TEST(MayBeDriven, RowsAndColumnsOfAnImageAndNothingElse) {
    const Cascade cascade = fixtures::bottleneck(4, 6);
    const CascadeView view(cascade);
    for (int e = 0; e < 3; ++e) EXPECT_EQ(driven(view, e), (std::set<std::string>{"p", "q"})) << e;
}

// Of products in a row loops go over rows m of the last result, and over n only where its operand is no weight.
TEST(MayBeDriven, WhatOperandsFromElsewhereThanWeightsHave) {
    const auto cascade_of = [](const std::string& kind) {
        return parse_cascade("input x[3,4]; " + kind + " v[4,5]; weight w[5,6]; a[m,k] += x[m,c] * v[c,k]; " +
                                 "y[m,n] += a[m,k] * w[k,n];",
                             {{"m", 3}, {"c", 4}, {"k", 5}, {"n", 6}});
    };
    const Cascade weights = cascade_of("weight");
    const CascadeView only_rows(weights);
    EXPECT_EQ(driven(only_rows, 0), (std::set<std::string>{"m"}));
    EXPECT_EQ(driven(only_rows, 1), (std::set<std::string>{"m"}));
    const Cascade inputs = cascade_of("input");
    const CascadeView both(inputs);
    EXPECT_EQ(driven(both, 0), (std::set<std::string>{"k", "m"})) << "a group that ends with the first may loop over k";
    EXPECT_EQ(driven(both, 1), (std::set<std::string>{"m"})) << "n moves w alone";
}

}  // namespace
}  // namespace tilewright::fusion::view_test
