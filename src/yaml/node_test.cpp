#include "yaml/node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yaml/node_data.hpp"

namespace tilewright::yaml::node_test {
namespace {

std::string error_of(const std::string& text) {
    try {
        parse_text(text, "f.yaml");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Yaml, KeepsThePlaceOfEveryValue) {
    const Node root = parse_text("a:\n  b: [1, two]\n", "f.yaml");
    const Node& two = root.at("a").at("b").items()[1];
    EXPECT_EQ(two.text(), "two");
    EXPECT_EQ(two.where(), (Location{"f.yaml", 2, 10}));
}

TEST(Yaml, SaysWhereANumberWasExpected) {
    const Node root = parse_text("depth: twelve\n", "arch.yaml");
    try {
        (void)root.at("depth").integer();
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "arch.yaml:1:8: error: expected a whole number, found 'twelve' [wrong-type]\n"
                     "    depth: twelve\n"
                     "           ^");
    }
}

TEST(Yaml, ReadsGroupedDigits) {
    const Node root = parse_text("a: 16_777_216\nb: 1_000.5\nc: 1_\nd: _1\ne: 1__0\n", "f.yaml");
    EXPECT_EQ(root.at("a").integer(), 16777216);
    EXPECT_EQ(root.at("b").real(), 1000.5);
    EXPECT_EQ(root.at("a").text(), "16_777_216");
    for (const char* word : {"c", "d", "e"}) EXPECT_FALSE(root.at(word).try_real()) << word;
}

TEST(Yaml, RefusesDuplicateKeys) {
    EXPECT_NE(error_of("a: 1\nb: 2\na: 3\n").find("f.yaml:3:1: error: duplicate key"), std::string::npos)
        << error_of("a: 1\nb: 2\na: 3\n");
}

TEST(Yaml, NamesTheNearestKnownKey) {
    const Node root = parse_text("dept: 12\n", "f.yaml");
    try {
        root.expect_keys({"depth", "width"});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.message(), "unknown key 'dept'; did you mean 'depth'?");
        EXPECT_EQ(error.where(), (Location{"f.yaml", 1, 1}));
    }
}

TEST(Yaml, MergesShallowAndDeep) {
    const Node root = parse_text(
        "base: &b {x: 1, inner: {p: 1, q: 2}}\n"
        "shallow: {<<: *b, inner: {q: 3}}\n"
        "deep:\n  <<<: *b\n  inner: {q: 3}\n");
    EXPECT_EQ(root.at("shallow").at("x").integer(), 1);
    EXPECT_FALSE(root.at("shallow").at("inner").has("p"));
    EXPECT_EQ(root.at("deep").at("inner").at("p").integer(), 1);
    EXPECT_EQ(root.at("deep").at("inner").at("q").integer(), 3);
}

TEST(Yaml, RefusesCyclesAndBombs) {
    EXPECT_NE(error_of("a: &a [*a]\n"), "");
    std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 9; ++i) {
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int k = 0; k < 10; ++k) bomb += std::string(k > 0 ? "," : "") + "*a" + std::to_string(i - 1);
        bomb += "]\n";
    }
    EXPECT_NE(error_of(bomb).find("aliases expanded"), std::string::npos);
}

TEST(Yaml, RefusesBytesThatAreNoText) {
    EXPECT_EQ(error_of("a: 1\nb: \xff\n"),
              "f.yaml:2:4: error: this byte is not valid UTF-8; is it a text file? [syntax]");
    EXPECT_NE(error_of("%\x80"), "") << "libfyaml alone never comes back from this one";
    EXPECT_NE(error_of("\xff"), "");
    EXPECT_NE(error_of("\n\xff").find("f.yaml:2:1:"), std::string::npos);
    EXPECT_EQ(parse_text("a: \xc3\xa4\n").at("a").text(), "\xc3\xa4");
}

TEST(Yaml, KeepsTags) {
    const Node root = parse_text("- !Component\n  name: x\n- !Nothing {}\n");
    EXPECT_EQ(root.items()[0].tag(), "!Component");
    EXPECT_EQ(root.items()[1].tag(), "!Nothing");
}

TEST(Yaml, SaysThatAFileIsEmpty) { EXPECT_EQ(error_of("  \n"), "f.yaml: error: the file is empty [syntax]"); }

