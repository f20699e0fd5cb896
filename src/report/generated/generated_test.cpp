#include "report/generated/generated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/file.hpp"

namespace tilewright::report::generated_test {
namespace {

using ::testing::HasSubstr;

// The test runs in the root of the project.
TEST(Generated, TheFilesOfTheProjectAreThoseThatFollowFromTheFields) {
    const std::vector<GeneratedFile> files = generated_files();
    ASSERT_GE(files.size(), 2U);
    for (const GeneratedFile& file : files)
        EXPECT_EQ(read_file(file.path), file.text) << file.path << ": run build/release/bin/schemas .";
}

TEST(Generated, TypesSayWhatMayBeAbsentAndWhatMayBeNull) {
    const std::string types = generated_files().front().text;
    EXPECT_THAT(types, HasSubstr("  lower_bound?: number;\n"));
    EXPECT_THAT(types, HasSubstr("  capacity_words: number | null;\n"));
    EXPECT_THAT(types, HasSubstr("  kind: \"temporal\" | \"spatial_x\" | \"spatial_y\";\n"));
    EXPECT_THAT(types, HasSubstr("  mapping: (StoreLine | LoopLine)[];\n"));
    EXPECT_THAT(types, HasSubstr("marks: [number, number, string][]"));
}

}  // namespace
}  // namespace tilewright::report::generated_test
