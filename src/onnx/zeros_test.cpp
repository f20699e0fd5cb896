// tests/data/onnx/zeros.onnx is made by tools/make_onnx.py, the place to read its contents.
#include "onnx/weights/zeros.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>

#include "base/files/file.hpp"
#include "onnx/onnx.hpp"
#include "onnx/weights/stored.hpp"

namespace tilewright::onnx::zeros_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::map<std::string, CountedWeights> counted_by_layer(const std::filesystem::path& path) {
    std::vector<CountedWeights> all;
    const Network network = read_onnx(path, {.dimensions = {}, .notes = nullptr, .weights = &all});
    std::map<std::string, CountedWeights> by_layer;
    for (const CountedWeights& one : all) {
        EXPECT_EQ(network.layers.at(one.layer).einsum.tensors.at(one.tensor).name, "Weights");
        by_layer[network.layers[one.layer].name] = one;
    }
    return by_layer;
}

TEST(OnnxZeros, AreCountedWhereWeightsAreStored) {
    const auto counted = counted_by_layer("tests/data/onnx/zeros.onnx");
    const auto check = [&](const std::string& layer, const std::string& name, std::int64_t nonzero,
                           std::int64_t elements) {
        SCOPED_TRACE(layer);
        const CountedWeights& one = counted.at(layer);
        EXPECT_EQ(one.uncounted, "");
        EXPECT_EQ(one.name, name);
        EXPECT_EQ(one.nonzero, nonzero);
        EXPECT_EQ(one.elements, elements);
    };
    check("two_thirds", "third", 96, 144);
    check("a_quarter", "raw", 4, 16);
    check("half_at_three", "stored", 30, 60);
    check("a_third_by_column", "b", 14, 42);
    EXPECT_FALSE(counted.contains("no_weights"));
    EXPECT_EQ(counted.at("computed").uncounted, "they are computed by node 'floats' (Cast)");
    EXPECT_EQ(counted.at("not_there").uncounted, "'elsewhere' lies in 'weights.bin', which has no such bytes");
}

TEST(OnnxZeros, ValuesMayLieBesideTheModel) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "onnx_zeros";
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file("tests/data/onnx/zeros.onnx", folder / "zeros.onnx",
                               std::filesystem::copy_options::overwrite_existing);
    std::string bytes(42 * sizeof(float), '\0');
    bytes[3] = '\x40';  // of the first, the sign and the exponent
    bytes[7] = '\x80';  // -0
    write_file(folder / "weights.bin", bytes);
    const CountedWeights one = counted_by_layer(folder / "zeros.onnx").at("not_there");
    EXPECT_EQ(one.uncounted, "");
    EXPECT_EQ(one.nonzero, 1);
    EXPECT_EQ(one.elements, 42);
    std::filesystem::remove_all(folder);
}

pb::TensorProto tensor(std::int32_t type, std::int64_t elements) {
    pb::TensorProto one;
    one.set_data_type(type);
    one.add_dims(elements);
    return one;
}

TEST(OnnxZeros, HalfBytesAreReadFromTheLowerHalf) {
    pb::TensorProto packed = tensor(22, 3);  // int4
    packed.set_raw_data(std::string("\xf0\x01", 2));
    const Stored numbers(packed, "");
    ASSERT_EQ(numbers.problem(), "");
    EXPECT_EQ(numbers.integer(0), 0);
    EXPECT_EQ(numbers.integer(1), -1);
    EXPECT_EQ(numbers.integer(2), 1);
}

TEST(OnnxZeros, TensorsThatHoldSomethingElseThanTheirShapeSaysAreNotCounted) {
    EXPECT_EQ(Stored(tensor(1, 4), "").problem(), "holds no values");
    pb::TensorProto few = tensor(1, 4);
    few.add_float_data(1.0F);
    EXPECT_EQ(Stored(few, "").problem(), "holds 1 values where its shape has 4");
    EXPECT_EQ(Stored(tensor(8, 4), "").problem(), "holds no plain numbers") << "strings";
    EXPECT_EQ(Stored(tensor(1, -1), "").problem(), "has a shape without a size");
    pb::TensorProto outside = tensor(1, 1);
    outside.set_data_location(pb::TensorProto_DataLocation_EXTERNAL);
    pb::StringStringEntryProto& entry = *outside.add_external_data();
    entry.set_key("location");
    for (const char* path : {"../weights.bin", "/etc/passwd", ""}) {
        entry.set_value(path);
        EXPECT_THAT(Stored(outside, "").problem(), StartsWith("says no place in a file below")) << path;
    }
    entry.set_value("weights.bin");
    EXPECT_THAT(Stored(outside, "nowhere").problem(), HasSubstr("has no such bytes"));
}

}  // namespace
}  // namespace tilewright::onnx::zeros_test
