// The study behind docs/salsa.md: five networks on the machine of the SALSA paper, searched by SALSA, LOMA, our
// annealing, branch and bound, and full enumeration; how often single runs on ResNet-34 end at the best order; and the
// paper's figures (figures.hpp).
//
//     salsa_study FOLDER OUT [--runs 500] [--orders 20000000]
//     salsa_study FOLDER --figure 3|4|5|6|readings [--summary]
//
// FOLDER holds machine.yaml, NETWORK.yaml and NETWORK-mapping.yaml. What is in OUT/layers.csv and OUT/runs.csv already
// is not searched again. One thread; seconds are processor time. With --figure one figure alone, without OUT; with
// --summary as one line, as docs/papers.md has it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "command_line/command_line.hpp"
#include "figures.hpp"
#include "layers.hpp"
#include "readings.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::salsa_study;

constexpr double kEqual = 1e-9;
constexpr int kSeeds = 100;
constexpr std::array kNetworks{"alexnet", "resnet34", "resnet50", "darknet19", "mobilenetv2"};

// A file of comma-separated rows whose first `keys` fields say what was done.
class Table {
   public:
    Table(std::filesystem::path path, const std::string& header, int keys) : path_(std::move(path)), keys_(keys) {
        std::ifstream in(path_);
        std::string line;
        for (bool first = true; std::getline(in, line); first = false)
            if (!first) keep(line);
        if (rows_.empty()) std::ofstream(path_) << header << '\n';
    }

    const std::vector<std::string>* find(const std::vector<std::string>& key) const {
        const auto found = rows_.find(key);
        return found == rows_.end() ? nullptr : &found->second;
    }

    void add(const std::string& row) {
        std::ofstream(path_, std::ios::app) << row << '\n';
        keep(row);
    }

   private:
    void keep(const std::string& line) {
        std::vector<std::string> fields;
        std::stringstream in(line);
        for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
        if (static_cast<int>(fields.size()) <= keys_) return;  // cut off by an interruption
        rows_[{fields.begin(), fields.begin() + keys_}] = {fields.begin() + keys_, fields.end()};
    }

    std::filesystem::path path_;
    int keys_;
    std::map<std::vector<std::string>, std::vector<std::string>> rows_;
};

struct Contestant {
    std::string name, search;
    orders::Settings settings;
};

std::vector<Contestant> contestants(std::int64_t most_orders) {
    std::vector<Contestant> all{
        {"salsa", "salsa", {}},   {"salsa 0.995", "salsa", {}},     {"loma 6", "loma", {}},    {"loma 7", "loma", {}},
        {"anneal", "anneal", {}}, {"exhaustive", "exhaustive", {}}, {"optimal", "optimal", {}}};
    all[1].settings.cooling.factor = 0.995;
    all[3].settings.lpf_limit = 7;
    all[5].settings.most_orders = most_orders;
    return all;
}

void search_layer(const Layer& layer, const Contestant& contestant, Table& table) {
    const auto* done = table.find({layer.network, layer.name, contestant.name});
    if (done != nullptr && done->front() != "none") return;  // what was too large may no longer be
    const auto [answer, seconds] = run(layer, contestant.search, contestant.settings);
    table.add(fmt::format("{},{},{},{},{},{},{},{:.6f}", layer.network, layer.name, contestant.name,
                          answer.failure.empty() ? fmt::format("{}", answer.cost.energy_pj) : "none",
                          answer.cost.latency_cycles, to_text(answer.orders), answer.evaluations, seconds));
}

// The least energy of a layer, as branch and bound proves it, and whether every order was seen, too.
struct Reference {
    double energy_pj = 0.0;
    bool all_orders_seen = false;
};

// Throws when any search knows a better order, or all orders have another best one.
Reference reference_of(const Layer& layer, const Table& table) {
    Reference reference;
    reference.energy_pj = std::stod(table.find({layer.network, layer.name, "optimal"})->front());
    for (const char* name : {"exhaustive", "anneal", "salsa", "salsa 0.995", "loma 6", "loma 7"}) {
        const auto* row = table.find({layer.network, layer.name, name});
        if (row == nullptr || row->front() == "none") continue;
        const double above = std::stod(row->front()) / reference.energy_pj - 1.0;
        const bool all_orders = name == std::string("exhaustive");
        if (above < -kEqual || (all_orders && above > kEqual))
            throw std::runtime_error(layer.network + "/" + layer.name + ": " + name + " refutes the proof");
        reference.all_orders_seen = reference.all_orders_seen || all_orders;
    }
    return reference;
}

