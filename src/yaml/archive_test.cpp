#include "yaml/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yaml/reader.hpp"
#include "yaml/schema.hpp"
#include "yaml/writer.hpp"

namespace tilewright::yaml::archive_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

enum class Shape { square, round };

struct Corner {
    double x = 0.0;
    double y = 0.0;
};

struct Hole {
    std::int64_t depth = 1;
};

struct Pin {
    std::int64_t length = 1;
};

struct Extra {
    std::int64_t weight = 0;
    bool painted = false;
};

struct Part {
    std::string label;
    Shape shape = Shape::square;
    std::int64_t count = 1;
    std::optional<double> price;
    std::string remark;
    std::vector<Corner> corners;
    std::vector<std::variant<Hole, Pin>> features;
    Entries<std::int64_t> stock;
    std::optional<Extra> extra;
    std::int64_t later = 7;
};

void fields(Archive& archive, Corner& corner) { archive.items(Signed{corner.x}, Signed{corner.y}); }

void fields(Archive& archive, Hole& hole) { archive("depth", hole.depth); }

void fields(Archive& archive, Pin& pin) { archive("length", pin.length); }

void fields(Archive& archive, Extra& extra) {
    archive("weight", extra.weight);
    archive("painted", extra.painted);
}

Choice<Shape> shape_name(Shape& shape) { return {shape, {{Shape::square, "square"}, {Shape::round, "round"}}}; }

void fields(Archive& archive, Part& part) {
    archive.name("Part", "of a machine");
    archive.constant("schema", "test/1");
    archive("label", part.label, "what it is called");
    archive("shape", shape_name(part.shape));
    archive("count", Positive{part.count});
    archive("price", part.price);
    archive.where_any("remark", part.remark);
    archive.group("outline", [&](auto& outline) { outline("corners", part.corners); });
    archive("features", part.features);
    archive("stock", part.stock);
    archive.derived("priceless", !part.price.has_value());
    archive.derived("total", 2.0 * static_cast<double>(part.count));
    archive.part("weight", part.extra);
    archive.also("later", part.later);
}

constexpr const char* kText =
    R"({"schema":"test/1","label":"a","shape":"round","count":2,"price":null,"outline":{"corners":[[-1.0,2.0]]},)"
    R"("features":[{"length":3},{"depth":4}],"stock":{"here":5,"there":0},"priceless":true,"total":4.0,"weight":6,"painted":true,"later":8})";

Part sample() {
    return {"a", Shape::round, 2, {}, "", {{-1.0, 2.0}}, {Pin{3}, Hole{4}}, {{"here", 5}, {"there", 0}}, Extra{6, true},
            8};
}

std::string replaced(std::string text, const std::string& old, const std::string& fresh) {
    return text.replace(text.find(old), old.size(), fresh);
}

