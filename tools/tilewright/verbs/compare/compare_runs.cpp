#include "verbs/compare/compare_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/numbers/number_text.hpp"
#include "inputs/inputs.hpp"
#include "report/documents/documents.hpp"
#include "report/parts/table.hpp"

namespace tilewright::cli {
namespace {

using views::Run;

constexpr std::size_t kMostLayers = 40;

// "1.2 uJ", "1.1 uJ (-8.3 %)": a value of each run, and of all but the first how it differs from that one's.
std::vector<std::string> cells(const std::vector<std::optional<double>>& values,
                               const std::function<std::string(double)>& text) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i]) {
            row.emplace_back("-");
            continue;
        }
        std::string cell = text(*values[i]);
        const std::optional<double>& first = values.front();
        if (i > 0 && first && *first != 0.0)
            cell += fmt::format(" ({:+.1f} %)", 100.0 * (*values[i] - *first) / std::abs(*first));
        row.push_back(std::move(cell));
    }
    return row;
}

class RunsText {
   public:
    explicit RunsText(const std::vector<Run>& runs) : runs_(runs) {}

    std::string text() const { return totals() + technology_warning() + "\n" + memories() + "\n" + layers(); }

   private:
    using Of = std::function<std::optional<double>(const Run&)>;

    report::Table table(const std::string& first) const {
        std::vector<std::string> names{first};
        for (const Run& run : runs_) names.push_back(run.title);
        return {names, "l" + std::string(runs_.size(), 'r')};
    }

    void add(report::Table& table, const std::string& name, const Of& of,
             const std::function<std::string(double)>& text) const {
        std::vector<std::optional<double>> values;
        values.reserve(runs_.size());
        for (const Run& run : runs_) values.push_back(of(run));
        if (std::ranges::none_of(values, [](const auto& value) { return value.has_value(); })) return;
        std::vector<std::string> row = cells(values, text);
        row.insert(row.begin(), name);
        table.add(std::move(row));
    }

    static std::optional<double> seconds_of(const Run& run) {
        if (!run.cycle_seconds) return std::nullopt;
        return views::totals(run).cycles * *run.cycle_seconds;
    }

    static std::optional<double> utilization_of(const Run& run) {
        const views::Totals sum = views::totals(run);
        if (run.units <= 0.0 || sum.cycles <= 0.0) return std::nullopt;
        return sum.computes / (run.units * sum.cycles);
    }

    static Of of_summary(double (*figure)(const report::Summary&)) {
        return [figure](const Run& run) {
            return run.summary ? std::optional(figure(*run.summary)) : std::optional<double>();
        };
    }

    void add_technologies(report::Table& table) const {
        std::vector<std::string> row{"technology"};
        for (const Run& run : runs_) row.push_back(run.technology.empty() ? "-" : run.technology);
        table.add(std::move(row));
    }

    // Of runs that say theirs.
    std::string technology_warning() const {
        std::set<std::string> all;
        for (const Run& run : runs_)
            if (!run.technology.empty()) all.insert(run.technology);
        if (all.size() < 2) return "";
        return fmt::format(
            "  warning: the technologies differ ({}): energies and areas do not say which design is better\n",
            fmt::join(all, ", "));
    }

    static std::string count(double value) { return count_text(std::round(value)); }
    static auto si(const char* unit) {
        return [unit](double value) { return si_text(value, unit); };
    }

    std::string totals() const {
        report::Table rows = table("all layers");
        add(rows, "energy", [](const Run& run) { return views::totals(run).energy_pj; }, energy_text);
        add(rows, "latency (cycles)", [](const Run& run) { return views::totals(run).cycles; }, count);
        add(rows, "latency (s)", seconds_of, si("s"));
        add(
            rows, "power",
            [](const Run& run) -> std::optional<double> {
                const auto seconds = seconds_of(run);
                if (!seconds || *seconds <= 0.0) return std::nullopt;
                return views::totals(run).energy_pj * 1e-12 / *seconds;
            },
            si("W"));
        add(
            rows, "TOPS/W",
            [](const Run& run) -> std::optional<double> {
                const views::Totals sum = views::totals(run);
                if (sum.energy_pj <= 0.0) return std::nullopt;
                return 2.0 * sum.computes / sum.energy_pj;
            },
            figure_text);
        add(
            rows, "EDP (J*cycles)",
            [](const Run& run) {
                const views::Totals sum = views::totals(run);
                return sum.energy_pj * sum.cycles * 1e-12;
            },
            figure_text);
        add(rows, "utilization", utilization_of, share_text);
        add(rows, "memory-bound layers", of_summary([](const report::Summary& all) { return all.memory_bound_share; }),
            share_text);
        add(rows, "memory-bound cycles",
            of_summary([](const report::Summary& all) { return all.memory_bound_cycles_share; }), share_text);
        add(rows, "activations spilled",
            of_summary([](const report::Summary& all) { return all.spilled ? all.spilled->bytes : 0.0; }), si("B"));
        add(rows, "energy of these",
            of_summary([](const report::Summary& all) { return all.spilled ? all.spilled->energy_pj : 0.0; }),
            energy_text);
        add(rows, "multiply-accumulates", [](const Run& run) { return views::totals(run).computes; }, count);
        add(rows, "area", [](const Run& run) { return run.area_um2; }, area_text);
        add(
            rows, "clock",
            [](const Run& run) -> std::optional<double> {
                if (!run.cycle_seconds || *run.cycle_seconds <= 0.0) return std::nullopt;
                return 1.0 / *run.cycle_seconds;
            },
            si("Hz"));
        add_technologies(rows);
        add(
            rows, "layers without a mapping",
            [](const Run& run) -> std::optional<double> {
                const double missing = views::totals(run).missing;
                return missing > 0.0 ? std::optional(missing) : std::nullopt;
            },
            count);
        return rows.text();
    }

