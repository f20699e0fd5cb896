// Every available public file of this format loads, and both spellings of a design (its authors' and the dump of
// Timeloop's front end) mean the same. Redistribution is not permitted, so the files are no part of the project.
#include <gtest/gtest.h>

#include <algorithm>

#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/problem/problem.hpp"

namespace tilewright::timeloop::examples_test {
namespace {

using Paths = std::vector<std::filesystem::path>;

class PublicExamples : public testing::Test {
   protected:
    void SetUp() override {
        for (const char* place : {"shared", "../shared", "../../shared"})
            if (std::filesystem::is_directory(std::filesystem::path(place) / "examples/timeloop")) shared_ = place;
        if (shared_.empty()) GTEST_SKIP() << "the public examples (shared/examples) are not here";
        designs_ = shared_ / "examples/timeloop/example_designs";
    }

    static Paths files_below(const std::filesystem::path& folder, const std::string& name) {
        Paths found;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
            if (entry.is_regular_file() && entry.path().filename() == name) found.push_back(entry.path());
        std::sort(found.begin(), found.end());
        return found;
    }

    static std::string mistake_in(const Paths& files) {
        try {
            const yaml::Node root = load(files);
            (void)read_architecture(root);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    std::filesystem::path shared_;
    std::filesystem::path designs_;
};

// Differs by design: source locations, and the technology, changed by some dumps.
Architecture compared(Architecture machine) {
    machine.clock_assumed = false;  // the dump states the clock left by the design to the front end
    machine.technology = machine.compute.geometry.technology = "";
    for (Memory& memory : machine.memories) memory.geometry.technology = "";
    return machine;
}

// The dumps hold older compound components, with adders for multipliers: other costs.
Architecture without_costs(Architecture machine) {
    machine.compute.energy_pj = machine.compute.leak_pj_per_cycle = machine.compute.area_um2 = {};
    for (Memory& memory : machine.memories) {
        memory.energy = {};
        memory.area_um2 = {};
    }
    return machine;
}

TEST_F(PublicExamples, RecordedMachinesLoad) {
    for (const char* folder : {"golden/timeloop/cases", "golden/timeloop/mapper/inputs"}) {
        const Paths files = files_below(shared_ / folder, "arch.yaml");
        EXPECT_FALSE(files.empty()) << folder;
        for (const auto& file : files) EXPECT_EQ(mistake_in({file}), "");
    }
}

TEST_F(PublicExamples, ConstraintsOfRecordedSearchesLoad) {
    for (const auto& file : files_below(shared_ / "golden/timeloop/mapper/inputs", "mapspace.yaml")) {
        const std::filesystem::path folder = file.parent_path();
        const yaml::Node root = load({folder / "arch.yaml", folder / "problem.yaml", file});
        const Architecture machine = read_architecture(root);
        const Constraints constraints = read_constraints(root, machine, read_problem(root));
        EXPECT_EQ(constraints.levels.size(), machine.memories.size()) << file;
    }
}

TEST_F(PublicExamples, OldFormsLoad) {
    const std::filesystem::path folder = shared_ / "examples/timeloop/v0.3";
    for (const char* file : {"chen-asplos2014.yaml", "eyeriss-256.yaml", "sample.yaml", "sample-accelergy.yaml"}) {
        const yaml::Node root = load({folder / file});
        const Architecture machine = read_architecture(root);
        EXPECT_NO_THROW((void)read_constraints(root, machine, read_problem(root, {folder}))) << file;
    }
    const yaml::Node split = load({folder / "eyeriss-256-split-problem.yaml", folder / "eyeriss-256-split-arg.yaml"});
    const yaml::Node whole = load({folder / "eyeriss-256.yaml"});
    const Architecture machine = read_architecture(whole);
    const Einsum layer = read_problem(whole, {folder});
    EXPECT_EQ(read_constraints(split, read_architecture(split), layer), read_constraints(whole, machine, layer));
    EXPECT_EQ(mistake_in({folder / "eyeriss-256-split-accelergy-arg.yaml"}), "");
}

// Some files write "WStride: 4" for a coefficient named Wstride. Timeloop ignores it and computes another layer; we do
// not.
TEST_F(PublicExamples, LayerShapesAreReadOrRefusedForAMisspeltStride) {
    std::size_t count = 0;
    std::size_t misspelt = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(shared_ / "examples/timeloop/layer_shapes")) {
        if (entry.path().extension() != ".yaml" || entry.path().filename() == "problem_base.yaml") continue;
        ++count;
        try {
            EXPECT_EQ(problem_with(read_problem(load({entry.path()}))), "") << entry.path();
        } catch (const InputError& error) {
            if (error.code() == ErrorCode::unsupported && error.message().starts_with("'densities'")) continue;
            EXPECT_EQ(error.code(), ErrorCode::unknown_key) << error.what();
            EXPECT_NE(error.message().find("Stride'; did you mean '"), std::string::npos) << error.what();
            ++misspelt;
        }
    }
    EXPECT_GT(count, 1000U);
    EXPECT_EQ(misspelt, 17U);
}

TEST_F(PublicExamples, DesignsMeanWhatTheFrontEndDumped) {
    for (const char* design : {"eyeriss_like", "simba_like", "simple_output_stationary", "simple_weight_stationary"}) {
        const yaml::Node written = load({designs_ / design / "arch.yaml", designs_ / "_include/default_problem.yaml"});
        const yaml::Node dumped = load({designs_ / design / "ref_outputs/default_problem/parsed-processed-input.yaml"});
        const Einsum layer = read_problem(written);
        const Architecture machine = read_architecture(written);
        EXPECT_EQ(compared(without_costs(machine)), compared(without_costs(read_architecture(dumped)))) << design;
        EXPECT_EQ(read_constraints(written, machine, layer), read_constraints(dumped, machine, layer)) << design;
    }
}

TEST_F(PublicExamples, TutorialMeansWhatTheFrontEndDumped) {
    const std::filesystem::path folder = shared_ / "examples/timeloop/tutorial_dse";
    Paths files;
    for (const char* name : {"arch.yaml", "components.yaml", "problem.yaml", "mapper.yaml", "variables.yaml"})
        files.push_back(folder / "inputs" / name);
    const yaml::Node dumped = load({folder / "outputs/parsed-processed-input.yaml"});
    const yaml::Node written = load(files, {{{"reg_enabled", "False"}}, {}});
    const Einsum layer = read_problem(written);
    const Architecture machine = read_architecture(written);
    EXPECT_EQ(compared(machine), compared(read_architecture(dumped)));
    EXPECT_EQ(read_constraints(written, machine, layer), read_constraints(dumped, machine, layer));
    EXPECT_EQ(read_architecture(load(files)).memory_count(), machine.memory_count() + 1) << "registers are the default";
}

TEST_F(PublicExamples, TablesOfTheFrontEndFitItsDumps) {
    const std::filesystem::path folder = designs_ / "simba_like/ref_outputs/default_problem";
    const Architecture machine =
        read_architecture(load({folder / "parsed-processed-input.yaml", folder / "timeloop-mapper.ERT.yaml",
                                folder / "timeloop-mapper.ART.yaml"}));
    EXPECT_EQ(machine.memories[0].energy.read_pj.value, 512.0);
    EXPECT_EQ(machine.memories[1].energy.fill_pj.value, 66.310888);
    EXPECT_EQ(machine.compute.area_um2.value, 417.0);
}

TEST_F(PublicExamples, SparseDesignsAreRefusedAsSuch) {
    for (const auto& file : files_below(designs_, "arch.yaml")) {
        const std::string mistake = mistake_in({file});
        const bool sparse = file.string().find("sparse_tensor_core") != std::string::npos ||
                            (file.string().find("sparseloop") != std::string::npos &&
                             file.string().find("01.2.1") == std::string::npos);
        if (sparse)
            EXPECT_NE(mistake.find("count zeros); --dense reads over it [unsupported]"), std::string::npos)
                << file << mistake;
        else
            EXPECT_EQ(mistake, "");
    }
}

}  // namespace
}  // namespace tilewright::timeloop::examples_test
