#include "base/notes.hpp"

#include <gtest/gtest.h>

namespace tilewright::notes_test {
namespace {

TEST(Notes, KeepSentencesAndNamesOnceAndInOrder) {
    Notes notes;
    EXPECT_TRUE(notes.empty());
    notes.add("nothing uses", "'b'", "x.yaml:2");
    notes.add("a sentence");
    notes.add("nothing uses", "'a'", "");
    notes.add("nothing uses", "'b'", "x.yaml:9");
    notes.add("a sentence");
    EXPECT_EQ(notes.texts(), (std::vector<std::string>{"nothing uses: 'b' (x.yaml:2), 'a'", "a sentence"}));
}

}  // namespace
}  // namespace tilewright::notes_test
