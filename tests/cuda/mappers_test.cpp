// Every mapper schedules for every GPU of the zoo, and what it finds is legal, launches, and becomes a kernel.
#include <gtest/gtest.h>

#include "arch/estimation/estimate.hpp"
#include "codegen/cuda/kernel.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/mapper.hpp"
#include "mapping/validity.hpp"
#include "workload/shapes.hpp"
#include "workload/zoo/zoo.hpp"
#include "workshop.hpp"

namespace tilewright::cuda {
namespace {

SearchResult search(const std::string& mapper, const std::string& machine, const Architecture& architecture,
                    const Einsum& einsum) {
    const Mapspace mapspace(einsum, architecture, gpu_constraints(machine, einsum));
    const LeanEvaluator evaluator(einsum, architecture);
    Budget budget;
    budget.evaluations = 300;
    return make_mapper(mapper)->search(mapspace, evaluator, parse_objective("edp").value(), budget);
}

void expect_kernel(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    for (const Violation& violation : check(einsum, architecture, mapping)) ADD_FAILURE() << violation.message;
    const Kernel kernel = make_kernel(einsum, architecture, mapping, "layer");
    EXPECT_EQ(launch_problems(kernel.launch, launch_limits(architecture)), std::vector<std::string>());
    EXPECT_NE(kernel.source.find("layer_kernel"), std::string::npos);
}

class Gpus : public testing::TestWithParam<std::string> {};

TEST_P(Gpus, EveryMapperFindsASchedule) {
    Architecture architecture = gpu(GetParam());
    estimate(architecture);
    for (const std::string& mapper : mapper_names())
        for (const Einsum& einsum : {conv2d(64, 96, 28, 3, 2), gemm(128, 768, 300), depthwise(96, 14, 5)}) {
            SCOPED_TRACE(mapper + " " + einsum.name);
            const SearchResult found = search(mapper, GetParam(), architecture, einsum);
            if (found.stopped == StopReason::too_large) continue;
            // Timeloop's own give up as soon as Timeloop does.
            if (found.stopped == StopReason::fruitless && mapper.starts_with("timeloop-")) continue;
            ASSERT_TRUE(found.best) << stop_reason_text(found.stopped);
            expect_kernel(einsum, architecture, mapping_of(found.best->point, einsum).value());
        }
}

TEST_P(Gpus, EveryLayerOfResNet50HasOne) {
    Architecture architecture = gpu(GetParam());
    estimate(architecture);
    for (const DistinctLayer& layer : distinct_layers(zoo_network("resnet50"))) {
        SCOPED_TRACE(layer.einsum.name);
        const SearchResult found = search("hybrid", GetParam(), architecture, layer.einsum);
        ASSERT_TRUE(found.best) << stop_reason_text(found.stopped);
        expect_kernel(layer.einsum, architecture, mapping_of(found.best->point, layer.einsum).value());
    }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Gpus, testing::Values("k80", "h200", "h200-256"), [](const auto& machine) {
    return machine.param == "h200-256" ? std::string("h200_256") : machine.param;
});

}  // namespace
}  // namespace tilewright::cuda
