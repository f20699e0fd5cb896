// Arrays computing in memory beside recorded numbers: encodings and converters (../shared/golden/cim), a few of each
// here. NeuRRAM's figures, chips and charts follow from the same parts.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cim/component.hpp"
#include "cim/encoding.hpp"

namespace tilewright::cim::cim_facts_test {
namespace {

using nlohmann::json;

const std::filesystem::path kShared = "../shared/golden/cim";

json read(const std::filesystem::path& path) {
    std::ifstream in(path);
    return json::parse(in);
}

double difference(const json& one) {
    const Histogram histogram = one.at("hist");
    const std::vector<double> slices = cimloop_mean_slices(
        histogram, encoding_named(one.at("encoding").get<std::string>()).value(), one.at("bits"), one.at("per_slice"));
    EXPECT_EQ(slices.size(), one.at("slices").size());
    double largest = 0.0;
    for (std::size_t i = 0; i < slices.size(); ++i)
        largest = std::max(largest, std::abs(slices[i] - one["slices"][i].get<double>()));
    return largest;
}

double distance(double ours, const json& theirs) { return std::abs(ours / theirs.get<double>() - 1.0); }

double converter_distance(const json& one) {
    const ConverterCost ours =
        surveyed_converter(one.at("bits"), one.at("tech").get<double>() * 1e9, one.at("rate"), one.at("n"));
    return std::max({distance(ours.conversion_pj * 1e-12, one.at("action")), distance(ours.leak_w, one.at("leak")),
                     distance(ours.area_um2 * 1e-12, one.at("area"))});
}

TEST(CimFacts, EncodingsAreCimloops) {
    const json facts = read("tests/golden/cim_facts.json");
    EXPECT_EQ(facts.at("encodings").size(), 14U);
    for (const json& one : facts.at("encodings")) EXPECT_LT(difference(one), 1e-13) << one.at("encoding");
    json wrong = facts.at("encodings")[0];
    wrong["slices"][0] = wrong["slices"][0].get<double>() + 1e-6;
    EXPECT_GT(difference(wrong), 1e-7);
}

TEST(CimFacts, ConvertersAreTheSurveys) {
    const json facts = read("tests/golden/cim_facts.json");
    EXPECT_EQ(facts.at("converters").size(), 6U);
    for (const json& one : facts.at("converters")) EXPECT_LT(converter_distance(one), 1e-12);
}

TEST(CimFacts, AllEncodings) {
    if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "skipped: there is no folder " << kShared;
    const json all = read(kShared / "encodings.json");
    double largest = 0.0;
    for (const json& one : all) largest = std::max(largest, difference(one));
    EXPECT_LT(largest, 1e-13);
    EXPECT_EQ(all.size(), 80U);
    std::cout << all.size() << " encodings, largest difference " << largest << "\n";
}

TEST(CimFacts, AllConverters) {
    if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "skipped: there is no folder " << kShared;
    const json all = read(kShared / "converters.json");
    double largest = 0.0;
    for (const json& one : all) largest = std::max(largest, converter_distance(one));
    EXPECT_LT(largest, 1e-12);
    EXPECT_EQ(all.size(), 60U);
    std::cout << all.size() << " converters, largest relative difference " << largest << "\n";
}

}  // namespace
}  // namespace tilewright::cim::cim_facts_test
