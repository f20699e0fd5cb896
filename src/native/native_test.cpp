#include <gtest/gtest.h>

#include "native/certificates/certificate.hpp"
#include "native/problem.hpp"
#include "workload/shapes.hpp"

namespace tilewright::native::native_test {
namespace {

// Every number differs from its default.
Link link() {
    Link link;
    link.kind = NetworkKind::simple_multicast;
    link.word_bits = 12;
    link.energy_per_hop_pj = 0.1;
    link.wire_energy_pj_per_bit_mm = 0.2;
    link.router_energy_pj = 0.3;
    link.tile_width_um = 40.0;
    link.adder_energy_pj = 0.5;
    link.multicast_energy_pj = {{1, 0.6}, {4, 0.7}};
    link.fill_latency_cycles = 8;
    link.drain_latency_cycles = 9;
    return link;
}

Memory memory(std::string name, Mesh mesh) {
    Memory m;
    m.name = std::move(name);
    m.mesh = mesh;
    m.instances = mesh.size();
    m.word_bits = 24;
    m.block_words = 3;
    m.cluster_size = mesh.size();
    m.capacity_words = 1000;
    m.multiple_buffering = 2.0;
    m.min_utilization = 0.1;
    m.read_words_per_cycle = 1.0 / 3.0;
    m.write_words_per_cycle = 0.7;
    m.shared_words_per_cycle = 1e-3;
    m.bandwidth_scale = {{"Weights", 0.5}};
    m.energy = {{1.1, ""}, {2.2, ""}, {3.3, ""}, {4.4, ""}};
    m.address_energy_pj = 5.5;
    m.area_um2.value = 6.6;
    m.reduces = false;
    m.power_gated_at = "outer";
    m.link = link();
    m.update_link = link();
    return m;
}

Architecture machine() {
    Architecture a;
    a.name = "machine";
    a.cycle_seconds = 2e-9;
    a.memories = {memory("outer", {1, 1}), memory("inner", {2, 3})};
    a.compute.word_bits = 7;
    a.compute.mesh = {4, 6};
    a.compute.instances = 24;
    a.compute.energy_pj.value = 0.123456789012345678;
    a.compute.leak_pj_per_cycle.value = 7.7;
    a.compute.area_um2.value = 8.8;
    return a;
}

Constraints constraints(const Einsum& einsum) {
    Constraints constraints;
    constraints.min_parallelism = 0.25;
    constraints.levels.resize(2);
    LevelConstraint& level = constraints.levels[1];
    level.temporal.factors.resize(einsum.dimensions.size());
    level.temporal.factors[0] = {2, 1, std::nullopt};
    level.temporal.factors[1] = {std::nullopt, 2, 4};
    level.temporal.inner = {1};
    level.temporal.outer = {0, 2};
    level.spatial.split = 3;
    level.spatial.remainders = 5;
    level.must_keep = TensorSet::of(0);
    level.must_bypass = TensorSet::of(2);
    return constraints;
}

certificate::Certificate sample() {
    certificate::Certificate certificate;
    certificate.tool_version = "1.2.3";
    certificate.model_version = 4;
    certificate.network = "net";
    certificate.unclaimed = {"c"};
    certificate.mapping_hash = "0123";
    certificate.machine = machine();
    certificate::Claim claim;
    claim.names = {"a", "b \"quoted\""};
    claim.einsum = conv2d(4, 4, 4, 3, 2);
    claim.constraints = constraints(claim.einsum);
    claim.objective = "energy^2*latency";
    claim.answers = {
        {mapping_of({{TensorSet::all(3), {{0, 4, 4, LoopKind::temporal}}, {{1, 2, 1, LoopKind::spatial_y}}},
                     {TensorSet::of(1), {}, {}}}),
         {0.1 + 0.2, 12.0}}};
    claim.score = 1e300;
    claim.bound = 1.0 / 3.0;
    claim.outline = {5, "digest", "w4 f1"};
    certificate.claims = {claim};
    return certificate;
}

TEST(Native, ACertificateReadsBackBitForBit) {
    const std::string text = write_certificate(sample());
    const CertificateFile file = read_certificate(yaml::parse_text(text, "certificate.json"));
    EXPECT_TRUE(file.seal_holds);
    EXPECT_EQ(file.certificate.machine, sample().machine);
    EXPECT_EQ(file.certificate.network, "net");
    EXPECT_EQ(file.certificate.unclaimed, sample().unclaimed);
    EXPECT_EQ(file.certificate.mapping_hash, "0123");
    const certificate::Claim& claim = file.certificate.claims.at(0);
    const certificate::Claim expected = sample().claims.at(0);
    EXPECT_EQ(claim.names, expected.names);
    EXPECT_EQ(claim.einsum, expected.einsum);
    EXPECT_EQ(claim.constraints, expected.constraints);
    EXPECT_EQ(claim.answers, expected.answers);
    EXPECT_EQ(claim.score, expected.score);
    EXPECT_EQ(claim.bound, expected.bound);
    EXPECT_EQ(claim.outline, expected.outline);
    EXPECT_EQ(write_certificate(file.certificate), text);
}

TEST(Native, PlacesAreThoseOfTheFile) {
    const CertificateFile file = read_certificate(yaml::parse_text(write_certificate(sample()), "certificate.json"));
    EXPECT_EQ(file.places.at("schema"), (Location{"certificate.json", 2, 13}));
    EXPECT_GT(file.places.at("layers.0.answers.0.mapping").line, file.places.at("layers.0.answers.0.cycles").line);
}

TEST(Native, TheSealBreaksWithAnyNumber) {
    std::string text = write_certificate(sample());
    const std::size_t at = text.find("\"shared_words_per_cycle\": 0.001");
    ASSERT_NE(at, std::string::npos);
    text.insert(at + 31, "1");
    EXPECT_FALSE(read_certificate(yaml::parse_text(text)).seal_holds);
}

void expect_error(const std::string& from, const std::string& to, ErrorCode code) {
    std::string text = write_certificate(sample());
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    try {
        read_certificate(yaml::parse_text(text, "certificate.json"));
        FAIL() << to << " was read";
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        EXPECT_GT(error.where().line, 0) << "the place is known: " << error.what();
    }
}

TEST(Native, BadValuesAreRefusedWhereTheyStand) {
    expect_error("\"instances\": 6", "\"instances\": 7", ErrorCode::bad_value);
    expect_error("\"x\": 4", "\"x\": 4000000000", ErrorCode::overflow);
    expect_error("\"read_pj\": 1.1", "\"read_pj\": -1.1", ErrorCode::bad_value);
    expect_error("\"write_words_per_cycle\": 0.7", "\"write_words_per_cycle\": 0", ErrorCode::bad_value);
    expect_error("\"factors\": []", "\"factors\": null", ErrorCode::wrong_type);
    expect_error("\"block_words\"", "\"blocks\"", ErrorCode::missing_key);
    expect_error("\"simple_multicast\"", "\"simple\"", ErrorCode::bad_value);
    expect_error("\"store\": \"outer\"", "\"store\": \"DRAM\"", ErrorCode::unknown_level);
    expect_error("\"tilewright-certificate/2\"", "\"tilewright-certificate/1\"", ErrorCode::unsupported);
}

TEST(Native, WhatSaysNothingIsMalformed) {
    const std::string text = write_certificate(sample());
    const auto indented = [&text](const std::string& key, const std::string& next) {
        const std::size_t at = text.find(key);
        return text.substr(at, text.find(next, at) + next.size() - at);
    };
    const std::string exactly = indented("\"exactly\": 2", "\"at_least\": 1");
    const std::string most = indented("\"at_least\": 2", "\"at_most\": 4");
    expect_error(exactly, "\"exactly\": 1, \"at_least\": 2", ErrorCode::bad_value);
    expect_error(exactly, "\"exactly\": 0, \"at_least\": 1", ErrorCode::bad_value);
    expect_error(exactly, "\"exactly\": 5, \"at_least\": 1", ErrorCode::bad_value);
    expect_error(most, "\"at_least\": 1, \"at_most\": 0", ErrorCode::bad_value);
    expect_error(most, "\"at_least\": 3, \"at_most\": 2", ErrorCode::bad_value);
    expect_error(most, "\"at_least\": 99, \"at_most\": null", ErrorCode::bad_value);
    expect_error("\"remainders\": 5", "\"remainders\": 0", ErrorCode::bad_value);
    expect_error("\"min_parallelism\": 0.25", "\"min_parallelism\": 1.25", ErrorCode::bad_value);
    expect_error("\"b \\\"quoted\\\"\"", "\"a\"", ErrorCode::duplicate_key);
    expect_error("\"c\"", "\"a\"", ErrorCode::duplicate_key);
    certificate::Certificate nothing = sample();
    nothing.claims.clear();
    EXPECT_THROW(read_certificate(yaml::parse_text(write_certificate(nothing), "c.json")), InputError);
    certificate::Certificate nameless = sample();
    nameless.claims[0].names.clear();
    EXPECT_THROW(read_certificate(yaml::parse_text(write_certificate(nameless), "c.json")), InputError);
    certificate::Certificate contradiction = sample();
    contradiction.claims[0].constraints.levels[1].must_bypass.add(0);
    EXPECT_THROW(read_certificate(yaml::parse_text(write_certificate(contradiction), "c.json")), InputError);
}

TEST(Native, DifferencesAreNamed) {
    Architecture other = machine();
    EXPECT_EQ(difference(machine(), other), "");
    EXPECT_EQ(hash_of(machine()), hash_of(other));
    other.memories[1].energy.read_pj.value = 2.25;
    EXPECT_EQ(difference(machine(), other), "memories.1.read_pj: 1.1, not 2.25");
    EXPECT_NE(hash_of(machine()), hash_of(other));
    other.memories.pop_back();
    EXPECT_NE(difference(other, machine()).find(": nothing, not "), std::string::npos);
    EXPECT_NE(difference(conv2d(4, 4, 4, 3, 2), conv2d(4, 4, 4, 3, 1)), "");
    const Einsum einsum = conv2d(4, 4, 4, 3, 2);
    EXPECT_EQ(difference(constraints(einsum), constraints(einsum), einsum), "");
    EXPECT_NE(difference(constraints(einsum), {}, einsum), "");
}

TEST(Native, ProblemsThatDifferOnlyInNamesAreOne) {
    const LayerProblem problem{conv2d(4, 4, 4, 3, 2), machine(), constraints(conv2d(4, 4, 4, 3, 2))};
    LayerProblem renamed = problem;
    renamed.einsum.name = "other";
    renamed.einsum.tensors[0].name = "filters";
    for (Memory& one : renamed.architecture.memories) {
        one.bandwidth_scale = {{"filters", 0.5}};
        one.power_gated_at = "first";
    }
    renamed.architecture.memories[0].name = "first";
    EXPECT_NE(to_text(renamed), to_text(problem));
    EXPECT_EQ(to_text(without_names(renamed)), to_text(without_names(problem)));
    renamed.architecture.memories[1].energy.fill_pj.value += 1e-12;
    EXPECT_NE(to_text(without_names(renamed)), to_text(without_names(problem)));
}

}  // namespace
}  // namespace tilewright::native::native_test
