#include "base/file.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tilewright {
namespace {

class FileTest : public testing::Test {
   protected:
    void SetUp() override {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path(testing::TempDir()) / (std::string("tilewright_file_") + test->name());
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_;
};

TEST_F(FileTest, ComesBackAsItWasWritten) {
    const std::string bytes("a\0b\r\n\xff", 6);
    write_file(folder_ / "f", bytes);
    EXPECT_EQ(read_file(folder_ / "f"), bytes);
    write_file(folder_ / "f", "");
    EXPECT_EQ(read_file(folder_ / "f"), "");
}

TEST_F(FileTest, LeavesNothingElseBehind) {
    write_file(folder_ / "f", "text");
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) files += entry.exists() ? 1 : 0;
    EXPECT_EQ(files, 1);
    const auto permissions = std::filesystem::status(folder_ / "f").permissions();
    EXPECT_NE(permissions & std::filesystem::perms::owner_read, std::filesystem::perms::none);
    EXPECT_EQ(permissions & std::filesystem::perms::owner_exec, std::filesystem::perms::none);
}

TEST_F(FileTest, ThatIsMissingIsNamed) {
    try {
        (void)read_file(folder_ / "nothing.yaml");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::missing_file);
        EXPECT_EQ(error.where().file, (folder_ / "nothing.yaml").string());
    }
}

TEST_F(FileTest, RefusesAFolder) {
    try {
        (void)read_file(folder_);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::io);
    }
}

TEST_F(FileTest, CannotBeWrittenWhereThereIsNoFolder) {
    EXPECT_THROW(write_file(folder_ / "no" / "f", "text"), InputError);
    std::filesystem::create_directories(folder_ / "taken");
    EXPECT_THROW(write_file(folder_ / "taken", "text"), InputError);
    int entries = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) entries += entry.exists() ? 1 : 0;
    EXPECT_EQ(entries, 1) << "the half-written file is gone";
}

}  // namespace
}  // namespace tilewright
