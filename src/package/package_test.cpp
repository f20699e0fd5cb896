#include <gmock/gmock.h>

#include "base/error.hpp"
#include "package/file.hpp"
#include "package/network.hpp"
#include "package/plan_text.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::package {
namespace {

constexpr const char* kCores = R"(package:
  mesh: [2, 2]
  chiplet: [1, 2]
  kinds:
    simple: {lanes: {n: 4}, buffer_words: 16, read: 1, write: 2, operation: 3}
  cores: {kind: simple, at: all}
  link: {words_per_cycle: 2, energy: 1, latency: 1}
  d2d: {words_per_cycle: 1, energy: 5, latency: 8}
  dram: [{at: [0, 0], words_per_cycle: 2, read: 10, write: 10}]
)";

Package read(const std::string& text) {
    return read_package(yaml::parse_text(text, "p.yaml"), [](const std::string& name) -> Architecture {
        throw InputError(ErrorCode::unknown_name, {}, "no machine is called '" + name + "'");
    });
}

std::string with(const std::string& old, const std::string& now) {
    std::string text = kCores;
    return text.replace(text.find(old), old.size(), now);
}

std::string error_of(const std::string& text) {
    try {
        static_cast<void>(read(text));
    } catch (const InputError& error) {
        const Location& at = error.where();
        return at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + error.message();
    }
    return "no error";
}

Cascade products() {
    return parse_cascade(
        "size m=4, k=2, n=2, l=2; first: T1[m,n] += T0[m,k] * W1[k,n]; second: T2[m,l] += T1[m,n] * W2[n,l]");
}

std::string plan_error(const std::string& text) {
    try {
        static_cast<void>(parse_plan(text, products(), 4, "a.plan"));
    } catch (const InputError& error) {
        const Location& at = error.where();
        return at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + error.message();
    }
    return "no error";
}

TEST(PackageFile, CoresAlongASnake) {
    const Package package = read(kCores);
    ASSERT_EQ(package.core_count(), 4);
    EXPECT_EQ(package.cores[2].at, (Place{1, 1}));
    EXPECT_EQ(package.kinds.front().lanes.at("n"), 4);
}

TEST(PackageFile, ErrorsAtTheirPlace) {
    EXPECT_THAT(error_of(with("read: 10, write", "reads: 10, write")), testing::StartsWith("p.yaml:9:"));
    EXPECT_THAT(error_of(with("mesh: [2, 2]", "mesh: [2]")), testing::HasSubstr("p.yaml:2:10: expected two numbers"));
    EXPECT_THAT(error_of(with("kind: simple", "kind: simpel")), testing::HasSubstr("did you mean 'simple'"));
    EXPECT_THAT(error_of(with("kind: simple", "architecture: x")), testing::HasSubstr("no machine is called 'x'"));
    EXPECT_THAT(error_of(with("at: [0, 0]", "at: [5, 0]")), testing::HasSubstr("outside the mesh"));
    EXPECT_THAT(error_of(with("words_per_cycle: 1,", "words_per_cycle: 0,")), testing::HasSubstr("p.yaml:8:"));
}

TEST(PackageNetwork, TreesGoXFirst) {
    const Package package = read(kCores);
    const Network network(package);
    // From core 0 at (0,0) to core 2 at (1,1): out, between chiplets along x, within a chiplet along y, in.
    const Tree& tree = network.tree(0, NodeSet{1} << 2);
    EXPECT_EQ(tree.links.size(), 4U);
    EXPECT_EQ(tree.energy_pj, 6.0);
    EXPECT_EQ(tree.d2d_pj, 5.0);
    EXPECT_EQ(tree.latency_cycles, 9);
    // Core 1 lies on the way.
    EXPECT_EQ(network.tree(0, NodeSet{1} << 2 | NodeSet{1} << 1).energy_pj, 6.0);
}

TEST(PlanText, ThereAndBack) {
    const std::string text =
        "run m by 2\n  stage first on 0..1 split k/2 sums scatter n stream W1\n  stage second on 2\n";
    EXPECT_EQ(to_text(parse_plan(text, products(), 4), products()), text);
}

TEST(PlanText, ErrorsAtTheirPlace) {
    EXPECT_THAT(plan_error("run z by 2\n  stage first on 0\n"), testing::HasSubstr("a.plan:1:5: 'z' is no dimension"));
    EXPECT_THAT(plan_error("run m by 2\n  stage frist on 0\n"), testing::HasSubstr("did you mean 'first'"));
    EXPECT_THAT(plan_error("run m by 2\n  stage second on 0\n"), testing::HasSubstr("expected 'first'"));
    EXPECT_THAT(plan_error("run m by 2\n  stage first on 7\n"),
                testing::HasSubstr("a.plan:2:18: there are cores 0 to 3"));
    EXPECT_THAT(plan_error("run m by 2\n  stage first on 0 split q/2\n"), testing::HasSubstr("has no dimension 'q'"));
    EXPECT_THAT(plan_error("run m by 2\n  stage first on 0 stream X\n"), testing::HasSubstr("reads no tensor 'X'"));
    EXPECT_THAT(plan_error("run m by\n"), testing::HasSubstr("expected the size of a step"));
    EXPECT_THAT(plan_error("stage first on 0\n"), testing::HasSubstr("before the first 'run'"));
}

}  // namespace
}  // namespace tilewright::package
