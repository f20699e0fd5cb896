#include "options/machine_options.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "options/options.hpp"
#include "sim/dram/load.hpp"
#include "workload/cascade/widths.hpp"
#include "workload/widths.hpp"

namespace tilewright::cli {
namespace {

constexpr std::int64_t kMost = 1'000'000;  ///< of every count below

bool names_device_file(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".yaml");
}

sim::dram::Device device_of(const std::string& verb, const std::string& name, std::vector<report::Input>& read) {
    if (names_device_file(name)) {
        const std::string text = read_file(name);
        read.push_back({name, content_hash(text)});
        return sim::dram::parse_device(text, name);
    }
    if (std::optional<sim::dram::Device> device = sim::dram::device_named(name)) return *device;
    const std::vector<std::string> known = sim::dram::device_names();
    fail_usage(verb, "--dram: there is no device '" + name + "'" + did_you_mean(name, known) +
                         " (known: " + list_words(known) + ")");
}

using sim::dram::Interleaving;
constexpr std::pair<const char*, Interleaving> kInterleavings[] = {
    {"row-bank-column", Interleaving::row_bank_column},
    {"four-accesses", Interleaving::four_accesses},
    {"row-column-bank-rank", Interleaving::row_column_bank_rank},
    {"row-column-rank-bank", Interleaving::row_column_rank_bank},
    {"rank-row-column-bank", Interleaving::rank_row_column_bank},
    {"rank-bank-row-column", Interleaving::rank_bank_row_column},
    {"rank-bank-column-row", Interleaving::rank_bank_column_row},
};

std::vector<std::string> names_of_interleavings() {
    std::vector<std::string> names;
    for (const auto& [name, interleaving] : kInterleavings) names.emplace_back(name);
    return names;
}

}  // namespace

void MachinePlan::declare(Options& options) {
    options.group("Simulated machine");
    options
        .value("network", 0, "WHICH",
               "mesh, whose routers the options below describe, or cosa, that of CoSA's simulator with its DRAM (mesh)",
               &network)
        .choices = {"mesh", "cosa"};
    options.value("dram", 0, "DEVICE",
                  "simulate the outermost memory as this device: a name (ddr4-2400, hbm2-2000, ...) or a file", &dram);
    options.value("dram-channels", 0, "N", "channels of the device, a power of two (1)", &dram_channels)
        .between(1, kMost);
    options.value("row-policy", 0, "WHICH", "open or closed rows (open)", &row_policy).choices = {"open", "closed"};
    options
        .value("dram-controller", 0, "WHICH",
               "who schedules its commands: first-ready, as ramulator2, or round-robin, as DRAMSim2 (first-ready)",
               &dram_controller)
        .choices = {"first-ready", "round-robin"};
    options
        .value("dram-interleaving", 0, "ORDER",
               "what the bits of an address choose, from the highest down (row-bank-column; of round-robin "
               "row-column-rank-bank)",
               &dram_interleaving)
        .choices = names_of_interleavings();
    options
        .value("banks", 0, "N", "banks of every memory between the outermost one and the array (not simulated)", &banks)
        .between(1, kMost);
    options.value("flit-bits", 0, "N", "bits of a flit, the width of the links (64)", &flit_bits).between(1, kMost);
    options.value("packet-flits", 0, "N", "flits of a packet at most, its header included (5)", &packet_flits)
        .between(1, kMost);
    options.value("virtual-channels", 0, "N", "virtual channels of a router (2)", &virtual_channels).between(1, kMost);
    options.value("buffer-flits", 0, "N", "flits of a virtual channel (8)", &buffer_flits).between(1, kMost);
    options.value("mesh", 0, "COLUMNSxROWS", "nodes of the elements of the array (as the architecture has it)", &mesh);
    options.flag("double-buffered", 0, "every memory has room for two tiles, whatever its capacity says",
                 &double_buffered);
    options.flag("reduce-in-network", 0, "routers add up the results that several elements share, on their way",
                 &reduce_in_network);
    options.flag("every-iteration", 0, "simulate every iteration of a repeating run", &every_iteration);
    options.only_with({"dram-channels", "row-policy", "dram-controller", "dram-interleaving"}, {"dram"});
    options.not_with({"banks", "flit-bits", "packet-flits", "virtual-channels", "buffer-flits", "double-buffered",
                      "reduce-in-network", "every-iteration"},
                     {"network=cosa"}, "{} is for --network mesh: CoSA's network is as it was published");
}