TEST(Yaml, OfEqualKeysTheLastOneMayCount) {
    const Node node = parse_text("a: 1\nb: 2\na: 3\n", "twice.yaml", Duplicates::last_wins);
    EXPECT_EQ(node.at("a").integer(), 3);
    EXPECT_EQ(node.entries().size(), 2U);
    ASSERT_EQ(node.overridden().size(), 1U);
    EXPECT_EQ(node.overridden()[0].where(), (Location{"twice.yaml", 1, 1}));
    EXPECT_THROW((void)parse_text("a: 1\nb: 2\na: 3\n"), InputError);
}

std::vector<Node> documents_in(const std::string& text) { return parse_documents(Source{text, "<text>", {}, {}}); }

TEST(Yaml, ReadsEveryDocument) {
    const std::vector<Node> documents = documents_in("---\na: 1\n---\n- 2\n...\n---\n");
    ASSERT_EQ(documents.size(), 2U) << "what holds nothing is none";
    EXPECT_EQ(documents[0].at("a").integer(), 1);
    EXPECT_EQ(documents[1].items().front().integer(), 2);
    EXPECT_EQ(documents[1].where().line, 4);
}

TEST(Yaml, RefusesASecondDocumentWhereOneIsExpected) {
    try {
        parse_text("a: 1\n---\nb: 2\n");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.where().line, 3);
        EXPECT_EQ(error.code(), ErrorCode::unsupported);
    }
}

TEST(Yaml, KnowsWhoHoldsAnchors) {
    const Node root = parse_text("a: {b: &x [1]}\nc: *x\nd: 3\n");
    EXPECT_TRUE(root.at("a").holds_anchor());
    EXPECT_FALSE(root.at("d").holds_anchor());
}

// All aliases share one value; depth and size are still those of the whole.
TEST(Yaml, CountsAliasesInFull) {
    std::string deep = "a0: &a0 [1]\n";
    for (int i = 1; i < 300; ++i)
        deep += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
    EXPECT_THROW(parse_text(deep), InputError) << "nested too deeply";
    std::string wide = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 9; ++i) {
        const std::string alias = "*a" + std::to_string(i - 1);
        wide += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int k = 0; k < 10; ++k) wide += (k > 0 ? ", " : "") + alias;
        wide += "]\n";
    }
    EXPECT_THROW(parse_text(wide), InputError) << "too many";
    const Node node = parse_text("a: &a {x: [1, 2]}\nb: *a\nc: *a\n");
    EXPECT_EQ(node.at("c").at("x").items().size(), 2U);
}

// libfyaml traverses all anchors for every value: 40,000 of them take six seconds, 400,000 ten minutes.
TEST(Yaml, RefusesMoreAnchorsThanItCanGoThrough) {
    std::string anchors;
    std::string words;
    for (int i = 0; i < 20'000; ++i) {
        anchors += "- &a" + std::to_string(i) + " x\n";
        words += "- a&b &c\n";
    }
    EXPECT_EQ(error_of(anchors),
              "f.yaml:20000:3: error: 20000 anchors among 20001 values: too many (at most 100000000 when multiplied) "
              "[syntax]");
    EXPECT_EQ(error_of(words), "") << "within a word it is a letter";
    EXPECT_EQ(error_of("- &a 1\n- &b 2\n" + words + "- *a\n- *b\n"), "");
}

TEST(Yaml, RefusesMergesThatCopyMuchForLittle) {
    const auto merging = [&](const std::string& how, int times) {
        std::string text = "small: &s {first: 1}\nmade:\n  " + how + ": [";
        for (int i = 0; i < times; ++i) text += "*s, ";
        text += "]\n";
        for (int i = 0; i < 10'000; ++i) text += "  k" + std::to_string(i) + ": 1\n";
        return text;
    };
    for (const char* how : {"<<", "<<<"}) {
        const Node made = parse_text(merging(how, 10)).at("made");
        EXPECT_EQ(made.entries().size(), 10'001U);
        EXPECT_EQ(made.at("first").integer(), 1);
        EXPECT_EQ(made.at("k9999").integer(), 1);
    }
    EXPECT_EQ(error_of(merging("<<", 300)), "") << "all of them are one copy";
    EXPECT_NE(error_of(merging("<<<", 300)).find("merges copy more than 2000000 values"), std::string::npos);
}

TEST(Yaml, SaysAnyLineOfItsSource) {
    const IndexedSource source(Source{"a\nbb\r\n\nd", "f", {}, {}});
    std::vector<std::string> lines;
    for (int line = 0; line < 7; ++line) {
        lines.emplace_back(source.line_at(line));
        EXPECT_EQ(source.line(line), lines.back()) << line;
    }
    EXPECT_THAT(lines, testing::ElementsAre("a", "a", "bb", "", "d", "", ""));
}

}  // namespace
}  // namespace tilewright::yaml::node_test
