#include "report/page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/page/data.hpp"

namespace tilewright::page::page_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "</script></noscript><script>alert(1)</script><img src=x onerror=alert(2)>\"'&";

// The hashes of FIPS 180-4's examples, in base64.
TEST(Sha256, AsPublished) {
    EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    EXPECT_EQ(sha256_base64("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
    EXPECT_EQ(sha256_base64(std::string(1000000, 'a')), "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
}

TEST(Markup, NumbersForPeople) {
    EXPECT_EQ(count_text(1234567), "1,234,567");
    EXPECT_EQ(count_text(0.5), "0.50");
    EXPECT_EQ(count_text(1234.5), "1,234.50");
    EXPECT_EQ(si_text(1.5e-6, "J"), "1.5 uJ");
}

TEST(Markup, LongTablesSayWhatIsLeftOut) {
    const std::string text = table("t", {{"a"}, {"b", true}}, {{"1", "2"}, {"3"}, {"4"}}, 2);
    EXPECT_THAT(text, HasSubstr("and 1 more"));
    EXPECT_THAT(text, Not(HasSubstr("<td>4</td>")));
}

// A run in which every name is hostile.
views::Document hostile() {
    views::Run run;
    run.title = run.network = run.architecture = run.file = run.accounting = kHostile;
    run.inputs = {{kHostile, kHostile}};
    run.options = {{kHostile, kHostile}};
    run.notes = {kHostile};
    run.units = 4;
    run.memories = {{kHostile, 1.0, 2.0, {}, {}, {}}};
    views::Layer layer;
    layer.name = layer.op = layer.einsum = kHostile;
    layer.same_shape = {kHostile};
    layer.tensors = {{kHostile, 4, false}};
    layer.nest = {document::StoreLine{kHostile, {kHostile}}, document::LoopLine{kHostile, 4, 3, LoopKind::spatial_x}};
    views::Costs& costs = layer.costs.emplace();
    costs.computes = costs.cycles = costs.energy_pj = 10;
    costs.bound = kHostile;
    costs.memories = {{kHostile, 1, 1, {{kHostile, 1, 2, 3, 4, 5, 6, 7}}}};
    costs.cycle_parts = {{kHostile, 10}};
    layer.front = {{1, 2, layer.nest, {}}};
    layer.search.emplace().claim = kHostile;
    run.layers = {layer};
    run.unmapped = {{kHostile, kHostile, kHostile}};
    report::Table table({kHostile}, "l");
    table.add({kHostile});
    return {
        kHostile, {run, run}, {}, {}, {{kHostile, {{kHostile, kHostile, kHostile}}, {{kHostile, table}}, {kHostile}}}};
}

std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

TEST(Page, NamesAreNeverMarkup) {
    const std::string page = html({hostile()}, {"p {}", "let a = 1;"});
    EXPECT_EQ(count_of(page, "<script"), 2U);  // the values and the program
    EXPECT_EQ(count_of(page, "</script"), 2U);
    EXPECT_EQ(count_of(page, "</noscript>"), 1U);
    EXPECT_EQ(count_of(page, "<img"), 0U);
    EXPECT_EQ(count_of(page, "<style"), 1U);
    const std::string plain = html({hostile()}, {"p {}", ""});
    EXPECT_EQ(count_of(plain, "<script"), 0U);
    EXPECT_EQ(count_of(plain, "<img"), 0U);
}

TEST(Page, ValuesComeBackAsTheyWere) {
    const std::string page = html({hostile()}, {"p {}", "let a = 1;"});
    const std::string open = "id=\"data\">";
    const std::size_t begin = page.find(open) + open.size();
    const nlohmann::json data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
    EXPECT_EQ(data["runs"][0]["layers"][0]["name"], kHostile);
    const nlohmann::json loop{{"loop", kHostile}, {"extent", 4}, {"remainder", 3}, {"kind", "spatial_x"}};
    EXPECT_EQ(data["runs"][0]["layers"][0]["mapping"][1], loop);
    EXPECT_EQ(data["headlines"][0]["tables"][0]["rows"][0][0], kHostile);
    EXPECT_GT(data["figures"].size(), 5U);
}

TEST(Page, WithoutRunsItsTitleIsThatOfWhatItShows) {
    views::Document document;
    document.headlines = {{"a model on a machine", {{"Energy", "1 J", "of all"}}, {}}};
    const std::string page = html({document}, {"p {}", ""});
    EXPECT_THAT(page, HasSubstr("<h1>a model on a machine</h1>"));
    EXPECT_THAT(page, HasSubstr("<dd class=\"value\">1 J</dd>"));
}

TEST(Page, ThePolicyAllowsOnlyOurScriptAndStyle) {
    const std::string page = html({hostile()}, {"p {}", "let a = 1;"});
    EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-" + sha256_base64("let a = 1;") +
                                "'; style-src 'sha256-" + sha256_base64("p {}") + "'"));
    EXPECT_THAT(page, Not(HasSubstr("unsafe")));
    EXPECT_THAT(html({hostile()}, {"p {}", ""}), HasSubstr("script-src 'none'"));
}

TEST(Page, WithoutNodeItSaysSoAndHasTablesAndPictures) {
    const std::string page = html({hostile()}, {"p {}", ""});
    EXPECT_THAT(page, HasSubstr("built without node"));
    EXPECT_GT(count_of(page, "<svg"), 5U);
    EXPECT_GT(count_of(page, "<table"), 5U);
    EXPECT_THAT(html({hostile()}, {"p {}", "let a = 1;"}), Not(HasSubstr("built without node")));
}

TEST(Page, EqualRunsGiveEqualBytes) { EXPECT_EQ(html({hostile()}, assets()), html({hostile()}, assets())); }

TEST(Page, ThereIsAStyle) { EXPECT_THAT(assets().style, HasSubstr("@media print")); }

}  // namespace
}  // namespace tilewright::page::page_test
