#include "timeloop/sparse/stats_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "arch/widths.hpp"
#include "timeloop/sparse/state.hpp"

namespace tilewright::account {
namespace {

std::string two_decimals(double value) {
    if (std::isnan(value)) return "-nan";
    std::array<char, 400> text{};
    std::snprintf(text.data(), text.size(), "%.2f", value);
    return text.data();
}

std::string scientific(double value) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.2e", value);
    return text.data();
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

std::string whole(double value) { return std::to_string(static_cast<std::int64_t>(std::ceil(value))); }

/// A quotient of 32-bit floats.
double float_quotient(double a, double b) {
    if (b == 0.0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(static_cast<float>(a) / static_cast<float>(b));
}

std::string float_text(double value) { return std::isinf(value) ? "inf" : two_decimals(value); }

class Writer {
   public:
    Writer(const SparseResult& result, const Einsum& einsum, const Architecture& architecture)
        : result_(result), einsum_(einsum), architecture_(architecture) {}

    std::vector<StatsLine> run() {
        write_computes();
        for (int m = architecture_.memory_count(); m-- > 0;)
            if (scalar_accesses(m) != 0 || energy_of(m) != 0.0) write_memory(m);
        level_.clear();
        write_intensity();
        write_summary();
        write_energies("Algorithmic Computes", "fJ/Algorithmic-Compute", result_.costs.algorithmic_computes);
        write_energies("Actual Computes", "fJ/Compute", result_.costs.computes.actual);
        return std::move(lines_);
    }

   private:
    const TimeloopMemory& common(int m) const { return result_.common.memories[m]; }
    const sparse::MemoryCosts& costs(int m) const { return result_.costs.memories[m]; }

    void line(std::string text) {
        while (!text.empty() && text.back() == ' ') text.pop_back();
        if (!text.empty()) lines_.push_back({level_, std::move(text)});
    }
    void row(const std::string& key, const std::string& value) { line("        " + padded(key, 60) + ": " + value); }
    void row(const std::string& key, std::int64_t value) { row(key, std::to_string(value)); }
    void picojoules(const std::string& key, double value) { row(key, two_decimals(value) + " pJ"); }

    double energy_of(int m) const { return memory_energy_pj(common(m)); }

    std::int64_t scalar_accesses(int m) const {
        std::int64_t sum = 0;
        for (const sparse::TensorCosts& tensor : costs(m).tensors)
            sum += static_cast<std::int64_t>(
                tensor.instances *
                static_cast<double>(tensor.reads.algorithmic + tensor.updates.algorithmic + tensor.fills.algorithmic));
        return sum;
    }

    void write_computes() {
        level_ = architecture_.compute.name;
        const TimeloopResult& common = result_.common;
        const auto plain = [&](const char* key, const std::string& value) {
            line("    " + padded(key, 29) + ": " + value);
        };
        const double average = result_.compute_instances;
        plain("Utilized instances (max)", std::to_string(common.compute_units_used));
        plain("Utilized instances (average)", average == std::floor(average) ? whole(average) : two_decimals(average));
        plain("Cycles", std::to_string(common.compute_cycles));
        plain("Algorithmic Computes (total)", std::to_string(result_.costs.algorithmic_computes));
        plain("Actual Computes (total)", std::to_string(result_.costs.computes.actual));
        plain("Gated Computes (total)", std::to_string(result_.costs.computes.gated));
        plain("Skipped Computes (total)", std::to_string(result_.costs.computes.skipped));
        plain("Energy (total)", two_decimals(common.compute_energy_pj) + " pJ");
        const Compute& compute = architecture_.compute;
        plain("Area (total)", two_decimals(compute.area_um2.value * static_cast<double>(compute.instances)) + " um^2");
    }

    void write_memory(int m) {
        level_ = architecture_.memories[m].name;
        line("    Cycles               : " + std::to_string(common(m).cycles));
        line("    Bandwidth throttling : " + two_decimals(common(m).slowdown));
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            if (!costs(m).tensors[t].kept) continue;
            line("    " + einsum_.tensors[t].name + ":");
            write_room(costs(m).tensors[t], common(m).tensors[t]);
            write_accesses(costs(m).tensors[t]);
            write_costs(costs(m).tensors[t], common(m).tensors[t]);
            write_bandwidths(m, t);
        }
    }

    void write_room(const sparse::TensorCosts& tensor, const TimeloopTensor& common) {
        row("Partition size", common.partition_words);
        row("Tile density distribution", tensor.density);
        row("Data tile shape", tensor.tile_words);
        row("Max utilized data storage capacity", tensor.most_words);
        std::string formats;
        for (const std::string& rank : tensor.format) formats += rank + " ";
        row("Representation format", formats.empty() ? "none" : formats);
        if (tensor.format.empty()) {
            row("Max utilized Repr format storage capacity", 0);
        } else {
            line("        Max utilized Repr format storage capacity");
            for (std::size_t i = 0; i < tensor.most_metadata.size(); ++i)
                line(rank_text(tensor, i) + whole(tensor.most_metadata[i].metadata) + ", " +
                     whole(tensor.most_metadata[i].payload) + ")");
        }
        row("Utilized instances (max)", tensor.most_instances);
        row("Utilized instances (average)", two_decimals(tensor.instances));
        row("Utilized clusters (max)", common.clusters);
    }

    static std::string rank_text(const sparse::TensorCosts& tensor, std::size_t index) {
        return "            Rank " + std::to_string(tensor.format.size() - 1 - index) + " (metadata, payload): (";
    }

    void write_accesses(const sparse::TensorCosts& tensor) {
        const std::array kinds{std::pair("reads", &tensor.reads), std::pair("fills", &tensor.fills),
                               std::pair("updates", &tensor.updates)};
        for (const auto& [name, accesses] : kinds) {
            row("Algorithmic scalar " + std::string(name) + " (per-instance)", accesses->algorithmic);
            row("Actual scalar " + std::string(name) + " (per-instance)", accesses->data.actual);
            row("Gated scalar " + std::string(name) + " (per-instance)", accesses->data.gated);
            row("Skipped scalar " + std::string(name) + " (per-instance)", accesses->data.skipped);
        }
        if (tensor.format.empty()) return;
        for (const auto& [name, accesses] : kinds) {
            write_metadata(tensor, *accesses, "Actual", name, &sparse::Counts::actual);
            write_metadata(tensor, *accesses, "Gated", name, &sparse::Counts::gated);
            write_metadata(tensor, *accesses, "Skipped", name, &sparse::Counts::skipped);
        }
    }

    void write_metadata(const sparse::TensorCosts& tensor, const sparse::Accesses& accesses, const std::string& fate,
                        const std::string& kind, std::int64_t sparse::Counts::* count) {
        const std::string key = fate + " scalar format " + kind + " (per-instance)";
        if (accesses.metadata_rows.*count == 0) return row(key, 0);
        line("        " + key);
        for (std::size_t i = 0; i < accesses.metadata.size(); ++i)
            line(rank_text(tensor, i) + std::to_string(accesses.metadata[i].metadata.*count) + ",  " +
                 std::to_string(accesses.metadata[i].payload.*count) + ")");
    }

    void write_costs(const sparse::TensorCosts& tensor, const TimeloopTensor& common) {
        const double accesses = static_cast<double>(common.reads + common.fills + common.updates);
        row("Temporal reductions (per-instance)", common.temporal_reductions);
        row("Address generations (per-cluster)", common.address_generations);
        picojoules("Energy (per-scalar-access)",
                   tensor.instances > 0.0 ? quotient(common.energy_pj_per_instance, accesses) : 0.0);
        picojoules("Energy (per-instance)", common.energy_pj_per_instance);
        picojoules("Energy (total)", common.energy_pj);
        picojoules("Temporal Reduction Energy (per-instance)", 0.0);
        picojoules("Temporal Reduction Energy (total)", 0.0);
        picojoules("Address Generation Energy (per-cluster)",
                   common.clusters == 0 ? 0.0 : common.address_energy_pj / static_cast<double>(common.clusters));
        picojoules("Address Generation Energy (total)", common.address_energy_pj);
    }

    void write_bandwidths(int m, int t) {
        const sparse::TensorCosts& tensor = costs(m).tensors[t];
        const TimeloopTensor& common = this->common(m).tensors[t];
        row("Bandwidth Consumption Scale",
            two_decimals(bandwidth_scale(einsum_.tensors[t], architecture_.memories[m]).value_or(1.0)));
        const auto write = [&](const std::string& name, double words, double share, const char* closing) {
            row("Average " + name + " Bandwidth (per-instance)", two_decimals(words) + " words/cycle");
            line("            Breakdown (Data, Format): (" + two_decimals(1 - share * 100.0) + "%, " +
                 two_decimals(share * 100.0) + "%" + closing);
            row(name + " Bandwidth (total)",
                two_decimals(words * static_cast<double>(tensor.most_instances)) + " words/cycle");
        };
        write("Shared", common.read_words_per_cycle + common.write_words_per_cycle, tensor.metadata_share, "");
        write("Read", common.read_words_per_cycle, tensor.read_metadata_share, ")");
        write("Write", common.write_words_per_cycle, tensor.write_metadata_share, ")");
    }

    void write_intensity() {
        std::uint64_t traffic = 0;
        std::uint64_t results = 0;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            std::int64_t words = 0;
            for (int m = 0; m < architecture_.memory_count() && words == 0; ++m) words = costs(m).tensors[t].most_words;
            traffic += static_cast<std::uint64_t>(words);
            if (einsum_.tensors[t].written) results += static_cast<std::uint64_t>(words);
        }
        const auto computes = static_cast<std::uint64_t>(result_.costs.computes.actual);
        operations_ = static_cast<double>(computes + (computes - results));
        const auto plain = [&](const char* key, const std::string& value) {
            line("    " + padded(key, 40) + ": " + value);
        };
        plain("Total elementwise ops", std::to_string(computes));
        plain("Total reduction ops", std::to_string(computes - results));
        plain("Total ops", std::to_string(computes + (computes - results)));
        plain("Total memory accesses required", std::to_string(traffic));
        const auto per_byte = [&](int m, std::uint64_t words) {
            const auto bytes = static_cast<std::uint64_t>(architecture_.memories[m].word_bits) * words / 8;
            return float_text(float_quotient(operations_, static_cast<double>(bytes)));
        };
        plain("Optimal Op per Byte", per_byte(0, traffic));
        for (int m = architecture_.memory_count(); m-- > 0;) {
            line("=== " + architecture_.memories[m].name + " ===");
            const std::int64_t accesses = scalar_accesses(m);
            if (accesses == 0) continue;
            plain("Total scalar accesses", std::to_string(accesses));
            plain("Op per Byte", per_byte(m, static_cast<std::uint64_t>(accesses)));
        }
    }

