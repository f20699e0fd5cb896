#include "timeloop/additions/additions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tilewright::timeloop::device_test {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text) {
    try {
        read_device(yaml::parse_text(text, "m.yaml"));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Device, IsReadAsWritten) {
    EXPECT_EQ(read_device(yaml::parse_text("architecture: {}", "m.yaml")), Device{});
    const Device device = read_device(
        yaml::parse_text("device: {memory_bytes: 80.0e9, links: {bytes_per_us: 450.0e3, latency_us: 1.5}}", "m.yaml"));
    EXPECT_EQ(device.memory_bytes, 80e9);
    EXPECT_EQ(device.links, (Links{450e3, 1.5, 0.0}));
    EXPECT_EQ(read_device(yaml::parse_text("device: {power_watts: 700}", "m.yaml")).power_watts, 700.0);
}

TEST(Device, SaysWhereItIsWrong) {
    EXPECT_THAT(refusal("device: {memory_bytes: 0}"), HasSubstr("m.yaml:1:24: error: expected a number above 0"));
    EXPECT_THAT(refusal("device: {links: {bytes_per_us: 5}}"), HasSubstr("latency_us"));
    EXPECT_THAT(refusal("device: {links: {bytes_per_us: 5, latency_us: -1}}"), HasSubstr("at least 0"));
    EXPECT_THAT(refusal("device: {power_watts: 0}"), HasSubstr("m.yaml:1:23: error: expected a number above 0"));
    EXPECT_THAT(refusal("device: {link: {}}"), HasSubstr("did you mean 'links'"));
}

}  // namespace
}  // namespace tilewright::timeloop::device_test