void repeat_runs(const Layer& layer, const Contestant& contestant, int runs, const Reference& reference, Table& table) {
    const std::string count = std::to_string(runs);
    if (table.find({layer.network, layer.name, contestant.name, count}) != nullptr) return;
    int hits = 0;
    double excess = 0.0;
    double worst = 0.0;
    for (int run = 1; run <= runs; ++run) {
        orders::Settings settings = contestant.settings;
        settings.seed = static_cast<std::uint64_t>(run);
        const orders::Answer answer = orders::find_search(contestant.search)->run(layer.problem, settings);
        const double above = answer.cost.energy_pj / reference.energy_pj - 1.0;
        if (above <= kEqual) ++hits;
        excess += above;
        worst = std::max(worst, above);
    }
    table.add(fmt::format("{},{},{},{},{},{:.8f},{:.8f},{},{}", layer.network, layer.name, contestant.name, count, hits,
                          excess / runs, worst, reference.energy_pj,
                          reference.all_orders_seen ? "all orders" : "proof"));
}

double seconds_for_all_orders(const std::vector<Layer>& layers, const Table& table) {
    double seconds = 0.0;
    for (const Layer& layer : layers) {
        const auto* row = table.find({layer.network, layer.name, "exhaustive"});
        if (row != nullptr && row->front() != "none") seconds += std::stod((*row)[4]);
    }
    return seconds;
}

void print_networks(const std::vector<std::vector<Layer>>& networks, const Table& table) {
    const std::vector<std::string> names{"salsa", "salsa 0.995", "loma 6", "loma 7", "anneal", "optimal"};
    fmt::print("| network | layers (all orders seen, too) | proven best mJ |");
    for (const std::string& name : names) fmt::print(" {}: energy, ms a layer |", name);
    fmt::print(" all orders, where seen: ms a layer |\n|---|---|---|{}\n", "---|---|---|---|---|---|---|");
    for (const std::vector<Layer>& layers : networks) {
        double best = 0.0;
        int seen = 0;
        std::map<std::string, std::pair<double, double>> sums;
        for (const Layer& layer : layers) {
            const Reference reference = reference_of(layer, table);
            best += reference.energy_pj;
            seen += reference.all_orders_seen ? 1 : 0;
            for (const std::string& name : names) {
                const auto& row = *table.find({layer.network, layer.name, name});
                sums[name].first += std::stod(row[0]);
                sums[name].second += std::stod(row[4]);
            }
        }
        fmt::print("| {} | {} ({}) | {:.4f} |", layers.front().network, layers.size(), seen, best * 1e-9);
        for (const std::string& name : names)
            fmt::print(" +{:.2f} %, {:.2f} |", 100.0 * (sums[name].first / best - 1.0),
                       1000.0 * sums[name].second / static_cast<double>(layers.size()));
        fmt::print(" {:.0f} |\n", 1000.0 * seconds_for_all_orders(layers, table) / std::max(1, seen));
    }
}

void print_runs(const std::vector<Layer>& layers, const std::vector<Contestant>& runners, int runs,
                const Table& table) {
    fmt::print("\n| ResNet-34, {} runs | judged by |", runs);
    for (const Contestant& one : runners) fmt::print(" {}: at the best, mean above |", one.name);
    fmt::print("\n|---|---|---|---|---|\n");
    std::map<std::string, std::pair<double, double>> sums;
    for (const Layer& layer : layers) {
        for (const Contestant& one : runners) {
            const auto& row = *table.find({layer.network, layer.name, one.name, std::to_string(runs)});
            const double share = 100.0 * std::stod(row[0]) / runs;
            const double above = 100.0 * std::stod(row[1]);
            if (&one == &runners.front()) fmt::print("| {} | {} |", layer.name, row[4]);
            fmt::print(" {:.1f} %, {:.3f} % |", share, above);
            sums[one.name].first += share / static_cast<double>(layers.size());
            sums[one.name].second += above / static_cast<double>(layers.size());
        }
        fmt::print("\n");
    }
    fmt::print("| mean of the layers | |");
    for (const Contestant& one : runners)
        fmt::print(" {:.1f} %, {:.3f} % |", sums[one.name].first, sums[one.name].second);
    fmt::print("\n");
}