    void write_summary() {
        const TimeloopResult& common = result_.common;
        const auto cycles = static_cast<double>(common.cycles);
        line("Summary Stats");
        line("-------------");
        line("GFLOPs (@1GHz): " + float_text(float_quotient(operations_, cycles)));
        line("Utilization: " + two_decimals(common.utilization * 100) + "%");
        line("Cycles: " + std::to_string(common.cycles));
        line("Energy: " + two_decimals(common.energy_pj / 1e6) + " uJ");
        line("EDP(J*cycle): " + scientific(static_cast<double>(static_cast<float>(cycles)) * common.energy_pj / 1e12));
        line("Area: 0.00 mm^2");
    }

    void write_energies(const std::string& title, const std::string& unit, std::int64_t computes) {
        line(title + " = " + std::to_string(computes));
        line(unit);
        const auto plain = [&](const std::string& name, double energy_pj) {
            line("    " + padded(name, name_width()) + "= " +
                 two_decimals(quotient(energy_pj * 1000, static_cast<double>(computes))));
        };
        if (result_.common.compute_energy_pj != 0.0)
            plain(architecture_.compute.name, result_.common.compute_energy_pj);
        for (int m = architecture_.memory_count(); m-- > 0;)
            if (energy_of(m) != 0.0) plain(architecture_.memories[m].name, energy_of(m));
        plain("Total", result_.common.energy_pj);
    }

