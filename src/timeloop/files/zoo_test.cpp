#include "timeloop/files/zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::timeloop::zoo_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(MachineZoo, IsKnownByName) {
    EXPECT_THAT(zoo_architectures(),
                ElementsAre("a100", "b200", "b300", "eyeriss", "eyeriss-chip", "fused-npu", "gaudi3", "gb200", "gb300",
                            "gemmini", "h100", "h200", "h200-256", "h200-sxm", "k80", "l40s", "mi210", "mi300x",
                            "mi355x", "neurram", "nvdla-like", "phone-npu", "rtx-a6000", "rtx-pro-6000", "rtx4090",
                            "shidiannao-like", "simba", "simba-cosa", "simba-cosa-large", "simba15",
                            "simple-output-stationary", "simple-weight-stationary", "tpu-like", "tpu-v5e", "tpu-v6e",
                            "tpu-v7", "trainium2", "tu-isscc-2022"));
    for (const ZooMachine& machine : zoo_machines()) EXPECT_THAT(machine.description, testing::EndsWith("."));
    EXPECT_THAT(zoo_machines()[3].description, StartsWith("Eyeriss: 168 processing elements"));
}

TEST(MachineZoo, KnowsWhereItsFilesAre) {
    const yaml::Node root = zoo_architecture("eyeriss");
    EXPECT_EQ(root.at("architecture").at("version").where().file, "data/arch/eyeriss.yaml");
}

TEST(MachineZoo, SuggestsTheNearestName) {
    try {
        (void)zoo_architecture("eyeris");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::unknown_name);
        EXPECT_THAT(error.message(), HasSubstr("unknown architecture 'eyeris'; did you mean 'eyeriss'?"));
        EXPECT_THAT(error.message(), HasSubstr("tpu-like"));
    }
}

}  // namespace
}  // namespace tilewright::timeloop::zoo_test
