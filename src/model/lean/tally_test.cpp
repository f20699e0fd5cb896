#include "model/lean/tally.hpp"

#include <gtest/gtest.h>

namespace tilewright::lean::tally_test {
namespace {

// Four neighbours in a row; words enter in front of the first one.
TEST(MulticastTally, SendsASetOnceToAllThatMissIt) {
    MulticastTally tally({4, 1});
    tally.begin(3);
    tally.send(0, 1, 5.0);
    tally.send(2, 0, 7.0);
    tally.send(3, 1, 5.0);
    const Multicasts sent = tally.end();
    ASSERT_EQ(sent.count, 2);
    EXPECT_EQ(sent.parts[0].copies, 1);
    EXPECT_EQ(sent.parts[0].words, 7.0);
    EXPECT_EQ(sent.parts[0].hops, 7.0 * 2.0);
    EXPECT_EQ(sent.parts[1].copies, 2);
    EXPECT_EQ(sent.parts[1].words, 5.0);
    EXPECT_EQ(sent.parts[1].hops, 5.0 * 3.0);
    EXPECT_EQ(sent.flow().words, 12.0);
    EXPECT_EQ(sent.flow().delivered, 17.0);
    tally.begin(2);
    EXPECT_TRUE(tally.end().is_nothing());
}

TEST(Multicasts, AddUpByCopies) {
    Multicasts all;
    all.add(Multicasts::Part{4, 1.0, 8.0});
    Multicasts more;
    more.add(Multicasts::Part{1, 2.0, 1.0});
    more.add(Multicasts::Part{4, 3.0, 9.0});
    all.add(more, 2.0);
    ASSERT_EQ(all.count, 2);
    EXPECT_EQ(all.parts[0].copies, 1);
    EXPECT_EQ(all.parts[0].words, 4.0);
    EXPECT_EQ(all.parts[1].words, 7.0);
    EXPECT_EQ(all.parts[1].hops, 26.0);
}

TEST(Multicasts, SayWhenThereAreTooMany) {
    Multicasts all;
    for (int copies = Multicasts::kMost; copies > 0; --copies) all.add(Multicasts::Part{copies, 1.0, 0.0});
    EXPECT_FALSE(all.is_overfull());
    EXPECT_EQ(all.parts[0].copies, 1);
    Multicasts total;
    all.add(Multicasts::Part{100, 1.0, 0.0});
    EXPECT_TRUE(all.is_overfull());
    total.add(all);
    EXPECT_TRUE(total.is_overfull());
}

}  // namespace
}  // namespace tilewright::lean::tally_test
