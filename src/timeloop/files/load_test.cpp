#include "timeloop/files/load.hpp"

#include <gtest/gtest.h>

#include "base/files/file.hpp"

namespace tilewright::timeloop::load_test {
namespace {

std::string mistake_in(const std::string& text) {
    try {
        (void)load_text(text, "in.yaml");
    } catch (const InputError& error) {
        return error.message();
    }
    return "no mistake";
}

class Loading : public testing::Test {
   protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("tilewright_load_" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) + "_" +
                   testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_ / "inner");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path write(const std::string& name, const std::string& text) {
        write_file(folder_ / name, text);
        return folder_ / name;
    }
    std::string mistake_loading(const std::vector<std::filesystem::path>& files) {
        try {
            (void)load(files);
        } catch (const InputError& error) {
            message_where_ = error.where();
            return error.message();
        }
        return "no mistake";
    }

    std::filesystem::path folder_;
    Location message_where_;
};

TEST(LoadingText, TurnsHyphensInKeysIntoUnderscores) {
    const yaml::Node root = load_text("arch: {storage: [{word-bits: 8, name: my-buffer}]}\n");
    EXPECT_EQ(root.at("arch").at("storage").items()[0].at("word_bits").integer(), 8);
    EXPECT_EQ(root.at("arch").at("storage").items()[0].at("name").text(), "my-buffer") << "values stay";
}

TEST(LoadingText, LeavesNamesOfTheUserAlone) {
    const yaml::Node root =
        load_text("a: {instance: {in-ch: 3}, per-dataspace-bandwidth-consumption-scale: {my-t: 2}}\n");
    EXPECT_EQ(root.at("a").at("instance").at("in-ch").integer(), 3);
    EXPECT_EQ(root.at("a").at("per_dataspace_bandwidth_consumption_scale").at("my-t").integer(), 2);
}

TEST(LoadingText, PrintsVariablesAndTheirDefaults) {
    const std::string text = "a: {{width|default(8)}}\nb: {{ name | default('SRAM') }} {# a comment #}\n";
    EXPECT_EQ(load_text(text).at("a").integer(), 8);
    EXPECT_EQ(load_text(text).at("b").text(), "SRAM");
    EXPECT_EQ(load_text(text, "in.yaml", {{{"width", "16"}}, {}}).at("a").integer(), 16);
}

TEST(LoadingText, ShowsTheBranchThatHolds) {
    const std::string text = "a: 1\n{% if more|default(True) %}\nb: 2\n{% else %}\nc: 3\n{%- endif -%}\n";
    EXPECT_TRUE(load_text(text).has("b"));
    EXPECT_FALSE(load_text(text).has("c"));
    EXPECT_FALSE(load_text(text, "in.yaml", {{{"more", "False"}}, {}}).has("b"));
    EXPECT_TRUE(load_text(text, "in.yaml", {{{"more", "False"}}, {}}).has("c"));
    EXPECT_TRUE(
        load_text("a: 1\n{% if not x|default(0) %}{% if y|default(1) %}\nb: 2\n{% endif %}{% endif %}\n").has("b"));
}

TEST(LoadingText, SaysWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "the file is empty"},
        {"- a\n", "expected a map of sections (architecture: ...)"},
        {"a: {x-y: 1, x_y: 2}\n", "duplicate key 'x_y' (hyphens count as underscores)"},
        {"arch: {nodes: [!Memory {name: MainMemory}]}\n",
         "this is a file of AccelForge, whose 'arch' is not Timeloop's; AccelForge's files are not read"},
        {"arch: {extra_attributes_for_all_component_models: {tech_node: 16e-9}}\n",
         "this is a file of AccelForge, whose 'arch' is not Timeloop's; AccelForge's files are not read"},
        {"workload: {rank_sizes: {M: 128}}\n",
         "this is a file of AccelForge, whose 'workload' is not Timeloop's; AccelForge's files are not read"},
        {"mapping: {nodes: [!Temporal {rank_variable: m}]}\n",
         "this is a file of AccelForge, whose 'mapping' is not Timeloop's; AccelForge's files are not read"},
        {"mapsapce: {}\n", "unknown section 'mapsapce'; did you mean 'mapspace'?"},
        {"a: {{b}}\n", "the Jinja variable 'b' has no value and no default"},
        {"{% for x in y %}\na: 1\n", "'for' has no 'endfor'"},
        {"a: {{b|default(1)\n", "the Jinja opened here does not end"},
        {"{% if a|default(1) %}\nb: 1\n", "'if' has no 'endif'"},
        {"a: 1\n{% endif %}\n", "'endif' without its beginning"},
        {"{{include_text(name)}}\na: 1\n",
         "expected the name of a file or folder, found nothing ('name' has no value)"},
        {"{{include_text('nowhere.yaml')}}\n", "the file 'nowhere.yaml' to include does not exist"},
    };
    for (const auto& [text, message] : cases) EXPECT_EQ(mistake_in(text), message) << text;
}

TEST(LoadingText, NamesFilesOfOtherPrograms) {
    const auto refusal = [](const std::string& text, const std::string& file) -> std::string {
        try {
            (void)load_text(text, file);
        } catch (const InputError& error) {
            return error.what();
        }
        return "was read";
    };
    EXPECT_NE(
        refusal("K,C,Y,X,R,S,T\n64,3,224,224,7,7,1\n", "net.csv").find("net.csv:1:1: error: a CSV file of GAMMA's"),
        std::string::npos);
    EXPECT_NE(refusal("K, C, Y, X, R, S, T\r\n", "net.txt").find("a CSV file of GAMMA's"), std::string::npos);
    EXPECT_NE(refusal("a,b\n1,2\n", "net.csv").find("a CSV file of no known format"), std::string::npos);
    EXPECT_NE(refusal("{\"name\": \"A100\", \"device\": {\"compute_chiplet\": {}, \"io\": {}}}", "a100.json")
                  .find("a machine of LLMCompass"),
              std::string::npos);
    EXPECT_EQ(refusal("{\"device\": {\"io\": 1}}", "a.json"), "was read");
}

