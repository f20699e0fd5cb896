// tilewright show: machines, energies, networks and mappings for people.
#include <fmt/format.h>
#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/numbers/number_text.hpp"
#include "inputs/cascades.hpp"
#include "inputs/inputs.hpp"
#include "mapping/text.hpp"
#include "native/multi_npu.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/cascade/cascade.hpp"
#include "report/json.hpp"
#include "report/parts/table.hpp"
#include "report/show_text.hpp"
#include "run/composition.hpp"
#include "run/physical/physical_latency.hpp"
#include "silicon/files/silicon.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "verbs/evaluate/dataflows.hpp"
#include "verbs/evaluate/zigzag.hpp"
#include "workload/zoo/cascades.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright::cli {
namespace {

// What a machine as built is made of: data sheet, calibrated numbers, form, each with its source.

constexpr double kPerSecond = 1e6;  // of a rate per microsecond

void add_sheet(const silicon::DataSheet& sheet, report::Table& table) {
    const auto add = [&](const char* name, std::string value) { table.add({name, std::move(value), "data sheet"}); };
    add("operations, 16 bits", si_text(sheet.operations_per_us * kPerSecond, "op/s"));
    add("of 8 and 4 bits", fmt::format("{:g} and {:g} times as many", sheet.fp8_factor, sheet.fp4_factor));
    add("memory", si_text(sheet.memory_bytes_per_us * kPerSecond, "B/s"));
    add("multiprocessors",
        fmt::format("{:g} at {}", sheet.multiprocessors, si_text(sheet.clock_per_us * kPerSecond, "Hz")));
    add("last cache", si_text(sheet.cache_bytes, "B"));
    add("exponentials", fmt::format("{:g} a clock and multiprocessor", sheet.exponentials_per_cycle));
    if (sheet.link_bytes_per_us > 0.0)
        add("links", si_text(sheet.link_bytes_per_us * kPerSecond, "B/s") + " in one direction");
    if (sheet.power_watts > 0.0) add("power limit", si_text(sheet.power_watts, "W"));
}

void add_accelerator(const silicon::Accelerator& machine, report::Table& table) {
    add_sheet(machine.sheet, table);
    const std::string from = machine.inherited_of.empty()
                                 ? (machine.rows.empty() ? "calibrated" : "calibrated: " + machine.rows)
                                 : "inherited: those of " + machine.inherited_of;
    const silicon::CalibratedNumbers& numbers = machine.calibrated;
    table.add({"launch", fmt::format("{:g} us", numbers.launch_us), from});
    table.add({"shares reached",
               fmt::format("memory {:g}, rate {:g}, links {:g}", numbers.bandwidth_share, numbers.rate_share,
                           numbers.link_share),
               from});
    if (machine.power) {
        const silicon::PowerNumbers& power = *machine.power;
        table.add({"power",
                   fmt::format("idle {:g} W, busy {:g} W, {:g} pJ an operation, {:g} pJ a byte", power.idle_watts,
                               power.busy_watts, power.pj_per_operation, power.pj_per_byte),
                   machine.power_is_own ? "calibrated" : "inherited"});
    }
    table.add({"form", machine.form.generation + ": tiles, attention, experts, collectives",
               fmt::format("data/silicon/{0}.yaml and {0}-{1}.yaml", machine.form.generation, machine.form.engine)});
}

void add_kernels(const silicon::KernelMachine& machine, report::Table& table) {
    const auto add = [&](const char* name, std::string value, const char* from) {
        table.add({name, std::move(value), from});
    };
    add("operations", si_text(machine.operations_per_us * kPerSecond, "op/s"), "data sheet");
    add("memory", si_text(machine.memory_bytes_per_us * kPerSecond, "B/s"), "data sheet");
    const silicon::Calibration& numbers = machine.calibration;
    add("launch", fmt::format("{:g} us", numbers.launch_us), "the file's `calibrated`");
    add("shares reached", fmt::format("memory {:g}, rate {:g}", numbers.bandwidth_share, numbers.rate_share),
        "the file's `calibrated`");
    add("form", machine.has_blocks() ? "the general one of thread blocks" : "the general one of matrix units",
        "none of its generation");
}

// Empty for a systolic machine.
std::string silicon_text(const silicon::Silicon& silicon) {
    const auto* kernels = std::get_if<silicon::KernelMachine>(&silicon.machine);
    if (kernels == nullptr) return "";
    report::Table table({"as built (docs/silicon.md)", "", "from"}, "lll");
    if (silicon.accelerator)
        add_accelerator(*silicon.accelerator, table);
    else
        add_kernels(*kernels, table);
    std::string text = "\n" + table.text();
    for (const std::string& note : physical_caveats(silicon)) text += "  note: " + note + "\n";
    return text;
}

std::string zoo_text() {
    report::Table machines({"--arch", ""}, "ll");
    for (const timeloop::ZooMachine& machine : timeloop::zoo_machines())
        machines.add({machine.name, machine.description});
    report::Table several({"schedule --arch", ""}, "ll");
    for (const native::ZooMultiNpu& machine : native::zoo_multi_npus())
        several.add({machine.name, machine.description});
    report::Table networks({"--net", "", "source"}, "lll");
    for (const ZooEntry& entry : zoo_networks()) networks.add({entry.name, entry.description, entry.source});
    report::Table cascades({"--net", "as a cascade (docs/fusion.md)", "--dim", "source"}, "llll");
    for (const ZooEntry& entry : zoo_cascades())
        cascades.add(
            {entry.name, entry.description, fmt::format("{}", fmt::join(entry.dimensions, ", ")), entry.source});
    return machines.text() + "\n" + several.text() + "\n" + networks.text() + "\n" + cascades.text();
}

bool has_several_cores(const std::string& name) {
    const std::vector<native::ZooMultiNpu> machines = native::zoo_multi_npus();
    return std::any_of(machines.begin(), machines.end(),
                       [&](const native::ZooMultiNpu& machine) { return machine.name == name; });
}

std::string several_cores_text(const schedule::MultiNpu& machine) {
    const schedule::ElementBytes& bytes = machine.element_bytes;
    const schedule::CoreArray& array = machine.array;
    const std::string cycles = machine.mapped.given() ? "of the best mapping of its tile on " + machine.mapped.core()
                               : machine.latency.given()
                                   ? machine.latency.text()
                                   : fmt::format("ceil(ic / {}) * ceil(oc / {}) * ow * oh * kw * kh + {}",
                                                 array.in_channels, array.out_channels, array.fill_cycles);
    report::Table table({"machine", machine.name}, "ll");
    table.add({"cores", fmt::format("{}", machine.cores)});
    table.add({"multipliers of a core",
               fmt::format("{} input channels x {} output channels", array.in_channels, array.out_channels)});
    table.add({"cycles of an operation", cycles});
    table.add({"scratchpad", fmt::format("{} bytes, shared", machine.scratchpad_bytes)});
    table.add({"DMA", fmt::format("{} channel{}, {} bytes per cycle each", machine.dma_channels,
                                  machine.dma_channels == 1 ? "" : "s", machine.bytes_per_cycle)});
    table.add({"bytes of an element", fmt::format("input {}, weight {}, output {}, partial sum {}", bytes.input,
                                                  bytes.weight, bytes.output, bytes.partial_sum)});
    return table.text() + "\n  Layers are scheduled on it by `tilewright schedule --arch " + machine.name + "`.\n";
}

std::string mappings_text(const Network& network, const Architecture& architecture,
                          const std::vector<LayerMapping>& mappings) {
    std::string text;
    for (const auto& [layer, mapping, places] : mappings) {
        const Einsum& einsum = network.layers[layer].einsum;
        text +=
            fmt::format("{}Layer {}\n  {}\n  {}\n\n{}", text.empty() ? "" : "\n", network.layers[layer].name,
                        to_text(einsum), report::extents_text(einsum), loop_nest_text(einsum, architecture, mapping));
    }
    return text;
}

// Every name once: bert-base is a network and a cascade.
std::vector<std::string> network_names() {
    std::vector<std::string> names;
    for (const auto& entries : {zoo_networks(), zoo_cascades()})
        for (const ZooEntry& entry : entries)
            if (std::ranges::find(names, entry.name) == names.end()) names.push_back(entry.name);
    return names;
}

std::string names_text(const std::string& of) {
    std::string text;
    if (of == "arch")
        for (const std::string& name : timeloop::zoo_architectures()) text += name + "\n";
    if (of == "net")
        for (const std::string& name : network_names()) text += name + "\n";
    return text;
}

// As a table of Markdown's, which the documentation has, too.
std::string composition_text() {
    std::string text = "Any two of these go together but for the pairs below; two in one column mean all three:\n\n";
    for (const Capability one : kCapabilities) text += fmt::format("- {}\n", name_of(one));
    text += "\n| not | with | because |\n|---|---|---|\n";
    for (const Refused& pair : refused_pairs())
        text += fmt::format("| {} | {} | {} |\n", name_of(pair.one), others_of(pair), pair.why);
    return text;
}

class Show : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare(options);
        options.group("Output");
        options.flag("energies", 0, "every energy and area of the machine, and its source", &energies_);
        options.flag("yaml", 0, "the file of a machine of the zoo, a start for one's own", &yaml_);
        options.flag("zoo", 0, "the names known to --arch and --net", &zoo_);
        options.value("names", 0, "WHICH", "only the names, one per line", &names_).choices = {"arch", "net"};
        options.flag("composition", 0, "questions a search takes together, and those it refuses, with the reason",
                     &composition_);
        dataflow_.declare(options);
        options.flag("json", 'j', "print one JSON document instead of text", &json_);
        for (const char* list : {"zoo", "composition", "names"})
            options.takes_only({list}, {}, std::string("--") + list + " lists the names that there are: leave out {}");
        options.takes_only({"yaml"}, {"arch"}, "--yaml goes with --arch NAME alone, without {}");
        options.only_with({"yaml"}, {"arch"}, "--yaml goes with --arch NAME alone");
    }

    ExitStatus run() override {
        if (zoo_ || composition_ || !names_.empty()) {
            if (!inputs_.files.empty())
                fail_usage("show", "lists the names that there are: leave out '" + inputs_.files.front() + "'");
            print(zoo_ ? zoo_text() : composition_ ? composition_text() : names_text(names_));
            return ExitStatus::done;
        }
        if (has_several_cores(inputs_.arch)) return show_several_cores();
        if (yaml_) return show_file();
        if (has_dataflows(inputs_, dataflow_)) return show_dataflows(inputs_, dataflow_);
        InputOptions with_zeros = inputs_;
        with_zeros.sparse = !with_zeros.dense;
        Inputs inputs("show", with_zeros);
        if (inputs.zigzag().decide()) {
            print(show_zigzag_files("show", inputs));
            return ExitStatus::done;
        }
        std::optional<Architecture> architecture;
        std::optional<Network> network;
        if (inputs.has_cascade() && !inputs.has_architecture()) return show_cascade(inputs);
        if (inputs.has_architecture()) architecture = inputs.architecture();
        if (inputs.has_network()) network = inputs.network();
        if (!network && !inputs_.layers.empty())
            fail_usage("show", "--layers is about a network: give --net, --einsum or a problem file");
        if (!architecture && !network)
            fail_usage("show", "nothing to show: give files, --arch or --net; --zoo lists the names they know");
        if (architecture && !network) timeloop::check_constraints(inputs.root(), *architecture);
        if (energies_ && !architecture) fail_usage("show", "--energies needs an architecture");
        print(json_ ? report::show_json(architecture ? &*architecture : nullptr, network ? &*network : nullptr)
                    : text(inputs, architecture, network));
        if (!energies_ || json_) inputs.tell_notes();
        return ExitStatus::done;
    }

   private:
    ExitStatus show_cascade(Inputs& inputs) const {
        if (!inputs_.layers.empty() || !inputs_.rename.empty() || !inputs_.bits.empty() || energies_)
            fail_usage("show",
                       "a cascade is shown whole: leave out --layers, --rename, --bits and --energies, or give "
                       "--arch to see the layers that are mapped");
        const Cascade cascade = inputs.cascade();
        print(json_ ? report::cascade_json(cascade) : report::cascade_text(cascade));
        inputs.tell_notes();
        return ExitStatus::done;
    }

    ExitStatus show_file() const {
        if (!inputs_.files.empty()) fail_usage("show", "--yaml goes with --arch NAME alone");
        print(timeloop::zoo_file(inputs_.arch));
        return ExitStatus::done;
    }

    ExitStatus show_several_cores() const {
        const InputOptions& in = inputs_;
        const bool nothing_else = in.einsum.empty() && dataflow_.dataflow.empty() && !json_ && !energies_ &&
                                  !in.dense && !in.strict && !in.restore_remainders && in.unnamed.empty() &&
                                  in.estimator == InputOptions().estimator;
        const std::initializer_list<const std::vector<std::string>*> lists = {
            &in.files, &in.nets,   &in.extents, &in.dims, &in.rename,
            &in.bits,  &in.layers, &in.jinja,   &in.set,  &dataflow_.sizes};
        if (!nothing_else || std::any_of(lists.begin(), lists.end(), [](const auto* list) { return !list->empty(); }))
            fail_usage("show", "'" + inputs_.arch + "' is a machine of several cores: only --yaml goes with it");
        print(yaml_ ? std::string(native::zoo_multi_npu_file(inputs_.arch))
                    : several_cores_text(native::zoo_multi_npu(inputs_.arch)));
        return ExitStatus::done;
    }

    // A mapping is what the user wants to see when there is one; the machine and the layer are only what it needs.
    std::string text(const Inputs& inputs, const std::optional<Architecture>& architecture,
                     const std::optional<Network>& network) const {
        if (energies_ && architecture) return report::energies_text(*architecture) + notes(inputs);
        if (architecture && network && has_mappings(inputs.root()))
            return mappings_text(*network, *architecture, read_mappings(inputs, *network, *architecture));
        std::string text;
        if (architecture) {
            text += report::architecture_text(*architecture);
            if (const auto silicon = silicon::read_silicon(inputs.root(), *architecture))
                text += silicon_text(*silicon);
        }
        if (architecture && inputs.has_sparse_machine())
            text +=
                "\n  Its sparse_optimizations count in map and evaluate: "
                "docs/sparsity.md\n";
        if (architecture && network) text += "\n";
        if (network) text += report::network_text(*network);
        return text;
    }

    static std::string notes(const Inputs& inputs) {
        std::string text;
        for (const std::string& note : inputs.notes()) text += "  note: " + note + "\n";
        return text.empty() ? "" : "\n" + text;
    }

    InputOptions inputs_;
    DataflowOptions dataflow_;
    bool energies_ = false;
    bool yaml_ = false;
    bool zoo_ = false;
    bool composition_ = false;
    std::string names_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_show() { return std::make_unique<Show>(); }

}  // namespace tilewright::cli
