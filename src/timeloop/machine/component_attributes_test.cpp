// Attributes of one component: real instances, the DRAM type.
#include "timeloop/machine/component_attributes.hpp"

#include <gmock/gmock.h>

#include "arch/estimation/estimate.hpp"
#include "base/error.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::timeloop::component_attributes_test {
namespace {

std::string flat(const std::string& mac, const std::string& buffer, const std::string& dram = "") {
    return "arch:\n"
           "  arithmetic: {name: mac, instances: 4, word_bits: 8" +
           mac +
           "}\n"
           "  storage:\n"
           "  - {name: buffer, instances: 1, depth: 1024, width: 64, word_bits: 8" +
           buffer +
           "}\n"
           "  - {name: DRAM, technology: DRAM, instances: 1, word_bits: 8" +
           dram + "}\n";
}

Architecture machine(const std::string& text) {
    Architecture architecture = read_architecture(load_text(text, "arch.yaml"));
    (void)estimate(architecture, Estimator::tables);
    return architecture;
}

TEST(ComponentAttributes, RealInstancesMultiplyWhatIsEstimated) {
    const Architecture one = machine(flat("", ""));
    const Architecture more = machine(flat(", n_instances: 3", ", n_instances: 2"));
    EXPECT_DOUBLE_EQ(more.compute.energy_pj.value, 3 * one.compute.energy_pj.value);
    EXPECT_DOUBLE_EQ(more.compute.area_um2.value, 3 * one.compute.area_um2.value);
    EXPECT_DOUBLE_EQ(more.memories[1].energy.read_pj.value, 2 * one.memories[1].energy.read_pj.value);
    EXPECT_DOUBLE_EQ(more.memories[1].energy.leak_pj_per_cycle.value,
                     2 * one.memories[1].energy.leak_pj_per_cycle.value);
    EXPECT_DOUBLE_EQ(more.memories[1].area_um2.value, 2 * one.memories[1].area_um2.value);
    EXPECT_EQ(more.memories[1].instances, 1) << "nothing runs in parallel on them";
    EXPECT_DOUBLE_EQ(machine(flat(", n_instances: 1/2", "")).compute.energy_pj.value, one.compute.energy_pj.value / 2);
}

TEST(ComponentAttributes, RealInstancesAreInAGivenEnergyAlready) {
    EXPECT_EQ(machine(flat(", energy: 2, n_instances: 3", "")).compute.energy_pj.value, 2.0);
}

TEST(ComponentAttributes, PortsHaveAllTheirNames) {
    EXPECT_EQ(machine(flat("", ", n_rd_wr_ports: 2")).memories[1].geometry.ports, 2);
    EXPECT_EQ(machine(flat(", num_pipline_stages: 2", "")).compute.instances, 4) << "Accelergy's own spelling";
}

TEST(ComponentAttributes, ADramOfNoKnownTypeIsRefused) {
    try {
        (void)machine(flat("", "", ", type: LPDDR9"));
        FAIL() << "it was read";
    } catch (const InputError& error) {
        EXPECT_THAT(error.message(), testing::HasSubstr("there is no type of DRAM 'LPDDR9'; did you mean 'LPDDR4'?"));
    }
    EXPECT_EQ(machine(flat("", "", ", type: hbm2")).memories[0].geometry.dram_type, "hbm2");
}

}  // namespace
}  // namespace tilewright::timeloop::component_attributes_test
