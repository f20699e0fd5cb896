#include "base/numbers/hash.hpp"

#include <gtest/gtest.h>

namespace tilewright::hash_test {
namespace {

// Reference values from the program xxh128sum 0.8.1.
TEST(Hash, NamesContentsAsXxh128sumDoes) {
    EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
    EXPECT_NE(content_hash("a"), content_hash("b"));
}

}  // namespace
}  // namespace tilewright::hash_test
