#include "native/densities/density_file.hpp"

#include <gtest/gtest.h>

#include "fixtures/mistake.hpp"

namespace tilewright::native::density_test {
namespace {

using fixtures::mistake_of;
using sparse::GivenDensity;
using sparse::GivenPattern;

TEST(DensityText, EveryModelHasOne) {
    const auto read = [](const char* text) { return read_density(text, ""); };
    EXPECT_EQ(read("0.3"), GivenDensity(sparse::FixedStructured{0.3}));
    EXPECT_EQ(read("1"), GivenDensity(sparse::FixedStructured{1.0}));
    EXPECT_EQ(read("fixed:0.3"), read("fixed_structured:0.3"));
    EXPECT_EQ(read("hypergeometric:0.25"), GivenDensity(sparse::UniformRandom{0.25}));
    EXPECT_EQ(read("banded:2"), GivenDensity(sparse::Banded{2}));
    EXPECT_EQ(read("2:4"), GivenDensity(GivenPattern{2, 4, ""}));
    EXPECT_EQ(read("1:2:K"), GivenDensity(GivenPattern{1, 2, "K"}));
}

TEST(DensityText, OtherTextsAreRefused) {
    const auto code = [](const std::string& text) { return mistake_of([&] { read_density(text, ""); }).code; };
    for (const char* text : {"", "1.5", "-0.1", "nan", "0.3x", "0,3", "4:2", "2:0", "-1:4", "2:4:", "2:x",
                             "2:", "hypergeometric:", "hypergeometric:2", "banded:-1", "banded:x"})
        EXPECT_EQ(code(text), ErrorCode::bad_value) << text;
    EXPECT_EQ(code("random:0.3"), ErrorCode::unknown_name);
    EXPECT_EQ(code("measured:nowhere.npy"), ErrorCode::missing_file);
    EXPECT_EQ(mistake_of([] { read_density("4:2", ""); }).message,
              "4:2 is no pattern: N:M keeps N of M elements, 0 <= N <= M");
}

TEST(DensityText, RulesSayOfWhichLayersAndTensor) {
    const sparse::DensityRule all = read_density_rule("Weights=2:4", "");
    EXPECT_EQ(all.layers, "*");
    EXPECT_EQ(all.tensor, "Weights");
    const sparse::DensityRule some = read_density_rule("a:conv2*:Inputs=0.5", "");
    EXPECT_EQ(some.layers, "a:conv2*");
    EXPECT_EQ(some.tensor, "Inputs");
    for (const char* text : {"Weights", "=0.5", ":Weights=0.5", "conv:=0.5"})
        EXPECT_EQ(mistake_of([&] { read_density_rule(text, ""); }).code, ErrorCode::bad_value) << text;
}

TEST(DensityFile, CsvAndYamlSayTheSame) {
    const auto csv = read_density_csv(
        "# pruned\r\nlayer, tensor, density\r\n\n*,Weights,2:4\n\"fc,1\" , Weights ,hypergeometric:0.5\n", "d.csv");
    const auto yaml = read_density_yaml(
        "densities:\n- {layer: \"*\", tensor: Weights, density: \"2:4\"}\n- {layer: \"fc,1\", tensor: Weights, "
        "density: "
        "\"hypergeometric:0.5\"}\n- {tensor: Inputs, density: 1}\n",
        "d.yaml");
    ASSERT_EQ(csv.size(), 2U);
    ASSERT_EQ(yaml.size(), 3U);
    for (std::size_t i = 0; i < csv.size(); ++i) {
        EXPECT_EQ(csv[i].layers, yaml[i].layers);
        EXPECT_EQ(csv[i].tensor, yaml[i].tensor);
        EXPECT_EQ(csv[i].density, yaml[i].density);
    }
    EXPECT_EQ(csv[1].layers, "fc,1");
    EXPECT_EQ(csv[1].from, "d.csv:5");
    EXPECT_EQ(yaml[1].from, "d.yaml:3");
    EXPECT_EQ(yaml[2].layers, "*");
}

struct Wrong {
    const char* text;
    int line;
    int column;
    ErrorCode code;
};

TEST(DensityFile, WrongLinesOfCsvAreToldAtTheirPlace) {
    const Wrong cases[] = {{"", 0, 0, ErrorCode::syntax},
                           {"# nothing\n", 0, 0, ErrorCode::syntax},
                           {"layer,density\n", 1, 1, ErrorCode::syntax},
                           {"layer,tensor,density\n*,Weights\n", 2, 1, ErrorCode::syntax},
                           {"layer,tensor,density\n*,Weights,0.5,1\n", 2, 1, ErrorCode::syntax},
                           {"layer,tensor,density\n*, ,0.5\n", 2, 4, ErrorCode::missing_key},
                           {"layer,tensor,density\n*,Weights,\n", 2, 11, ErrorCode::missing_key},
                           {"layer,tensor,density\n*,Weights, 1.5\n", 2, 12, ErrorCode::bad_value},
                           {"layer,tensor,density\n*,Weights,5:4\n", 2, 11, ErrorCode::bad_value},
                           {"layer,tensor,density\n\"*,Weights,0.5\n", 2, 1, ErrorCode::syntax},
                           {"layer,tensor,density\n\"*\"x,Weights,0.5\n", 2, 4, ErrorCode::syntax}};
    for (const Wrong& one : cases) {
        SCOPED_TRACE(one.text);
        const auto found = mistake_of([&] { read_density_csv(one.text, "d.csv"); });
        EXPECT_EQ(found.where, (Location{"d.csv", one.line, one.column}));
        EXPECT_EQ(found.code, one.code) << found.message;
    }
}

TEST(DensityFile, WrongEntriesOfYamlAreToldAtTheirPlace) {
    const Wrong cases[] = {{"density: []\n", 1, 1, ErrorCode::unknown_key},
                           {"densities:\n- {tensor: W, density: 1, layers: a}\n", 2, 27, ErrorCode::unknown_key},
                           {"densities:\n- {density: 1}\n", 2, 4, ErrorCode::missing_key},
                           {"densities:\n- {tensor: W, density: 1.5}\n", 2, 24, ErrorCode::bad_value},
                           {"densities:\n- {tensor: W, density: {n: 2}}\n", 2, 25, ErrorCode::wrong_type}};
    for (const Wrong& one : cases) {
        SCOPED_TRACE(one.text);
        const auto found = mistake_of([&] { read_density_yaml(one.text, "d.yaml"); });
        EXPECT_EQ(found.where, (Location{"d.yaml", one.line, one.column}));
        EXPECT_EQ(found.code, one.code) << found.message;
    }
}

}  // namespace
}  // namespace tilewright::native::density_test
