#include "base/cache/store.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "base/error.hpp"
#include "base/files/file.hpp"

namespace tilewright::cache::store_test {
namespace {

class StoreTest : public testing::Test {
   protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "store.XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::filesystem::path folder;
};

TEST_F(StoreTest, WhatWasWrittenComesBackForItsKeyOnly) {
    const Store store(folder / "deep" / "er");
    EXPECT_FALSE(store.read("key").value);
    store.write("key", "two\nlines");
    EXPECT_EQ(store.read("key").value, "two\nlines");
    EXPECT_FALSE(store.read("key ").value);
    store.write("key", "");
    EXPECT_EQ(store.read("key").value, "");
}

TEST_F(StoreTest, EveryDamageIsNoticed) {
    const Store store(folder);
    store.write("key", "value");
    const std::filesystem::path file = store.read("key").file;
    const std::string whole = read_file(file);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        std::string text = whole;
        text[i] ^= 1;
        write_file(file, text);
        EXPECT_TRUE(store.read("key").damaged) << i;
        write_file(file, whole.substr(0, i));
        EXPECT_TRUE(store.read("key").damaged) << i;
    }
    store.write("key", "value");
    EXPECT_FALSE(store.read("key").damaged) << "written again";
}

TEST_F(StoreTest, AnEntryOfAnotherKeyIsNoAnswer) {
    const Store store(folder);
    store.write("key", "value");
    store.write("other", "another value");
    std::filesystem::copy_file(store.read("other").file, store.read("key").file,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_FALSE(store.read("key").value);
}

TEST_F(StoreTest, WritersAndReadersDoNotSeeHalves) {
    const std::string values[] = {std::string(200'000, 'a'), std::string(100'000, 'b')};
    const auto work = [&](const std::string& mine) {
        const Store store(folder);
        for (int i = 0; i < 50; ++i) {
            store.write("key", mine);
            const Found found = store.read("key");
            if (found.damaged || (found.value != values[0] && found.value != values[1])) return 1;
        }
        return 0;
    };
    std::vector<pid_t> children;
    for (const std::string& value : values) {
        children.push_back(::fork());
        if (children.back() == 0) ::_exit(work(value));
    }
    for (const pid_t child : children) {
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
}

TEST_F(StoreTest, AFolderThatIsNoneIsAnError) {
    write_file(folder / "file", "");
    const Store store(folder / "file");
    EXPECT_FALSE(store.read("key").value);
    EXPECT_THROW(store.write("key", "value"), InputError);
}

}  // namespace
}  // namespace tilewright::cache::store_test