std::string error_of(const std::string& text) {
    try {
        Part part;
        Reader::read(parse_text(text), part);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Archive, OneListOfFieldsWritesAndReads) {
    EXPECT_EQ(Writer::write(sample()).dump(), kText);
    Part read;
    Reader::read(parse_text(kText), read);
    EXPECT_EQ(Writer::write(read).dump(), kText);
    Part without = sample();
    without.extra.reset();
    without.remark = "none";
    const std::string text = Writer::write(without).dump();
    EXPECT_THAT(text, Not(HasSubstr("weight")));
    Part second;
    Reader::read(parse_text(text), second);
    EXPECT_EQ(Writer::write(second).dump(), text);
}

TEST(Archive, MistakesHaveAPlace) {
    EXPECT_EQ(error_of(kText), "");
    EXPECT_THAT(error_of(replaced(kText, R"("label":"a",)", "")), HasSubstr("[missing-key]"));
    EXPECT_THAT(error_of(replaced(kText, R"("label")", R"("lable":1,"label")")), HasSubstr("unknown key 'lable'"));
    EXPECT_THAT(error_of(replaced(kText, "round", "rund")), HasSubstr("did you mean 'round'?"));
    EXPECT_THAT(error_of(replaced(kText, R"("count":2)", R"("count":0)")), HasSubstr("<text>:1:"));
    EXPECT_THAT(error_of(replaced(kText, R"("depth")", R"("deep")")), HasSubstr("one of the keys depth and length"));
    EXPECT_THAT(error_of(replaced(kText, "[-1.0,2.0]", "[1.0]")), HasSubstr("expected 2 values"));
    EXPECT_THAT(error_of(replaced(kText, R"("painted":true,)", "")), HasSubstr("[missing-key]"));
    EXPECT_EQ(error_of(replaced(kText, R"(,"later":8)", "")), "");
}

// A derived field without derived() is for documents never read back.
struct Doubled {
    std::int64_t half = 1;
};

void fields(Archive& archive, Doubled& doubled) { archive("whole", 2 * doubled.half); }

TEST(Archive, ComputedFieldsAreWrittenOnly) {
    EXPECT_EQ(Writer::write(Doubled{3}).dump(), R"({"whole":6})");
    Doubled doubled;
    EXPECT_THROW(Reader::read(parse_text(R"({"whole":6})"), doubled), std::logic_error);
}

struct Pair {
    std::int64_t half = 1;
};

void fields(Archive& archive, Pair& pair) { archive.items(pair.half, 2 * pair.half); }

TEST(Archive, ComputedItemsAreWrittenOnly) {
    EXPECT_EQ(Writer::write(Pair{3}).dump(), "[3,6]");
    Pair pair;
    EXPECT_THROW(Reader::read(parse_text("[3,6]"), pair), std::logic_error);
}

struct Small {
    int count = 0;
};

void fields(Archive& archive, Small& small) { archive("count", small.count); }

TEST(Archive, NumbersHaveToFitTheirFields) {
    Small small;
    Reader::read(parse_text(R"({"count":7})"), small);
    EXPECT_EQ(small.count, 7);
    EXPECT_THROW(Reader::read(parse_text(R"({"count":2147483648})"), small), InputError);
}

// As in JSON: a schema refuses the same.
TEST(Archive, QuotesTellTextFromNumbers) {
    EXPECT_THAT(error_of(replaced(kText, R"("count":2)", R"("count":"2")")), HasSubstr("without quotes, found text"));
    EXPECT_THAT(error_of(replaced(kText, R"("price":null)", R"("price":"2")")), HasSubstr("[wrong-type]"));
    EXPECT_THAT(error_of(replaced(kText, R"("painted":true)", R"("painted":"true")")), HasSubstr("[wrong-type]"));
    EXPECT_THAT(error_of(replaced(kText, "[-1.0,2.0]", R"(["-1.0",2.0])")), HasSubstr("[wrong-type]"));
    for (const char* value : {"5", "true", "1e3"})
        EXPECT_THAT(error_of(replaced(kText, R"("label":"a")", std::string(R"("label":)") + value)),
                    HasSubstr(std::string("expected text in quotes, found ") + value));
    EXPECT_EQ(error_of(replaced(kText, R"("label":"a")", R"("label":"5")")), "");
}

TEST(Archive, WhatFollowsAndWhatIsTheSameIsCompared) {
    EXPECT_THAT(error_of(replaced(kText, "test/1", "test/2")), HasSubstr("expected 'test/1', found 'test/2'"));
    EXPECT_THAT(error_of(replaced(kText, R"("priceless":true)", R"("priceless":"x")")), HasSubstr("[wrong-type]"));
    EXPECT_THAT(error_of(replaced(kText, R"("total":4.0)", R"("total":[])")), HasSubstr("[wrong-type]"));
    EXPECT_THAT(error_of(replaced(kText, R"("total":4.0)", R"("total":5)")),
                HasSubstr("expected 4.0, which follows from the values before it"));
    EXPECT_EQ(error_of(replaced(kText, R"(,"total":4.0)", "")), "");
}

TEST(Archive, RulesLetUnknownKeysBeAndBoundNumbers) {
    const std::string text = replaced(replaced(kText, R"("label")", R"("more":1,"label")"), "null", "2.5");
    Reader::Rules rules;
    rules.refuses_unknown_keys = false;
    Part part;
    Reader::read(parse_text(text), part, rules);
    EXPECT_EQ(part.price, 2.5);
    rules.most = 2.0;
    EXPECT_THROW(Reader::read(parse_text(text), part, rules), InputError);
}

TEST(Archive, TheSchemaAndTheTypesFollow) {
    const std::string schema = schema_text({"part.schema.json", "A part", "What it is."}, type_of<Part>());
    const Json json = Json::parse(schema);
    const Json& part = json.at("definitions").at("Part");
    EXPECT_EQ(part.at("required"), (Json{"schema", "label", "shape", "count", "price", "outline", "features", "stock",
                                         "priceless", "total", "later"}));
    EXPECT_EQ(part.at("properties").at("count").at("minimum"), 1);
    EXPECT_EQ(part.at("properties").at("price").at("type"), (Json{"number", "null"}));
    EXPECT_EQ(part.at("properties").at("label").at("description"), "what it is called");
    EXPECT_EQ(typescript_text(type_of<Part>()), R"(/** of a machine */
export interface Part {
  schema: "test/1";
  /** what it is called */
  label: string;
  shape: "square" | "round";
  count: number;
  price: number | null;
  remark?: string;
  outline: { corners: [number, number][]; };
  features: ({ depth: number; } | { length: number; })[];
  stock: Record<string, number>;
  priceless: boolean;
  total: number;
  weight?: number;
  painted?: boolean;
  later: number;
}
)");
}

}  // namespace
}  // namespace tilewright::yaml::archive_test
