// Every available machine and layer shipped with ZigZag loads. Redistribution is not permitted, so the files are no
// part of the project.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "zigzag/files/load.hpp"
#include "zigzag/files/mapping.hpp"

namespace tilewright::zigzag::examples_test {
namespace {

class ZigzagExamples : public testing::Test {
   protected:
    void SetUp() override {
        for (const char* place : {"shared", "../shared", "../../shared"})
            if (std::filesystem::is_directory(std::filesystem::path(place) / "examples/zigzag"))
                examples_ = std::filesystem::path(place) / "examples/zigzag";
        if (examples_.empty()) GTEST_SKIP() << "ZigZag's examples (shared/examples/zigzag) are not here";
    }

    std::vector<std::filesystem::path> files(const char* folder) const {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(examples_ / folder))
            if (entry.path().extension() == ".yaml") found.push_back(entry.path());
        std::sort(found.begin(), found.end());
        return found;
    }

    std::filesystem::path examples_;
};

TEST_F(ZigzagExamples, MachinesLoad) {
    EXPECT_EQ(files("hardware").size(), 11U);
    for (const auto& file : files("hardware")) {
        const Accelerator accelerator = read_accelerator(load(file).root);
        EXPECT_GT(accelerator.units, 1) << file;
        EXPECT_EQ(accelerator.allocation_order.size(), accelerator.memories.size()) << file;
    }
}

TEST_F(ZigzagExamples, LayersLoad) {
    EXPECT_EQ(files("workload").size(), 2U);
    for (const auto& file : files("workload"))
        for (const WorkloadLayer& one : read_workload(load(file).root)) EXPECT_EQ(problem_with(one.layer), "") << file;
}

TEST_F(ZigzagExamples, MappingsLoad) {
    EXPECT_EQ(files("mapping").size(), 14U);
    for (const auto& file : files("mapping")) {
        std::string machine = file.stem().string();
        if (const std::size_t mixed = machine.find("_mixed"); mixed != std::string::npos) machine.erase(mixed);
        if (machine == "meta_prototype_like") machine = "meta_prototype";
        if (machine == "default") machine = "tpu_like";
        if (machine == "default_imc") machine = "aimc";
        const Accelerator accelerator = read_accelerator(load(examples_ / "hardware" / (machine + ".yaml")).root);
        EXPECT_FALSE(read_mappings(load(file).root, accelerator).empty()) << file;
    }
}

}  // namespace
}  // namespace tilewright::zigzag::examples_test