    static std::map<std::string, double> energies_of(const Run& run, std::vector<std::string>& names) {
        std::map<std::string, double> energies;
        const auto add = [&](const std::string& name, double energy_pj) {
            if (!energies.contains(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
            energies[name] += energy_pj;
        };
        for (const views::Layer& layer : run.layers) {
            if (!layer.costs) continue;
            for (const views::MemoryCosts& memory : layer.costs->memories)
                add(memory.memory, layer.repeats * memory.energy_pj());
            add("compute units", layer.repeats * layer.costs->compute_energy_pj);
        }
        return energies;
    }

    std::string memories() const {
        std::vector<std::string> names;
        std::vector<std::map<std::string, double>> energies;
        for (const Run& run : runs_) energies.push_back(energies_of(run, names));
        report::Table rows = table("energy of");
        for (const std::string& name : names) {
            std::size_t i = 0;
            const auto of = [&](const Run&) -> std::optional<double> {
                const auto& one = energies[i++];
                const auto found = one.find(name);
                return found == one.end() ? std::nullopt : std::optional(found->second);
            };
            if (std::ranges::any_of(energies,
                                    [&](const auto& one) { return one.contains(name) && one.at(name) > 0.0; }))
                add(rows, name, of, energy_text);
        }
        return rows.text();
    }

    static const views::Layer* layer_named(const Run& run, const std::string& name) {
        for (const views::Layer& layer : run.layers)
            if (layer.name == name) return &layer;
        return nullptr;
    }

    static std::optional<double> energy_of(const Run& run, const std::string& layer) {
        const views::Layer* const found = layer_named(run, layer);
        if (found == nullptr || !found->costs) return std::nullopt;
        return found->repeats * found->costs->energy_pj;
    }

    // How far the runs are apart, in pJ.
    double difference(const std::string& layer) const {
        double least = 0.0;
        double most = 0.0;
        bool first = true;
        for (const Run& run : runs_) {
            const double energy = energy_of(run, layer).value_or(0.0);
            least = first ? energy : std::min(least, energy);
            most = first ? energy : std::max(most, energy);
            first = false;
        }
        return most - least;
    }

    // Those that differ most first.
    std::string layers() const {
        std::vector<std::string> names;
        for (const Run& run : runs_)
            for (const views::Layer& layer : run.layers)
                if (std::ranges::find(names, layer.name) == names.end()) names.push_back(layer.name);
        std::ranges::stable_sort(names, [&](const auto& a, const auto& b) { return difference(a) > difference(b); });
        report::Table rows = table("energy of layer");
        for (std::size_t i = 0; i < std::min(names.size(), kMostLayers); ++i)
            add(rows, names[i], [&](const Run& run) { return energy_of(run, names[i]); }, energy_text);
        std::string text = rows.text();
        if (names.size() > kMostLayers) text += fmt::format("  and {} more\n", names.size() - kMostLayers);
        return text;
    }

    const std::vector<Run>& runs_;
};

}  // namespace

bool are_runs(const std::vector<std::string>& words) {
    std::error_code ignored;
    return !words.empty() && std::ranges::all_of(words, [&](const std::string& word) {
        return word.ends_with(".json") || std::filesystem::is_directory(word, ignored);
    });
}

std::vector<views::Document> read_documents(const std::vector<std::string>& words,
                                            std::optional<std::int64_t> largest_input_mib) {
    std::vector<views::Document> documents;
    for (const std::string& word : words) {
        if (!std::filesystem::is_directory(word)) check_input_size(largest_input_mib, word);
        documents.push_back(
            documents::read_document(std::filesystem::path(word), most_input_bytes(largest_input_mib, "")));
    }
    return documents;
}

std::string runs_text(const std::vector<views::Run>& runs) { return RunsText(runs).text(); }

}  // namespace tilewright::cli
