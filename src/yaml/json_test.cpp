#include "yaml/json.hpp"

#include <gtest/gtest.h>

namespace tilewright::yaml::json_test {
namespace {

// A node as seen by a reader.
std::string seen(const Node& node) {
    std::string text = std::to_string(node.where().line) + ":" + std::to_string(node.where().column) + " ";
    if (node.is_null()) return text + "null";
    if (node.is_scalar()) return text + (node.is_quoted() ? "'" + node.text() + "'" : node.text());
    if (node.is_sequence()) {
        for (const Node& item : node.items()) text += "[" + seen(item) + "]";
        return text + "list";
    }
    for (const Node::Entry& entry : node.entries())
        text += "{" + entry.key + " " + seen(entry.key_node) + " = " + seen(entry.value) + "}";
    return text + "map";
}

TEST(Json, DoesNotEndAtANulByte) {
    const std::string text("{\"a\": 1}\0, \"b\": 2}", 19);
    EXPECT_FALSE(try_json(text, "f.json"));
    EXPECT_FALSE(try_json(text.substr(0, 9), "f.json"));
    EXPECT_TRUE(try_json(text.substr(0, 8), "f.json"));
}

TEST(Json, MakesTheTreeThatYamlMakes) {
    for (const char* text :
         {"{}", "[]", "1", "\"text\"", "{\"a\": 1}", "{\"a\": {\"b\": [1, -2.5e3, true, null, \"x\"]}, \"c\": []}",
          "{\n  \"a\": [\n    {\"b\": 1},\n    {\"b\": 2, \"c\": {}}\n  ],\n  \"d\": \"e\"\n}\n",
          "{\"quoted\": \"a \\\"b\\\" \\u00e9 \\\\\", \"after\": 1}",
          "{\"\\u00fcber\": \"\xC3\xBC\", \"next\": [[], [[]], 3]}", "[ 1 ,\t2\r\n, 3 ]",
          "{\"number\": 1E5, \"word\": \"true\", \"empty\": \"\"}"}) {
        const std::optional<Node> json = try_json(text, "f.json");
        ASSERT_TRUE(json) << text;
        EXPECT_EQ(seen(*json), seen(parse_text(text, "f.json"))) << text;
        EXPECT_EQ(json->where().file, "f.json");
    }
}

TEST(Json, LeavesTheRestToYaml) {
    std::string deep(300, '[');
    deep.append(300, ']');
    for (const std::string& text :
         {std::string("{a: 1}"), std::string("{\"a\": 1"), std::string("{\"a\": 1, \"a\": 2}"),
          std::string("{\"<<\": {\"a\": 1}}"), std::string("[1] x"), std::string(), deep})
        EXPECT_FALSE(try_json(text, "f.json")) << text;
}

TEST(Json, GivesTheItemsOfAListOneByOne) {
    std::vector<std::string> taken;
    const Items items{"layers", [&](const auto& before, const Node& item) {
                          taken.push_back(before.front().key + std::to_string(before.size()) + " " + seen(item));
                          return true;
                      }};
    const auto root =
        try_json("{\"schema\": 1,\n\"layers\": [{\"x\": [1]},\n2], \"end\": {\"layers\": [3]}}", "f", &items);
    ASSERT_TRUE(root);
    EXPECT_EQ(taken, (std::vector<std::string>{"schema1 2:14 {x 2:14 'x' = 2:19 [2:19 1]list}map", "schema1 3:1 2"}));
    EXPECT_TRUE(root->at("layers").items().empty());
    EXPECT_EQ(root->at("end").at("layers").items().size(), 1U);
    const Items unwanted{"layers", [](const auto&, const Node&) { return false; }};
    EXPECT_FALSE(try_json("{\"layers\": [1]}", "f", &unwanted));
}

// A million values are too many, except as small items.
TEST(Json, CountsItemsByThemselves) {
    std::string text = "{\"layers\": [";
    for (int i = 0; i < 400'000; ++i) text += "[1, 2],";
    text += "0]}";
    int count = 0;
    const Items items{"layers", [&](const auto&, const Node&) { return ++count > 0; }};
    EXPECT_TRUE(try_json(text, "f", &items));
    EXPECT_EQ(count, 400'001);
    EXPECT_FALSE(try_json(text, "f"));
}

}  // namespace
}  // namespace tilewright::yaml::json_test
