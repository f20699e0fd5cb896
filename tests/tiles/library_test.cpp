// The C functions of libtilewright-tiles, as a compiler calls them.

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include "tilewright/tiles.h"

namespace {
std::atomic<long> allocations{0};
}  // namespace

// Not inlined: the compiler would take free() for a mistake beside new.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* room = std::malloc(size)) return room;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* room) noexcept { std::free(room); }
[[gnu::noinline]] void operator delete(void* room, std::size_t) noexcept { std::free(room); }

namespace {

using testing::HasSubstr;

std::string text_of(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

const char* const kMachine = "version: 1\nmachine: mine\nlike: h100\n";

class TilesLibrary : public testing::Test {
   protected:
    void open(const std::string& rules, const std::string& machine = "", const std::string& options = "") {
        tw_tiles* opened = nullptr;
        status_ = tw_tiles_open(rules.data(), rules.size(), machine.data(), machine.size(), options.data(),
                                options.size(), &opened, &error_);
        tiles_.reset(opened);
    }
    void open_triton() { open(text_of("data/tiles/rules/triton-nvidia.yaml"), kMachine); }
    int ask(std::vector<std::int64_t> given) {
        return tw_tiles_ask(tiles_.get(), given.data(), given.size(), point_, TW_MOST_CHOSEN, &claim_, &error_);
    }

    std::unique_ptr<tw_tiles, void (*)(tw_tiles*)> tiles_{nullptr, tw_tiles_close};
    tw_error error_{sizeof(tw_error), {}, 0, 0, {}};
    tw_claim claim_{sizeof(tw_claim), 0, 0, 0, 0, 0};
    std::int64_t point_[TW_MOST_CHOSEN] = {};
    int status_ = 0;
};

TEST_F(TilesLibrary, AsksAndNames) {
    EXPECT_EQ(tw_abi(), TILEWRIGHT_ABI);
    open(text_of("data/tiles/rules/gemmini.yaml"));
    ASSERT_EQ(status_, TW_DONE) << error_.text;
    EXPECT_EQ(ask({512, 512, 512, 0}), TW_DONE);
    EXPECT_EQ(claim_.claim, TW_PROVEN);
    EXPECT_EQ(claim_.score, 3072);
    EXPECT_EQ(claim_.legal, 6904);
    const char* name = nullptr;
    EXPECT_EQ(tw_tiles_name(tiles_.get(), 0, 3, &name), TW_DONE);
    EXPECT_STREQ(name, "ws");
    EXPECT_EQ(tw_tiles_name(tiles_.get(), 1, 0, &name), TW_DONE);
    EXPECT_STREQ(name, "tile_I");
    EXPECT_EQ(tw_tiles_name(tiles_.get(), 1, 3, &name), TW_BAD_QUESTION);
}

TEST_F(TilesLibrary, SaysWhatIsWrongWhere) {
    open("version: 1\nkernel: k\nchoose: {a: [1]}\nrequire: [b > 1]\n");
    EXPECT_EQ(status_, TW_BAD_QUESTION);
    EXPECT_STREQ(error_.code, "unknown-name");
    EXPECT_EQ(error_.line, 4);
    EXPECT_EQ(error_.column, 11);
    EXPECT_THAT(error_.text, HasSubstr("there is no 'b'"));
    open("]");
    EXPECT_EQ(status_, TW_BAD_QUESTION);
    open("version: 1\nkernel: k\nchoose: {a: [1]}\nminimize: a\n", "", "{\"speed\": 1}");
    EXPECT_EQ(status_, TW_BAD_QUESTION);
    open_triton();
    ASSERT_EQ(status_, TW_DONE) << error_.text;
    EXPECT_EQ(ask({512, 4096}), TW_BAD_QUESTION);
    const std::int64_t given[] = {512, 4096, 4096};
    EXPECT_EQ(tw_tiles_ask(tiles_.get(), given, 3, point_, 2, nullptr, nullptr), TW_TOO_SMALL);
    EXPECT_EQ(tw_tiles_ask(nullptr, given, 3, point_, 2, nullptr, nullptr), TW_BAD_QUESTION);
}

TEST_F(TilesLibrary, SaysWhyNothingIsLegalAndWhatWasCutShort) {
    open(
        "version: 1\nkernel: k\ngiven: [M]\nchoose: {a: 1..9}\nrequire: [a * a == M, a > 0]\nreason: {0: a "
        "square}\nminimize: a\n");
    EXPECT_EQ(ask({7}), TW_NO_LEGAL_POINT);
    EXPECT_THAT(error_.text, HasSubstr("a * a == M: a square"));
    EXPECT_EQ(ask({49}), TW_DONE);
    EXPECT_EQ(point_[0], 7);
    open("version: 1\nkernel: k\ngiven: [M]\nchoose: {a: 1..9}\nminimize: -a\n", "", "{\"most_tried\": 4}");
    EXPECT_EQ(ask({7}), TW_DEADLINE);
    EXPECT_EQ(point_[0], 4);
    EXPECT_EQ(claim_.claim, TW_BEST_FOUND);
}

TEST_F(TilesLibrary, TablesAndForms) {
    open_triton();
    std::vector<tw_row> rows(64);
    std::size_t count = 1;
    const std::int64_t given[] = {0, 4096, 4096};
    rows[0].size = sizeof(tw_row);
    EXPECT_EQ(tw_tiles_table(tiles_.get(), given, 3, 0, 1, 200, 0.05, rows.data(), &count, &error_), TW_TOO_SMALL);
    ASSERT_LE(count, rows.size());
    ASSERT_EQ(tw_tiles_table(tiles_.get(), given, 3, 0, 1, 200, 0.05, rows.data(), &count, &error_), TW_DONE);
    EXPECT_EQ(rows[count - 1].to, 200);
    for (std::int64_t m = 1; m <= 200; ++m) {
        const tw_row* row = tw_lookup(rows.data(), count, m);
        ASSERT_NE(row, nullptr);
        EXPECT_TRUE(row->from <= m && m <= row->to);
    }
    EXPECT_EQ(tw_lookup(rows.data(), count, 201), nullptr);
    char text[256];
    std::size_t size = 4;
    EXPECT_EQ(tw_tiles_format(tiles_.get(), given, rows[0].point, "triton", text, &size, &error_), TW_TOO_SMALL);
    ASSERT_LE(size, sizeof text);
    EXPECT_EQ(tw_tiles_format(tiles_.get(), given, rows[0].point, "triton", text, &size, &error_), TW_DONE);
    EXPECT_THAT(text, testing::StartsWith("triton.Config({'BLOCK_SIZE_M': "));
    EXPECT_EQ(std::string(text).size() + 1, size);
    EXPECT_EQ(tw_tiles_format(tiles_.get(), given, rows[0].point, "tritan", text, &size, &error_), TW_BAD_QUESTION);
    EXPECT_THAT(error_.text, HasSubstr("did you mean 'triton'?"));
    EXPECT_EQ(tw_tiles_format(tiles_.get(), given, rows[0].point, "mlir", text, &size, &error_), TW_BAD_QUESTION);
    EXPECT_THAT(error_.text, HasSubstr("the form mlir cannot say group_m, warps and stages"));
}

TEST_F(TilesLibrary, ARepeatedQuestionAllocatesNothing) {
    open_triton();
    ASSERT_EQ(ask({512, 4096, 4096}), TW_DONE);
    const std::int64_t given[] = {512, 4096, 4096};
    const long before = allocations;
    for (int i = 0; i < 100; ++i) tw_tiles_ask(tiles_.get(), given, 3, point_, TW_MOST_CHOSEN, &claim_, &error_);
    EXPECT_EQ(allocations, before);
    ASSERT_EQ(ask({511, 4096, 4096}), TW_DONE);
    EXPECT_GT(allocations, before);  // the count sees what the library allocates
}

// Eight threads, each in another order; TILES_ASKS asks in all, a million by hand.
TEST_F(TilesLibrary, ManyThreadsAnswerAsOne) {
    open_triton();
    const char* wanted = std::getenv("TILES_ASKS");
    const long asks = wanted != nullptr ? std::atol(wanted) : 20'000;
    constexpr int kShapes = 200;
    std::vector<std::vector<std::int64_t>> expected;
    const auto shape = [](int i) {
        return std::vector<std::int64_t>{1 + 37 * i, 512 + 128 * (i % 7), 1024 + 256 * (i % 3)};
    };
    for (int i = 0; i < kShapes; ++i) {
        ASSERT_EQ(ask(shape(i)), TW_DONE);
        expected.emplace_back(point_, point_ + 6);
    }
    open_triton();  // nothing is kept
    std::atomic<long> wrong{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
        threads.emplace_back([&, thread] {
            for (long i = thread; i < asks; i += 8) {
                const int which = static_cast<int>((i * (2 * thread + 1)) % kShapes);
                const std::vector<std::int64_t> given = shape(which);
                std::int64_t point[TW_MOST_CHOSEN];
                const int status =
                    tw_tiles_ask(tiles_.get(), given.data(), given.size(), point, TW_MOST_CHOSEN, nullptr, nullptr);
                if (status != TW_DONE || !std::equal(expected[which].begin(), expected[which].end(), point)) ++wrong;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
