#include "yaml/jinja/jinja.hpp"

#include <gtest/gtest.h>

#include "base/files/file.hpp"

namespace tilewright::jinja::jinja_test {
namespace {

std::string expanded(const std::string& text, const Variables& variables = {}) {
    return expand(text, "t.jinja", {variables, {}}).text;
}

std::string mistake_in(const std::string& text) {
    try {
        (void)expanded(text);
    } catch (const InputError& error) {
        return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + " " + error.message();
    }
    return "no mistake";
}

TEST(Jinja, PrintsExpressions) {
    EXPECT_EQ(expanded("a: {{ 1 + 2 * 3 }}"), "a: 7");
    EXPECT_EQ(expanded("{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 4 }} {{ 2 ** 10 }} {{ 7 / 2 }} {{ -2 ** 2 }}"),
              "3 -4 3 1024 3.5 -4");
    EXPECT_EQ(expanded("{{ 'a' ~ '/' ~ 3 }}"), "a/3");
    EXPECT_EQ(expanded("{{ [1, 'x', 2.5] }} {{ {'k': True} }}"), "[1, 'x', 2.5] {'k': True}");
    EXPECT_EQ(expanded("{{ 'yes' if 2 > 1 else 'no' }}{{ 'no' if false }}"), "yes");
    EXPECT_EQ(expanded("{{ 'abc'[1:] }} {{ [1, 2, 3][-1] }} {{ {'a': {'b': 4}}.a.b }} {{ 'a,b'.split(',')[1] }}"),
              "bc 3 4 b");
    EXPECT_EQ(expanded("{{ 1 in [1, 2] }} {{ 'z' not in 'abc' }} {{ not (1 == 1.0 and 'a' != 'b') }}"),
              "True True False");
}

TEST(Jinja, KnowsTheFiltersAndTestsOfPublicDesigns) {
    EXPECT_EQ(expanded("{{ x | default(4) }} {{ x|d('a')|upper }} {{ '' | default('e', true) }}"), "4 A e");
    EXPECT_EQ(expanded("{{ '12'|int + 1 }} {{ '2.5'|float * 2 }} {{ 'x'|int(7) }} {{ 3.7|int }}"), "13 5.0 7 3");
    EXPECT_EQ(expanded("{{ [3, 1, 2]|sort|join('-') }} {{ [1, 2]|sum }} {{ 'abc'|length }} {{ [4, 9]|max }}"),
              "1-2-3 3 3 9");
    EXPECT_EQ(expanded("{{ x is defined }} {{ 4 is even }} {{ 'a' is string }} {{ 9 is divisibleby 3 }}"),
              "False True True True");
    EXPECT_EQ(expanded("{{ 'a-b'|replace('-', '_') }} {{ -3|abs }} {{ 2.567|round(1) }}"), "a_b -3 2.6");
    EXPECT_EQ(expanded("{{ 'a\nb\n\nc'|indent(2) }}|{{ 'a\nb'|indent }}|{{ ''|indent(2) }}"),
              "a\n  b\n\n  c|a\n    b|");
}

TEST(Jinja, RunsStatements) {
    EXPECT_EQ(expanded("{% set a = 3 %}{% if a > 2 %}big{% elif a > 1 %}mid{% else %}small{% endif %}"), "big");
    EXPECT_EQ(expanded("{% for i in range(3) %}{{ i }}{{ ',' if not loop.last }}{% endfor %}"), "0,1,2");
    EXPECT_EQ(expanded("{% for k, v in {'a': 1, 'b': 2}.items() if v > 1 %}{{ k }}{% else %}none{% endfor %}"), "b");
    EXPECT_EQ(expanded("{% for i in [] %}x{% else %}none{% endfor %}"), "none");
    EXPECT_EQ(expanded("{% set t %}in {{ 1 }}{% endset %}{{ t }}{% raw %}{{ x }}{% endraw %}{# gone #}"),
              "in 1{{ x }}");
    EXPECT_EQ(expanded("a\n  {%- if true -%}\n  b\n{%- endif %}"), "ab");
    EXPECT_EQ(expanded("{% set a = 1 %}{% for i in [1] %}{% set a = 2 %}{% endfor %}{{ a }}"), "1")
        << "what a loop sets is gone behind it";
    EXPECT_EQ(expanded("{% if x is defined and x %}x{% else %}-{% endif %}", {{"x", "yes"}}), "x");
    EXPECT_EQ(expanded("{{ bits + 1 }} {{ name }}", {{"bits", "8"}, {"name", "010"}}), "9 010");
}

TEST(Jinja, SaysWhereAMistakeIs) {
    EXPECT_EQ(mistake_in("a\n b {{ x }}"), "2:4 the Jinja variable 'x' has no value and no default");
    EXPECT_EQ(mistake_in("{{ 'a' ~ x }}"), "1:8 the Jinja variable 'x' has no value and no default");
    EXPECT_EQ(mistake_in("{{ 1 +  }}"), "1:9 expected a value in the expression of Jinja, found its end");
    EXPECT_EQ(mistake_in("{{ 1 "), "1:1 the Jinja opened here does not end");
    EXPECT_EQ(mistake_in("\n{% if 1 %}"), "2:1 'if' has no 'endif'");
    EXPECT_EQ(mistake_in("{% endif %}"), "1:1 'endif' without its beginning");
    EXPECT_EQ(mistake_in("{% macro f() %}{% endmacro %}"),
              "1:1 the Jinja statement 'macro' is not supported; known are set, if, for, include, assert and raw");
    EXPECT_EQ(mistake_in("{{ 1 / 0 }}"), "1:6 division by 0");
    EXPECT_EQ(mistake_in("{{ 'a' + 1 }}"), "1:8 '+' of a text and a number has no meaning");
    EXPECT_EQ(mistake_in("{{ 9223372036854775807 + 1 }}"), "1:24 the result does not fit in 64 bits");
    EXPECT_NE(mistake_in("{{ 'a'|uper }}").find("did you mean 'upper'"), std::string::npos);
    EXPECT_NE(mistake_in("{{ open('x') }}").find("function 'open' is not supported"), std::string::npos);
    EXPECT_NE(mistake_in("{{ include_text('none') }}").find("'none' to include does not exist"), std::string::npos);
}

TEST(Jinja, HasLimits) {
    EXPECT_NE(
        mistake_in("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}").find("too m"),
        std::string::npos);
    EXPECT_NE(mistake_in("{{ range(1000000) }}").find("too long"), std::string::npos);
    EXPECT_NE(mistake_in(std::string(5000, '(').insert(0, "{{") + "}}").find("too deeply"), std::string::npos);
    std::string nested;
    for (int i = 0; i < 100; ++i) nested += "{% set l = [l, l] %}";
    EXPECT_NE(mistake_in("{% set l = [] %}" + nested + "{{ l }}").find("too deeply"), std::string::npos);
    std::string doubled = "{% set t = 'tttttttttttttttttttttttttttttttttttttttt' %}";
    for (int i = 0; i < 40; ++i) doubled += "{% set t = t ~ t %}";
    EXPECT_NE(mistake_in(doubled).find("1 MiB"), std::string::npos);
    std::string ifs;
    for (int i = 0; i < 100; ++i) ifs += "{% if 1 %}";
    EXPECT_NE(mistake_in(ifs).find("too deeply"), std::string::npos);
}

class Including : public testing::Test {
   protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("tilewright_jinja_" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) + "_" +
                   testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_ / "top" / "parts");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) { write_file(folder_ / name, text); }
    yaml::Source read(const std::string& text, const Settings& settings = {}) {
        return expand(text, (folder_ / "top" / "t.jinja").string(), settings);
    }
    std::string mistake(const std::string& text) {
        try {
            (void)yaml::parse(read(text));
        } catch (const InputError& error) {
            return std::filesystem::path(error.where().file).filename().string() + ":" +
                   std::to_string(error.where().line) + " " + error.message();
        }
        return "no mistake";
    }

