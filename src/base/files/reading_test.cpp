#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/files/file.hpp"

namespace tilewright::reading_test {
namespace {

namespace fs = std::filesystem;

class ReadingTest : public testing::Test {
   protected:
    ReadingTest() : folder_(fs::temp_directory_path() / ("reading_" + std::to_string(::getpid()))) {
        fs::create_directories(folder_ / "in" / "deep");
        fs::create_directories(folder_ / "in_other");
        for (const char* name : {"in/a", "in/deep/b", "in_other/c", "out"}) write_file(folder_ / name, "text");
        fs::create_symlink(folder_ / "out", folder_ / "in" / "link");
    }
    ~ReadingTest() override { fs::remove_all(folder_); }

    bool reads(const fs::path& path) const {
        try {
            return read_file(folder_ / path) == "text";
        } catch (const InputError& error) {
            EXPECT_EQ(error.code(), ErrorCode::io);
            return false;
        }
    }

    fs::path folder_;
};

TEST_F(ReadingTest, OnlyWhatLiesInItsPlacesIsRead) {
    EXPECT_TRUE(reads("out"));
    {
        const ReadingOnly fence({folder_ / "in"});
        EXPECT_TRUE(reads("in/a"));
        EXPECT_TRUE(reads("in/deep/../deep/b"));
        EXPECT_FALSE(reads("out"));
        EXPECT_FALSE(reads("in/../out"));
        EXPECT_FALSE(reads("in/link")) << "a link is what it names";
        EXPECT_FALSE(reads("in_other/c")) << "a name that begins alike is another folder";
    }
    EXPECT_TRUE(reads("out"));
    const ReadingOnly fence({folder_ / "out", fs::path(folder_ / "in_other").string() + "/"});
    EXPECT_TRUE(reads("out"));
    EXPECT_TRUE(reads("in_other/c"));
    EXPECT_FALSE(reads("in/a"));
}

}  // namespace
}  // namespace tilewright::reading_test
