// Costs of compound components' parts, by hand from the program's own tables at 45 nm.
#include "timeloop/machine/part_costs.hpp"

#include <gmock/gmock.h>

#include "arch/estimation/estimate.hpp"
#include "arch/estimation/memories.hpp"
#include "base/error.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::timeloop::part_costs_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kMachine = R"(architecture:
  version: 0.4
  nodes:
  - !Container {name: system, attributes: {technology: "45nm", global_cycle_seconds: 1e-9}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, datawidth: 8}}
  - !Component {name: buf, class: SRAM, subclass: my_buffer, attributes: {width: 64, depth: 1024, datawidth: 8}}
  - !Component {name: MAC, class: compute, subclass: lut_mac, attributes: {datawidth: 8, width: 8}}
compound_components:
  version: 0.4
  classes:
  - name: my_buffer
    attributes: {technology: must_specify, width: must_specify, depth: must_specify, twice: 2 * width}
    subcomponents:
    - {name: storage, class: SRAM, attributes: {technology: technology, width: width, depth: depth}}
    - {name: second, class: SRAM, attributes: {technology: technology, width: twice, depth: depth / 2}}
    - {name: "counter[0..1]", class: intadder, attributes: {width: 16}}
    actions:
    - name: read
      subcomponents:
      - {name: storage, actions: [{name: read}, {name: read}]}
      - {name: "counter[0..1]", actions: [{name: add}]}
    - {name: write, subcomponents: [{name: second, actions: [{name: write, energy_scale: 0.5}]}]}
  - name: lut_mac
    attributes: {technology: must_specify, width: must_specify, datawidth: must_specify}
    subcomponents:
    - {name: lut, class: SRAM, attributes: {technology: technology, width: 64, depth: 8192, datawidth: 8}}
    - {name: mac, class: intmac, attributes: {technology: technology, width: width, datawidth: datawidth}}
    actions:
    - name: compute
      subcomponents:
      - {name: lut, actions: [{name: read}, {name: read}]}
      - {name: mac, actions: [{name: compute}]}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

Architecture estimated(const std::string& text) {
    Architecture machine = read_architecture(load_text(text, "a.yaml"));
    static_cast<void>(estimate(machine));
    return machine;
}

std::vector<std::string> notes_about(const std::string& text) {
    Notes notes;
    note_uncounted(load_text(text, "a.yaml"), false, notes);
    return notes.texts();
}