    std::filesystem::path folder_;
};

TEST_F(Including, TakesValuesFromOtherFiles) {
    write("top/parts/a.yaml", "compound-components:\n  classes: [{name: a}]\nsize: {{ n * 2 }}\n");
    write("top/parts/b.yaml", "compound-components:\n  classes: [{name: b}, {name: c}]\n");
    const yaml::Node root = yaml::parse(
        read("{% set n = 4 %}{{add_to_path(cwd() ~ '/parts')}}\nall: {{include_all('*.yaml', "
             "'compound_components.classes')}}\nsize: {{include('a.yaml', 'size')}}\nwhole: !include parts/a.yaml\n"));
    EXPECT_EQ(root.at("all").items().size(), 3U);
    EXPECT_EQ(root.at("all").items()[2].at("name").text(), "c");
    EXPECT_EQ(root.at("size").integer(), 8);
    EXPECT_EQ(root.at("whole").at("size").integer(), 8);
    EXPECT_EQ(root.at("all").items()[2].where().line, 2) << "places stay those of the included file";
    EXPECT_EQ(std::filesystem::path(root.at("all").items()[2].where().file).filename(), "b.yaml");
}

TEST_F(Including, TakesTextAndAnchors) {
    write("base.yaml", "base: &base\n  a: 1\n");
    const yaml::Node root = yaml::parse(read("{{include_text('../base.yaml')}}\nuse:\n  <<: *base\n  b: 2\n"));
    EXPECT_EQ(root.at("use").at("a").integer(), 1);
    const yaml::Node tagged = yaml::parse(read("!include ../base.yaml # first\nuse: *base\n"));
    EXPECT_EQ(tagged.at("use").at("a").integer(), 1);
}