TEST(LoadingText, PointsAtTheDirective) {
    try {
        (void)load_text("a: 1\nb: {{open('x')}}\n", "in.yaml");
        FAIL() << "was read";
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported);
        EXPECT_EQ(error.where(), (Location{"in.yaml", 2, 10}));
    }
}

TEST_F(Loading, IncludesTextRelativeToTheFile) {
    write("base.yaml", "base: &base\n  a: 1\n  b: 2\n");
    write("inner/one.yaml", "{{include_text('../base.yaml')}}\nproblem:\n  <<<: *base\n  b: 3\n");
    const yaml::Node root = load({folder_ / "inner/one.yaml"});
    EXPECT_EQ(root.at("problem").at("a").integer(), 1);
    EXPECT_EQ(root.at("problem").at("b").integer(), 3);
}

TEST_F(Loading, KeepsThePlacesOfTheIncludedFile) {
    write("base.yaml", "# a comment\nbase: 1\n");
    write("one.yaml", "first: 1\n{{include_text('base.yaml')}}\nlast: 2\n");
    const yaml::Node root = load({folder_ / "one.yaml"});
    EXPECT_EQ(root.at("base").where().file, (folder_ / "base.yaml").string());
    EXPECT_EQ(root.at("base").where().line, 2);
    EXPECT_EQ(root.at("last").where().file, (folder_ / "one.yaml").string());
    EXPECT_EQ(root.at("last").where().line, 3);
}

TEST_F(Loading, RefusesFilesThatIncludeThemselves) {
    write("a.yaml", "{{include_text('b.yaml')}}\n");
    write("b.yaml", "{{include_text('a.yaml')}}\n");
    EXPECT_EQ(mistake_loading({folder_ / "a.yaml"}), "'" + (folder_ / "a.yaml").string() + "' includes itself");
    EXPECT_EQ(message_where_.file, (folder_ / "b.yaml").string());
}

TEST_F(Loading, MergesSectionsOfSeveralFiles) {
    const auto a = write("a.yaml", "version: 0.4\nmapspace: {version: 0.4, template: ruby}\n");
    const auto b = write("b.yaml", "version: 0.4\nmapspace: {version: 0.4, constraints: []}\nmapper: {timeout: 1}\n");
    const yaml::Node root = load({a, b});
    EXPECT_EQ(root.at("mapspace").at("template").text(), "ruby");
    EXPECT_TRUE(root.at("mapspace").has("constraints"));
    EXPECT_TRUE(root.has("mapper"));
}

TEST_F(Loading, RefusesWhatTwoFilesBothSay) {
    const auto a = write("a.yaml", "mapper:\n  timeout: 1\n");
    const auto b = write("b.yaml", "mapper:\n  timeout: 2\n");
    EXPECT_EQ(mistake_loading({a, b}), "'mapper.timeout' is already given in " + a.string() + ":2");
    EXPECT_EQ(message_where_, (Location{b.string(), 2, 3}));
    const auto list = write("c.yaml", "mapper: [1]\n");
    EXPECT_EQ(mistake_loading({a, list}), "'mapper' is already given in " + a.string() + ":2");
    EXPECT_EQ(mistake_loading({}), "no input file was given");
}

TEST_F(Loading, JoinsListsThatAccelergyJoins) {
    const auto a = write("a.yaml", "compound_components:\n  version: 0.3\n  classes: [{name: x, n: 1}]\n");
    const auto b = write("b.yaml", "compound_components:\n  version: 0.3\n  classes: [{name: y}, {name: x, n: 1}]\n");
    EXPECT_EQ(load({a, b}).at("compound_components").at("classes").items().size(), 2U) << "the same class counts once";
    const auto c = write("c.yaml", "compound_components:\n  classes: [{name: x, n: 2}]\n");
    EXPECT_EQ(mistake_loading({a, c}), "'compound_components.classes: x' is already given in " + a.string() + ":3");
    const auto empty = write("d.yaml", "compound_components:\nmapper: {}\n");
    const auto mapper = write("e.yaml", "mapper: {timeout: 1}\n");
    EXPECT_EQ(load({a, empty, mapper}).at("mapper").at("timeout").integer(), 1) << "an empty section says nothing";
}

TEST_F(Loading, AMappingReplacesThatOfADump) {
    const auto dump = write("dump.yaml", "dumped_by_timeloop_front_end: true\nmapping: [1]\n");
    const auto mapping = write("map.yaml", "mapping: [2]\n");
    EXPECT_EQ(load({dump, mapping}).at("mapping").items()[0].integer(), 2);
    EXPECT_NE(mistake_loading({mapping, write("again.yaml", "mapping: [3]\n")}), "no mistake");
}

TEST(LoadingText, SpellsListsOfListsOut) {
    const yaml::Node root = load_text(
        "variables: [{a: 1, b: 2}, {b: 3}]\ncomponents: {classes: [[{name: x}], [{name: y}]]}\nl: [1]# a comment\n");
    EXPECT_EQ(root.at("variables").at("b").integer(), 3);
    EXPECT_EQ(root.at("components").at("classes").items().size(), 2U);
    EXPECT_EQ(root.at("l").items().size(), 1U);
}

}  // namespace
}  // namespace tilewright::timeloop::load_test
