#include "base/error.hpp"

#include <gtest/gtest.h>

namespace tilewright::error_test {
namespace {

TEST(InputError, ShowsThePlaceTheMessageAndACaret) {
    const InputError error(ErrorCode::unknown_key, {"arch.yaml", 12, 3}, "unknown key 'dept'", "  dept: 12");
    EXPECT_STREQ(error.what(),
                 "arch.yaml:12:3: error: unknown key 'dept' [unknown-key]\n"
                 "      dept: 12\n"
                 "      ^");
    EXPECT_EQ(error.code(), ErrorCode::unknown_key);
    EXPECT_EQ(error.where(), (Location{"arch.yaml", 12, 3}));
    EXPECT_EQ(error.message(), "unknown key 'dept'");
}

TEST(InputError, LeavesOutWhatIsNotKnown) {
    EXPECT_STREQ(InputError(ErrorCode::usage, {}, "no verb").what(), "error: no verb [usage]");
    EXPECT_STREQ(InputError(ErrorCode::io, {"out.txt"}, "cannot write").what(), "out.txt: error: cannot write [io]");
    EXPECT_STREQ(InputError(ErrorCode::syntax, {"a.yaml", 3}, "bad").what(), "a.yaml:3: error: bad [syntax]");
}

TEST(InputError, CutsLongLinesAroundTheCaret) {
    const std::string line = std::string(500, 'a') + "X" + std::string(500, 'b');
    const std::string text = InputError(ErrorCode::syntax, {"f", 1, 501}, "here", line).what();
    const std::size_t excerpt = text.find("\n    ") + 5;
    const std::size_t caret = text.rfind("\n    ") + 5;
    EXPECT_LT(text.size(), 250U);
    EXPECT_EQ(text[excerpt + (text.find('^') - caret)], 'X');
}

TEST(InputError, HidesControlCharactersOfTheExcerpt) {
    const std::string text = InputError(ErrorCode::syntax, {"f", 1, 1}, "here", "a\x1b[31m\tb").what();
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\t'), std::string::npos);
}

TEST(ErrorCode, HasAStableNameEach) {
    EXPECT_EQ(error_code_name(ErrorCode::factor_product), "factor-product");
    EXPECT_EQ(error_code_name(ErrorCode::unknown_level), "unknown-level");
    EXPECT_EQ(error_code_name(ErrorCode::missing_file), "missing-file");
}

TEST(Nearest, FindsWhatWasProbablyMeant) {
    const std::vector<std::string> known{"depth", "width", "word_bits", "meshX"};
    EXPECT_EQ(nearest("dept", known), "depth");
    EXPECT_EQ(nearest("word-bits", known), "word_bits");
    EXPECT_EQ(nearest("Widht", known), "width") << "two swapped letters are one slip";
    EXPECT_EQ(nearest("Witdh", known), "width");
    EXPECT_EQ(nearest("Wihdt", known), "") << "two of five letters differ";
    EXPECT_EQ(nearest("meshx", known), "meshX");
}

TEST(Nearest, PrefersTheNearerCandidate) {
    EXPECT_EQ(nearest("buffer1", {"buffer_22", "buffer12", "buffer1s"}), "buffer12") << "the first of two equals";
    EXPECT_EQ(nearest("datatype", {"datatypes", "data_type", "datatype"}), "datatype");
}

TEST(Nearest, DoesNotGuessFromOneLetter) {
    EXPECT_EQ(nearest("J", {"I", "K"}), "");
    EXPECT_EQ(nearest("k", {"I", "K"}), "K");
    EXPECT_EQ(did_you_mean("J", {"I", "K"}), "");
    EXPECT_EQ(did_you_mean("k", {"I", "K"}), "; did you mean 'K'?");
    EXPECT_EQ(nearest("anything", {}), "");
}

TEST(ListWords, ReadsLikeASentence) {
    EXPECT_EQ(list_words({}), "");
    EXPECT_EQ(list_words({"a"}), "a");
    EXPECT_EQ(list_words({"a", "b"}), "a and b");
    EXPECT_EQ(list_words({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace tilewright::error_test