const std::vector<std::string>& MachinePlan::names() {
    static const std::vector<std::string> kNames = {
        "network",           "dram",  "dram-channels",   "row-policy",        "dram-controller",
        "dram-interleaving", "banks", "flit-bits",       "packet-flits",      "virtual-channels",
        "buffer-flits",      "mesh",  "double-buffered", "reduce-in-network", "every-iteration"};
    return kNames;
}

sim::Floor MachinePlan::floor(const std::string& verb, const Architecture& architecture) const {
    const sim::Floor floor = sim::floor_of(architecture);
    if (mesh.empty()) return floor;
    int columns = 0;
    int rows = 0;
    const char* const end = mesh.data() + mesh.size();
    const auto first = std::from_chars(mesh.data(), end, columns);
    const bool has_rows = first.ptr != end && *first.ptr == 'x';
    const auto second = has_rows ? std::from_chars(first.ptr + 1, end, rows) : first;
    const bool sound = has_rows && first.ec == std::errc() && second.ec == std::errc() && second.ptr == end;
    if (!sound || columns < 1 || rows < 1 || columns > 100'000 || rows > 10'000) {
        fail_usage(verb, "--mesh takes COLUMNSxROWS, such as 4x4, not '" + mesh + "'");
    }
    const std::string count = std::to_string(floor.elements());
    const std::string nodes = std::to_string(columns * rows);
    if (count != nodes)
        fail_usage(verb, "--mesh: the array has " + count + " elements, and " + mesh + " nodes are " + nodes);
    return sim::folded(floor, columns, rows);
}

sim::dram::ControllerOptions MachinePlan::controller() const {
    sim::dram::ControllerOptions options;
    if (row_policy == "closed") options.rows = sim::dram::RowPolicy::closed;
    const bool as_cosa = network == "cosa" && dram_controller.empty();
    if (as_cosa || dram_controller == "round-robin") {
        options.scheduling = sim::dram::Scheduling::round_robin;
        options.interleaving = as_cosa ? Interleaving::row_column_bank_rank : Interleaving::row_column_rank_bank;
    }
    for (const auto& [name, interleaving] : kInterleavings) {
        if (dram_interleaving == name) options.interleaving = interleaving;
    }
    return options;
}

sim::MachineOptions MachinePlan::resolve(const std::string& verb, std::vector<report::Input>& read) const {
    sim::MachineOptions machine;
    machine.cosa_network = network == "cosa";
    if (!dram.empty()) machine.dram = device_of(verb, dram, read);
    if (dram_channels) machine.dram_options.channels = static_cast<int>(*dram_channels);
    machine.dram_options.controller = controller();
    if (banks) machine.banks = static_cast<int>(*banks);
    if (flit_bits) machine.flit_bits = static_cast<int>(*flit_bits);
    if (packet_flits) machine.packet_flits = static_cast<int>(*packet_flits);
    if (virtual_channels) machine.router.virtual_channels = static_cast<int>(*virtual_channels);
    if (buffer_flits) machine.router.buffer_flits = static_cast<int>(*buffer_flits);
    machine.double_buffered = double_buffered;
    machine.reduce_in_network = reduce_in_network;
    machine.detect_steady_state = !every_iteration;
    refuse_for(verb, sim::problem_with(machine));
    return machine;
}

std::vector<TensorWidth> read_widths(const std::string& verb, const std::vector<std::string>& texts) {
    return in_the_words_of(verb, [&] { return parse_widths("--bits", texts); });
}

PartialBits read_partial_sums(const std::string& verb, const std::vector<std::string>& texts, const Cascade& cascade) {
    const std::vector<TensorWidth> widths = read_widths(verb, texts);
    return in_the_words_of(verb, [&] { return partial_bits(cascade, widths); }, "--bits: ");
}

}  // namespace tilewright::cli
