// Networks with an energy per tensor in their table, as Timeloop reads them with per_datatype_ERT.
#include "timeloop/machine/architecture.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "mapping/mapping.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/read_over.hpp"
#include "timeloop/write/write_machine.hpp"

namespace tilewright::timeloop::networks_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string file(const std::string& network, const std::string& actions) {
    return "architecture:\n  version: 0.4\n  subtree:\n  - name: s\n    local:\n"
           "    - {name: DRAM, class: DRAM, attributes: {vector_access_energy: 0, network_read: down, "
           "network_update: up}}\n"
           "    - {name: down, class: SimpleMulticast, attributes: {" +
           network +
           "}}\n"
           "    - {name: up, class: SimpleMulticast, attributes: {" +
           network +
           "}}\n"
           "    - {name: buffer, class: SRAM, attributes: {entries: 64, vector_access_energy: 0, network_fill: down, "
           "network_drain: up}}\n"
           "    - {name: mac, class: intmac, attributes: {energy: 0}}\n"
           "ERT:\n  version: 0.4\n  tables:\n"
           "  - {name: s.down, actions: [" +
           actions +
           "]}\n"
           "  - {name: s.up, actions: [{name: go_Z, arguments: {n: 1}, energy: 223.232}]}\n";
}

const std::string kByTensor = "action_name: go, multicast_factor_argument: n, per_datatype_ERT: True";
const std::string kActions = "{name: go_A, arguments: {n: 1}, energy: 0.5}, {name: go_A, arguments: {n: 2}, energy: 2}";

yaml::Node loaded(const std::string& text) { return load_text(text, "arch.yaml"); }

TEST(NetworkTables, HaveAnEnergyForEachTensor) {
    const Architecture machine = read_architecture(loaded(file(kByTensor, kActions)));
    EXPECT_THAT(machine.memories[0].link.tensor_multicast_energy_pj,
                ElementsAre(Pair("A", ElementsAre(Pair(1, 0.5), Pair(2, 2.0)))));
    EXPECT_THAT(machine.memories[0].link.multicast_energy_of("B"), IsEmpty());
    EXPECT_THAT(machine.memories[0].update_link->multicast_energy_of("Z"), ElementsAre(Pair(1, 223.232)));
}

// Z[m] += A[m] * B[m], m 8, word by word: each transfer pays its own energy, or nothing.
TEST(NetworkTables, ChargeEachTensorItsOwn) {
    const Einsum einsum{
        "dot",
        {{"M", 8}},
        {{"A", {Rank{{{0, 1}}}}, false}, {"B", {Rank{{{0, 1}}}}, false}, {"Z", {Rank{{{0, 1}}}}, true}}};
    const Architecture machine = read_architecture(loaded(file(kByTensor, kActions)));
    const Mapping mapping =
        mapping_of({{TensorSet::all(3), {Loop{0, 8, 8, LoopKind::temporal}}, {}}, {TensorSet::all(3), {}, {}}});
    const account::TimeloopResult counted = account::timeloop(einsum, machine, mapping, {});
    EXPECT_DOUBLE_EQ(counted.energy_pj, 8 * 0.5 + 8 * 223.232);
}

TEST(NetworkTables, FromWhichNothingCanBeTakenAreRefused) {
    const auto mistake = [](const std::string& network) -> std::string {
        try {
            (void)read_architecture(loaded(file(network, kActions)));
        } catch (const InputError& error) {
            return error.message();
        }
        return "";
    };
    EXPECT_EQ(mistake("action_name: go, multicast_factor_argument: n"),
              "no energy of the network 'down' can be read from this table: it has 'go_A', but what counts are actions "
              "'go' (action_name) with the argument that counts receivers, n");
    EXPECT_EQ(mistake("action_name: go, multicast_factor_argument: m, per_datatype_ERT: True"),
              "no energy of the network 'down' can be read from this table: it has 'go_A', but what counts are actions "
              "go_TENSOR (per_datatype_ERT) with the argument that counts receivers, m");
    EXPECT_EQ(mistake("multicast_factor_argument: n"),
              "no energy of the network 'down' can be read from this table: it has 'go_A', but what counts are actions "
              "that the network's action_name names with the argument that counts receivers, n");
}

TEST(NetworkTables, AreNotSaidToBeUnused) {
    Notes notes;
    (void)read_over(loaded(file(kByTensor, kActions)), {}, notes);
    EXPECT_THAT(notes.texts(), IsEmpty());
}

TEST(NetworkTables, AreWrittenAndReadBack) {
    const yaml::Node root = loaded(file(kByTensor, kActions));
    const Architecture machine = read_architecture(root);
    for (const MachineForm form : {MachineForm::hierarchy, MachineForm::tree})
        EXPECT_EQ(first_difference(machine, read_architecture(loaded(write_machine(root, machine, form).text))), "");
}

}  // namespace
}  // namespace tilewright::timeloop::networks_test
