#include "base/files/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <thread>

#include "base/error.hpp"

namespace tilewright::file_test {
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

    std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) found.insert(entry.path().filename());
        return found;
    }

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

TEST_F(FileTest, KeepsThePermissionsOfTheFileThatItReplaces) {
    write_file(folder_ / "f", "old");
    ASSERT_EQ(::chmod((folder_ / "f").c_str(), 0640), 0);
    write_file(folder_ / "f", "new");
    EXPECT_EQ(read_file(folder_ / "f"), "new");
    EXPECT_EQ(std::filesystem::status(folder_ / "f").permissions(), std::filesystem::perms(0640));
}

TEST_F(FileTest, ReplacesWhatALinkNamesAndNotTheLink) {
    std::filesystem::create_directories(folder_ / "elsewhere");
    std::filesystem::create_symlink("elsewhere/there", folder_ / "link");
    std::filesystem::create_symlink("link", folder_ / "link_to_link");
    for (const char* text : {"where there was nothing", "where there was something"}) {
        write_file(folder_ / "link_to_link", text);
        EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link_to_link"));
        EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
        EXPECT_EQ(read_file(folder_ / "elsewhere" / "there"), text);
    }
    std::filesystem::create_symlink("round", folder_ / "round");
    EXPECT_THROW(write_file(folder_ / "round", ""), InputError);
}

TEST_F(FileTest, IsNeverADeviceOrAFifo) {
    ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/null", folder_ / "link");
    for (const std::filesystem::path& special :
         {folder_ / "fifo", folder_ / "link", std::filesystem::path("/dev/full")}) {
        for (const bool reads : {true, false}) {
            try {
                reads ? static_cast<void>(read_file(special)) : write_file(special, "text");
                FAIL() << special;
            } catch (const InputError& error) {
                EXPECT_EQ(error.code(), ErrorCode::io);
                EXPECT_EQ(error.where().file, special.string());
                EXPECT_NE(error.message().find(special == folder_ / "fifo" ? "it is a FIFO" : "it is a device"),
                          std::string::npos)
                    << error.message();
            }
        }
        EXPECT_THROW(check_target(special), InputError);
        EXPECT_THROW(write_files({}, {special}), InputError) << "nor removed";
        EXPECT_TRUE(std::filesystem::exists(special));
    }
    EXPECT_EQ(names(), (std::set<std::string>{"fifo", "link"}));
}

TEST_F(FileTest, WhatGitLfsLeavesInAFilesPlaceIsNamed) {
    const std::string pointer = "version https://git-lfs.github.com/v1\noid sha256:12d2\nsize 46921843\n";
    write_file(folder_ / "model.onnx", pointer);
    try {
        read_file(folder_ / "model.onnx");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::io);
        EXPECT_EQ(error.message(),
                  "cannot read: it is a pointer of Git LFS in place of the file; 'git lfs pull' fetches the file");
    }
    write_file(folder_ / "text", "on " + pointer);
    EXPECT_EQ(read_file(folder_ / "text"), "on " + pointer);
}

TEST_F(FileTest, BeginsBehindItsByteOrderMark) {
    write_file(folder_ / "f",
               "\xEF\xBB\xBF"
               "text \xEF\xBB\xBF");
    EXPECT_EQ(read_file(folder_ / "f"), "text \xEF\xBB\xBF");
    write_file(folder_ / "f", std::string("\xFF\xFE"
                                          "a\0",
                                          4));
    try {
        read_file(folder_ / "f");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.message(), "cannot read: it is text in UTF-16; save it as UTF-8");
    }
}

TEST_F(FileTest, OfASetAreWrittenAllOrNone) {
    write_file(folder_ / "a", "old");
    std::filesystem::create_directories(folder_ / "taken");
    EXPECT_THROW(write_files({{folder_ / "a", "new"}, {folder_ / "taken", "new"}}), InputError);
    EXPECT_THROW(write_files({{folder_ / "a", "new"}, {folder_ / "nowhere" / "b", "new"}}), InputError);
    EXPECT_EQ(read_file(folder_ / "a"), "old");
    EXPECT_EQ(names(), (std::set<std::string>{"a", "taken"}));
    write_files({{folder_ / "a", "new"}, {folder_ / "b", "too"}});
    EXPECT_EQ(read_file(folder_ / "a") + read_file(folder_ / "b"), "newtoo");
}

TEST_F(FileTest, ThatBelongToTheSetNoMoreAreRemovedWithIt) {
    write_files({{folder_ / "a", ""}, {folder_ / "b", ""}, {folder_ / "c", ""}});
    write_files({{folder_ / "a", ""}}, {folder_ / "b", folder_ / "not there"});
    EXPECT_EQ(names(), (std::set<std::string>{"a", "c"}));
}

TEST_F(FileTest, OfDeadRunsAreClearedUpAndThoseOfOthersAreNot) {
    for (const char* name :
         {".tilewright-1-0", ".tilewright-2-0", ".tilewright-x-0", ".tilewright-1", "tilewright-1-0"})
        std::ofstream(folder_ / name) << "half";
    const int living = ::open((folder_ / ".tilewright-2-0").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::flock(living, LOCK_EX), 0);
    write_file(folder_ / "f", "");
    EXPECT_EQ(names(),
              (std::set<std::string>{"f", ".tilewright-2-0", ".tilewright-x-0", ".tilewright-1", "tilewright-1-0"}));
    ::close(living);
}

TEST_F(FileTest, BeyondWhatIsReadAreRefused) {
    std::ofstream(folder_ / "f") << std::string((1U << 20U) + 1, 'x');
    EXPECT_EQ(read_file(folder_ / "f").size(), (1U << 20U) + 1);
    try {
        read_file(folder_ / "f", 1U << 20U);
        FAIL() << "read";
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported);
        EXPECT_EQ(error.message(), "the file has 1048577 bytes, more than the 1 MiB that are read");
    }
    std::filesystem::resize_file(folder_ / "f", kMostFileBytes + 1);  // a hole: it takes no room
    EXPECT_THROW(read_file(folder_ / "f"), InputError);
}

TEST_F(FileTest, MayBeWrittenByManyAtOnce) {
    std::vector<std::thread> writers;
    for (char c = 'a'; c < 'e'; ++c)
        writers.emplace_back([this, c] {
            for (int i = 0; i < 50; ++i) write_file(folder_ / "f", std::string(10'000, c));
        });
    for (std::thread& writer : writers) writer.join();
    const std::string last = read_file(folder_ / "f");
    EXPECT_EQ(last, std::string(10'000, last.front()));
    EXPECT_EQ(names(), std::set<std::string>{"f"});
}

}  // namespace
}  // namespace tilewright::file_test