    /// Width of the longest name, networks included.
    std::size_t name_width() const {
        std::size_t longest = architecture_.compute.name.size();
        for (const Memory& memory : architecture_.memories) longest = std::max(longest, memory.name.size());
        for (int m = 0; m < architecture_.memory_count(); ++m) {
            const bool innermost = m + 1 == architecture_.memory_count();
            const std::string& inner = innermost ? architecture_.compute.name : architecture_.memories[m + 1].name;
            longest = std::max(longest, architecture_.memories[m].name.size() + inner.size() + 6);
        }
        return longest + 1;
    }

    const SparseResult& result_;
    const Einsum& einsum_;
    const Architecture& architecture_;
    std::string level_;
    std::vector<StatsLine> lines_;
    double operations_ = 0.0;
};

}  // namespace

std::vector<StatsLine> sparse_stats(const SparseResult& result, const Einsum& einsum,
                                    const Architecture& architecture) {
    return Writer(result, einsum, architecture).run();
}

std::vector<StatsLine> stats_lines(std::string_view printed) {
    std::vector<StatsLine> lines;
    std::string level;
    bool counts = false;
    bool below = false;
    while (!printed.empty()) {
        const std::size_t end = printed.find('\n');
        std::string text(printed.substr(0, end));
        printed.remove_prefix(end == std::string_view::npos ? printed.size() : end + 1);
        while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.pop_back();
        if (text.empty()) continue;
        if (text == "Operational Intensity Stats") below = true;
        if (below) {
            level.clear();
            counts = text != "Operational Intensity Stats" && text.find_first_not_of('-') != std::string::npos;
            if (text == "-------------") counts = true;
        } else if (text.starts_with("=== ")) {
            level = text.substr(4, text.size() - 8);
        } else if (text == "    STATS") {
            counts = true;
            continue;
        } else if (text.starts_with("Level ") || text == "Networks") {
            counts = false;
        }
        const bool is_rule = text.find_first_not_of(" -") == std::string::npos;
        if (counts && (!is_rule || text == "-------------")) lines.push_back({level, std::move(text)});
    }
    return lines;
}

}  // namespace tilewright::account