std::string strict_mistake(const std::string& text) {
    try {
        Notes notes;
        note_uncounted(load_text(text, "a.yaml"), true, notes);
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

SramEstimate sram(double width, double rows) { return estimate_sram({45.0, rows, width, 1.0, 1.0}); }

TEST(CompoundParts, AnActionCostsWhatItsPartsDo) {
    const Architecture machine = estimated(kMachine);
    const Memory& buffer = machine.memories[1];
    constexpr double kAdd16 = 0.05;  // Horowitz, 45 nm
    EXPECT_NEAR(buffer.energy.read_pj.value, 2 * sram(64, 1024).read_pj + 2 * kAdd16, 1e-9);
    EXPECT_NEAR(buffer.energy.fill_pj.value, 0.5 * sram(128, 512).write_pj, 1e-9);
    EXPECT_NEAR(buffer.energy.update_pj.value, buffer.energy.fill_pj.value, 1e-12);
    EXPECT_NEAR(buffer.area_um2.value, sram(64, 1024).area_um2 + sram(128, 512).area_um2 + 2 * 67.0, 1e-6);
    EXPECT_THAT(buffer.energy.read_pj.source, HasSubstr("storage"));
    EXPECT_THAT(buffer.energy.read_pj.source, HasSubstr("counter 0.1 pJ (Horowitz 45 nm: 16-bit add 0.05 pJ)"));
    EXPECT_NEAR(machine.compute.energy_pj.value, 51.99, 0.005) << "two reads of 25.87 pJ, and 0.25 pJ";
    EXPECT_THAT(notes_about(kMachine), IsEmpty());
}

TEST(CompoundParts, InsideEachOtherAndWithDefaultsOfTheClass) {
    const std::string nested =
        with(kMachine, "- {name: storage, class: SRAM, attributes: {technology: technology, width: width",
             "- {name: storage, class: inner, attributes: {technology: technology, bits: width") +
        R"(
  - name: inner
    attributes: {technology: must_specify, bits: 8, depth: 7}
    subcomponents:
    - {name: "half[1..2]", class: SRAM, attributes: {width: bits / 2, depth: depth}}
    actions: [{name: read, subcomponents: [{name: "half[1..2]", actions: [{name: read}]}]}]
)";
    const Memory buffer = estimated(nested).memories[1];
    EXPECT_NEAR(buffer.energy.read_pj.value, 2 * 2 * sram(32, 1024).read_pj + 0.1, 1e-9);
    EXPECT_THAT(buffer.energy.read_pj.source, testing::StartsWith("parts: storage.half "));
}

TEST(CompoundParts, SizesOfTheComponentWinOverDefaultsHoweverTheyAreSpelt) {
    const std::string older =
        with(with(kMachine,
                  "{technology: must_specify, width: must_specify, depth: must_specify, "
                  "twice: 2 * width}",
                  "{technology: 40nm, memory_depth: 12, memory_width: 16, twice: 2 * memory_width}"),
             "width: width, depth: depth}", "width: memory_width, depth: memory_depth}");
    EXPECT_NEAR(estimated(older).memories[1].energy.read_pj.value, 2 * sram(64, 1024).read_pj + 0.1, 1e-9);
    const std::string block =
        with(older, "attributes: {width: 64, depth: 1024", "attributes: {block-size: 8, depth: 1024");
    EXPECT_NEAR(estimated(block).memories[1].energy.read_pj.value, 2 * sram(64, 1024).read_pj + 0.1, 1e-9);
}

TEST(CompoundParts, WhatNoTableKnowsIsNamedAndRefusedWhenStrict) {
    const std::string fifo = with(kMachine, "class: intadder", "class: FIFO");
    EXPECT_THAT(notes_about(fifo), ElementsAre("energy and area lack the parts without a table: 'buf': part "
                                               "'counter' of class 'FIFO' (a.yaml:16)"));
    EXPECT_THAT(strict_mistake(fifo), testing::StartsWith("a.yaml:16:"));
    EXPECT_THAT(strict_mistake(fifo), HasSubstr("'buf': part 'counter' of class 'FIFO': no table here knows it"));
    EXPECT_NEAR(estimated(fifo).memories[1].energy.read_pj.value, 2 * sram(64, 1024).read_pj, 1e-9);
    EXPECT_THAT(notes_about(with(kMachine, "{name: add}", "{name: add, energy_scale: of_nothing}")),
                ElementsAre(HasSubstr("part 'counter[0..1]' (unknown name 'of_nothing'")));
    EXPECT_THAT(notes_about(with(kMachine, "- name: read", "- name: convert")),
                ElementsAre(HasSubstr("the reads of class 'my_buffer', which lists no action for them"),
                            HasSubstr("actions of compound components that nothing here uses: 'convert'")));
    EXPECT_THAT(notes_about(with(kMachine, "subclass: lut_mac", "subclass: magic")),
                ElementsAre(HasSubstr("'MAC': class 'magic', which no file defines")));
    const std::string given =
        fifo + "ERT:\n  version: 0.4\n  tables:\n  - {name: buf, actions: [{name: read, energy: 1}]}\n";
    EXPECT_THAT(notes_about(given), IsEmpty()) << "an ERT says what it costs";
    EXPECT_EQ(strict_mistake(kMachine), "none");
}

TEST(CompoundParts, ManyWaysToOnePartEnd) {
    std::string text = with(kMachine, "subclass: my_buffer", "subclass: c0");
    for (int i = 0; i < 20; ++i) {
        const std::string next = i == 19 ? "SRAM" : "c" + std::to_string(i + 1);
        text += "  - {name: c" + std::to_string(i) + ", subcomponents: [{name: a, class: " + next +
                "}, {name: b, class: " + next + "}], actions: []}\n";
    }
    EXPECT_THROW((void)read_architecture(load_text(text, "a.yaml")), InputError);
}

TEST(Summaries, StandForTheTablesThatAreNotThere) {
    const std::string summary = R"(ERT_summary:
  version: '0.4'
  table_summary:
  - {name: "system.buf[1..1]", actions: [{name: read, energy: 0.5}, {name: write, max_energy: 0.25}]}
  - {name: "system.MAC[1..1]", actions: [{name: compute, energy: 0.2}]}
ART_summary: {version: '0.4', table_summary: [{name: "system.buf[1..1]", area: 12, primitive_estimations: x}]}
)";
    const Architecture machine = estimated(kMachine + summary);
    EXPECT_EQ(machine.memories[1].energy.read_pj.value, 0.5);
    EXPECT_EQ(machine.memories[1].energy.update_pj.value, 0.25);
    EXPECT_EQ(machine.memories[1].area_um2.value, 12.0);
    EXPECT_EQ(machine.compute.energy_pj.value, 0.2);
    const std::string table = "ERT: {version: 0.4, tables: [{name: MAC, actions: [{name: compute, energy: 0.3}]}]}\n";
    EXPECT_EQ(estimated(kMachine + summary + table).compute.energy_pj.value, 0.3) << "the table itself counts";
}

}  // namespace
}  // namespace tilewright::timeloop::part_costs_test