void study(const std::filesystem::path& folder, const std::filesystem::path& out, int runs, std::int64_t most_orders) {
    std::filesystem::create_directories(out);
    Table table(out / "layers.csv", "network,layer,search,energy_pj,latency_cycles,orders,evaluations,seconds", 3);
    Table repeated(out / "runs.csv", "network,layer,search,runs,hits,mean_above,worst_above,reference_pj,judged_by", 4);
    std::vector<Contestant> all = contestants(most_orders);
    std::vector<std::vector<Layer>> networks;
    for (const char* network : kNetworks) {
        networks.push_back(layers_of(folder, network));
        for (const Layer& layer : networks.back())
            for (const Contestant& contestant : all) search_layer(layer, contestant, table);
    }
    const std::vector<Contestant> runners{all[0], all[1], all[4]};
    for (const Layer& layer : networks[1])
        for (const Contestant& runner : runners) repeat_runs(layer, runner, runs, reference_of(layer, table), repeated);
    print_networks(networks, table);
    print_runs(networks[1], runners, runs, repeated);
    print_layers(networks[2], kSeeds);
    print_losses(networks, kSeeds);
    print_limits("Figure 3: AlexNet layer 2", networks[0].at(1), most_orders);
    print_limits("Figure 6: MobileNetV2 layer 3", networks[4].at(2), most_orders);
    print_distribution("Figure 4: AlexNet layer 2", networks[0].at(1), kSeeds);
    print_readings(folder, runs, false);
}

// One figure alone, which needs no tables of earlier runs.
void figure(const std::filesystem::path& folder, const std::string& name, int runs, std::int64_t most_orders,
            bool summary) {
    if (name == "readings") return print_readings(folder, runs, summary);
    std::vector<std::vector<Layer>> networks;
    for (const char* network : kNetworks) networks.push_back(layers_of(folder, network));
    const Layer& third = networks[0].at(1);
    const Layer& sixth = networks[4].at(2);
    if (name == "3" && summary) return print_limits_line("SALSA Fig. 3", third);
    if (name == "6" && summary) return print_limits_line("SALSA Fig. 6", sixth);
    if (name == "3") return print_limits("Figure 3: AlexNet layer 2", third, most_orders);
    if (name == "6") return print_limits("Figure 6: MobileNetV2 layer 3", sixth, most_orders);
    if (name == "4") return print_distribution("Figure 4: AlexNet layer 2", third, kSeeds);
    if (name == "5" && summary) return print_gains(networks);
    if (name == "5") return print_layers(networks[2], kSeeds);
    throw std::runtime_error("there is no figure '" + name + "'; there are 3, 4, 5, 6 and readings");
}

}  // namespace

int main(int argc, char** argv) {
    CommandLine line("SALSA, LOMA and all orders on five networks");
    std::filesystem::path folder;
    std::filesystem::path out;
    std::string chosen;
    bool summary = false;
    int runs = 500;
    std::int64_t most_orders = 20'000'000;
    line.option("FOLDER", &folder, "machine, networks and spatial mappings", {.required = true});
    line.option("OUT", &out, "tables, which are continued");
    line.option("--figure", &chosen, "only this one: 3, 4, 5, 6 or readings (of the paper's 99.9 %)");
    line.option("--summary", &summary, "with --figure: a line, as docs/papers.md has it");
    line.option("--runs", &runs, "of each layer of ResNet-34", {.positive = true});
    line.option("--orders", &most_orders, "layers with more are not enumerated");
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    try {
        if (!chosen.empty())
            figure(folder, chosen, runs, most_orders, summary);
        else if (!out.empty())
            study(folder, out, runs, most_orders);
        else
            throw std::runtime_error("OUT is missing: a folder for tables, or --figure");
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
    return 0;
}