TEST_F(Including, ReadsOnlyFromTheFoldersGiven) {
    write("top/parts/a.yaml", "a: 1\n");
    EXPECT_NE(mistake("{{include_text('/etc/passwd')}}").find("is not in a folder that was given"), std::string::npos);
    EXPECT_NE(mistake("{{include_text('../../../../../../../etc/passwd')}}").find("not in a folder"),
              std::string::npos);
    EXPECT_EQ(read("{{ path_exists('/etc/passwd') }} {{ path_exists('parts/a.yaml') }}").text, "False True");
    std::filesystem::create_symlink("/etc", folder_ / "top" / "link");
    EXPECT_NE(mistake("{{include_text('link/passwd')}}").find("not in a folder"), std::string::npos);
    EXPECT_EQ(read("{{ path_exists('/etc') }}", {{}, {"/etc"}}).text, "True");
}

TEST_F(Including, SaysWhereAMistakeOfAnIncludedFileIs) {
    write("top/parts/a.yaml", "a: 1\nb: {{ missing }}\n");
    write("top/parts/c.yaml", "c:\n  {{include_text('c.yaml')}}\n");
    EXPECT_EQ(mistake("x: {{include('parts/a.yaml', 'a')}}"),
              "a.yaml:2 the Jinja variable 'missing' has no value and no default");
    EXPECT_NE(mistake("\n{{include_text('parts/c.yaml')}}").find("c.yaml:2"), std::string::npos);
    EXPECT_NE(mistake("\n{{include_text('parts/c.yaml')}}").find("includes itself"), std::string::npos);
    write("top/parts/d.yaml", "d: 1\n");
    EXPECT_EQ(mistake("x: {{include('parts/d.yaml', 'e')}}"), "d.yaml:1 the key 'e' is missing");
}

TEST_F(Including, TakesPartsOfAnIncludedValueBehindIt) {
    write("top/parts/a.yaml", "w:\n  sizes: {M: {{ceil(N / 4) + max(1, 2)}}}\n  list: [1, 2]\n");
    const std::string text =
        "{% set N = 9 %}{{add_to_path('parts')}}{% set W = include('a.yaml', '') %}"
        "{% assert N < 10, 'too many' %}\nmap:\n  <<<: [{{W}}.w.sizes]\nlist: [{{W}}.w.list, 3]\n";
    const yaml::Node root = yaml::parse(read(text));
    EXPECT_EQ(root.at("map").at("M").integer(), 5);
    EXPECT_EQ(root.at("list").items()[0].items().size(), 2U);
    EXPECT_EQ(mistake("{% set N = 9 %}\n{% assert N < 9, 'N is ' ~ N %}"),
              "t.jinja:2 what the file asserts does not hold: N is 9");
    EXPECT_THROW(yaml::parse(read("{% set N = 9 %}{% set W = include('parts/a.yaml', '') %}x: {{W}}.w.no\n")),
                 InputError);
}

TEST_F(Including, CountsIncludedValuesOnceForEachUse) {
    write("top/parts/a.yaml", "a: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    std::string text = "{% set p = include('parts/a.yaml', 'a') %}l:\n";
    EXPECT_EQ(mistake(text + "{% for i in range(1000) %}- {{p}}\n{% endfor %}"), "no mistake");
    EXPECT_NE(mistake(text + "{% for i in range(90000) %}- [{{p}}, {{p}}, {{p}}]\n{% endfor %}"), "no mistake");
}

}  // namespace
}  // namespace tilewright::jinja::jinja_test
