#include "certificate/package/run_floors.hpp"

#include <algorithm>
#include <map>

#include "base/numbers/checked.hpp"

namespace tilewright::certificate::package_proof {

RunFloors::RunFloors(const Reading& reading, const Wires& wires, Leaves& leaves) : reading_(reading) {
    price(wires);
    for (int e = 0; e < reading.count(); ++e) {
        Least& one = least_.emplace_back();
        one.energy_pj = one.busy = kInfinite;
        for (int kind = 0; kind < reading.kinds(); ++kind) {
            if (!reading.runs_on(e, kind)) continue;
            const LeafCost least = leaves.least_in_sum(e, kind);
            one.energy_pj = std::min(one.energy_pj, least.energy_pj);
            one.busy = std::min(one.busy, static_cast<double>(least.cycles));
        }
        const Region whole = reading.whole_result(e);
        const Region iterations = reading.iterations(e, whole);
        one.results = static_cast<double>(size_of(whole));
        for (const Operand& operand : reading.operands(e)) {
            const std::int64_t words = reading.least_touched(e, operand, iterations);
            std::int64_t all = 1;
            for (const std::int64_t extent : reading.cascade().tensors[operand.tensor].shape) all *= extent;
            one.used.push_back({operand.tensor, static_cast<double>(words), words == all});
        }
    }
}

// Of the DRAM where a tensor lies, or of any.
void RunFloors::price(const Wires& wires) {
    const package::Package& package = reading_.package();
    for (const package::Dram& dram : package.drams) rate_ += dram.words_per_cycle;
    for (int core = 0; core < package.core_count(); ++core) leakage_pj_ += package.kind_of(core).leak_pj_per_cycle;
    for (int t = 0; t < reading_.cascade().tensor_count(); ++t) {
        in_pj_.push_back(kInfinite);
        out_pj_.push_back(kInfinite);
        const int home = package.home_of(reading_.cascade().tensors[t].name);
        for (int dram = std::max(home, 0); dram < (home < 0 ? package.dram_count() : home + 1); ++dram)
            for (int core = 0; core < package.core_count(); ++core) {
                const package::CoreKind& kind = package.kind_of(core);
                const auto runs = [&](int e) { return reading_.runs_on(e, package.cores[core].kind); };
                const int node = wires.dram(dram);
                if (std::ranges::any_of(reading_.readers(t), runs))
                    in_pj_[t] = std::min(
                        in_pj_[t], package.drams[dram].read_pj + wires.to_node(node, core).energy_pj + kind.write_pj);
                if (reading_.maker(t) >= 0 && runs(reading_.maker(t)))
                    out_pj_[t] = std::min(
                        out_pj_[t], kind.read_pj + wires.to_node(core, node).energy_pj + package.drams[dram].write_pj);
            }
    }
}

// An einsum whose results are not all needed for sure may be made in part, and counts for nothing.
RunFloor RunFloors::of(int first, int last) const {
    std::vector<bool> is_whole(last - first + 1, false);
    is_whole.back() = true;
    RunFloor floor;
    double busy = 0.0;
    std::map<int, double> from_outside;  // words by tensor: of its greediest reader
    for (int e = last; e >= first; --e) {
        if (!is_whole[e - first]) continue;
        floor.energy_pj += least_[e].energy_pj;
        busy += least_[e].busy;
        for (const Used& used : least_[e].used) {
            if (!reading_.is_inside(used.tensor, first, last)) {
                double& words = from_outside[used.tensor];
                words = std::max(words, used.words);
            } else if (used.is_covered && reading_.maker(used.tensor) < e) {
                is_whole[reading_.maker(used.tensor) - first] = true;
            }
        }
    }
    double dram_words = 0.0;
    for (const auto& [tensor, words] : from_outside) {
        dram_words += words;
        floor.energy_pj += words * in_pj_[tensor];
    }
    for (const int tensor : reading_.results(last))
        if (reading_.is_wanted(tensor, last)) {
            dram_words += least_[last].results;
            floor.energy_pj += least_[last].results * out_pj_[tensor];
        }
    floor.cycles = std::max(busy / static_cast<double>(reading_.package().core_count()), dram_words / rate_);
    floor.energy_pj += floor.cycles * leakage_pj_;
    return floor;
}

}  // namespace tilewright::certificate::package_proof
