#include "maestro/account/printed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tilewright::maestro {
namespace {

constexpr double kL1Energy = 1.68;  // in multiply-accumulates
constexpr double kL2Energy = 18.61;
constexpr double kMacNanojoules = 0.00023;
constexpr double kMacArea = 283.0;
constexpr double kMacPower = 1.2223;
constexpr double kByteArea = 0.104;
constexpr double kBytePower = 0.00345;

struct Accesses {
    double l1 = 0.0;
    double l2 = 0.0;
};

Accesses accesses_of(const LayerCounts& layer) {
    Accesses accesses;
    for (const TensorCounts& tensor : layer.top.tensors) {
        accesses.l1 += static_cast<double>(tensor.l1_read + tensor.l1_write);
        accesses.l2 += static_cast<double>(tensor.l2_read + tensor.l2_write);
    }
    return accesses;
}

double quotient(std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

double overall_reuse(const LayerCounts& layer) {
    std::int64_t reads = 0;
    std::int64_t writes = 0;
    for (const TensorCounts& tensor : layer.top.tensors) {
        reads += tensor.l1_read;
        writes += tensor.l1_write;
    }
    return quotient(reads, writes);
}

// An empty buffer is built with one byte.
double bytes(std::int64_t size) { return static_cast<double>(size == 0 ? 1 : size); }

void add_costs(const LayerCounts& layer, const ToolHardware& hardware, PrintedLayer& row) {
    const auto units = static_cast<double>(hardware.units);
    const auto bandwidth = static_cast<double>(hardware.noc_bandwidth);
    const auto lanes = static_cast<double>(hardware.simd_lanes);
    const double bus = 14.662 * units + 28.895;
    const double arbiter = 1.2886 * units * units + 5.5814 * units - 23.711;
    row.unit_power_mw = units * kMacPower * lanes;
    row.l1_power_mw = units * kBytePower * bytes(layer.l1_size());
    row.l2_power_mw = kBytePower * bytes(layer.l2_size());
    row.noc_power_mw = 0.8 * bus / 1000.0 * bandwidth + std::max(0.34 * arbiter / 1000.0, 0.34);
    row.power_mw = row.unit_power_mw + row.l1_power_mw + row.l2_power_mw + row.noc_power_mw;
    row.area_um2 = units * (kMacArea * lanes + kByteArea * bytes(layer.l1_size())) +
                   kByteArea * bytes(layer.l2_size()) + 101.7938 * bus * bandwidth +
                   std::max(395.473 * arbiter, 395.473);
}

// The tool's column names; the repeated one is its own slip.
constexpr const char* kHeader =
    "Neural Network Name, Layer Number, NumPEs, Runtime (Cycles), Activity count-based Energy (nJ), Throughput "
    "(MACs/Cycle), Throughput Per Energy (GMACs/s*J), Area, Power, NoC BW Req (Elements/cycle), Avg BW Req, Peak BW "
    "Req, Vector Width, Offchip BW Req (Elements/cycle),  L2 SRAM Size Req (Bytes), L1 SRAM Size Req (Bytes), "
    "Multicasting Factor (Weight), Multicasting Factor (Input), Num Total Input Pixels, Num Total Weight Pixels, "
    "Ops/J, "
    "Num MACs, PE power, L1 power, L2 power, NOC power, input l1 read, input l1 write, input l2 read, input l2 write, "
    "input reuse factor,filter l1 read, filter l1 write, filter l2 read, filter l2 write, filter reuse factor,output "
    "l1 "
    "read, output l1 write, output l2 read, output l2 write, output reuse factor,Ingress Delay (Min), Ingress Delay "
    "(Max), Ingress Delay (Avg), Egress Delay (Min), Egress Delay (Max),  Egress Delay (Avg),Compute Delay (Min), "
    "Compute "
    "Delay (Min), Compute Delay (Avg),Avg number of utilized PEs, Arithmetic Intensity\n";

// Cells of a line: `,` before those of the first part, `, ` later.
class Line {
   public:
    explicit Line(std::string text) : text_(std::move(text)) {}
    Line& operator<<(double value) { return add(six_digits(value)); }
    Line& operator<<(std::int64_t value) { return add(std::to_string(value)); }
    void second_part() { separator_ = ", "; }
    std::string text() const { return text_ + "\n"; }

   private:
    Line& add(const std::string& cell) {
        text_ += next_ + cell;
        next_ = separator_;
        return *this;
    }
    std::string text_;
    std::string next_ = ",";
    std::string separator_ = ",";
};

// The tool's lexer splits names at its separators and keeps the last word.
std::string tool_name(const std::string& name) {
    const std::size_t last = name.find_last_not_of(" ,->():\t;");
    if (last == std::string::npos) return "";
    const std::size_t before = name.find_last_of(" ,->():\t;", last);
    return name.substr(before == std::string::npos ? 0 : before + 1,
                       last - (before == std::string::npos ? 0 : before + 1) + 1);
}

std::string csv_line(const std::string& network, const LayerCounts& layer, const PrintedLayer& row,
                     const ToolHardware& hardware) {
    const LevelCounts& top = layer.top;
    const TensorCounts& input = top.tensors[kInput];
    const TensorCounts& filter = top.tensors[kFilter];
    Line line(network + "," + tool_name(layer.name));
    line << hardware.units << top.runtime << row.energy_nj << row.throughput << row.throughput / row.energy_nj * 1e9
         << row.area_um2 << row.power_mw << top.peak_bandwidth << top.average_bandwidth << top.peak_bandwidth
         << hardware.simd_lanes << top.offchip_bandwidth << layer.l2_size() << layer.l1_size()
         << quotient(filter.l1_write, filter.l2_read) << quotient(input.l1_write, input.l2_read) << layer.declared_input
         << filter.l2_write << static_cast<double>(top.operations) / row.energy_nj * 1e9 << top.operations
         << row.unit_power_mw << row.l1_power_mw << row.l2_power_mw << row.noc_power_mw;
    line.second_part();
    for (const TensorCounts& tensor : top.tensors)
        line << tensor.l1_read << tensor.l1_write << tensor.l2_read << tensor.l2_write
             << quotient(tensor.l1_read, tensor.l1_write);
    for (const DelayRange* delay : {&top.ingress, &top.egress, &top.compute})
        line << delay->least << delay->most << delay->average;
    line << top.active_units << top.arithmetic_intensity;
    return line.text();
}

std::string exceeds(const char* family, const std::string& what, std::int64_t required, std::int64_t limit) {
    return std::string("[WARNING:") + family + "] Per-layer " + what + " requirement [" + std::to_string(required) +
           "] is larger than the given " + what + " [" + std::to_string(limit) + "]";
}

}  // namespace

std::string six_digits(double value) {
    if (std::isnan(value)) return "-nan";
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

// In the tool's order of additions, for the sixth digit.
double energy_in_macs(const LayerCounts& layer) {
    auto energy = static_cast<double>(layer.top.operations);
    for (const TensorCounts& tensor : layer.top.tensors) {
        energy += kL2Energy * static_cast<double>(tensor.l2_read);
        energy += kL1Energy * static_cast<double>(tensor.l1_read);
        energy += kL2Energy * static_cast<double>(tensor.l2_write);
        energy += kL1Energy * static_cast<double>(tensor.l1_write);
    }
    return energy;
}

std::vector<PrintedLayer> printed(const ToolResult& result, const ToolHardware& hardware) {
    std::vector<PrintedLayer> rows;
    double l1_before = 0.0;
    for (const LayerCounts& layer : result.layers) {
        PrintedLayer row;
        const Accesses accesses = accesses_of(layer);
        row.energy_macs = energy_in_macs(layer);
        row.throughput = quotient(layer.top.operations, layer.top.runtime);
        row.reuse_factor = overall_reuse(layer);
        const double l2 = accesses.l2 - static_cast<double>(layer.top.tensors[kOutput].l2_read);
        const double l1 = layer.evaluations > 1 ? l1_before : accesses.l1;
        row.energy_nj = kMacNanojoules * (kL2Energy * l2 + kL1Energy * l1);
        add_costs(layer, hardware, row);
        rows.push_back(row);
        l1_before = accesses.l1;
    }
    return rows;
}

std::vector<std::string> warnings(const ToolResult& result, const ToolHardware& hardware) {
    std::int64_t l1 = 0;
    std::int64_t l2 = 0;
    std::int64_t noc = 0;
    std::int64_t offchip = 0;
    for (const LayerCounts& layer : result.layers) {
        l1 = std::max(l1, layer.l1_size());
        l2 = std::max(l2, layer.l2_size());
        noc = std::max(noc, layer.top.peak_bandwidth);
        offchip = std::max(offchip, layer.top.offchip_bandwidth);
    }
    std::vector<std::string> texts;
    if (l1 > hardware.l1_size) texts.push_back(exceeds("Buffer", "L1 size", l1, hardware.l1_size));
    if (l2 > hardware.l2_size) texts.push_back(exceeds("Buffer", "L2 size", l2, hardware.l2_size));
    if (noc > hardware.noc_bandwidth) texts.push_back(exceeds("BW", "NoC BW", noc, hardware.noc_bandwidth));
    if (offchip > hardware.offchip_bandwidth)
        texts.push_back(exceeds("BW", "OffChip BW", offchip, hardware.offchip_bandwidth));
    return texts;
}

std::string csv(const std::string& network, const ToolResult& result, const ToolHardware& hardware) {
    std::string text = kHeader;
    const std::vector<PrintedLayer> rows = printed(result, hardware);
    for (std::size_t i = 0; i < rows.size(); ++i)
        text += csv_line(tool_name(network), result.layers[i], rows[i], hardware);
    return text;
}

}  // namespace tilewright::maestro
