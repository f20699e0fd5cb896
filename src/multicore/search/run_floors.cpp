#include "multicore/search/run_floors.hpp"

#include <algorithm>

namespace tilewright::multicore {
namespace {

// Lanes are by name of dimension.
bool has_same_lanes(const Problem& problem, int a, int b) {
    const std::vector<Dimension>& one = problem.cascade().einsums[a].einsum.dimensions;
    const std::vector<Dimension>& other = problem.cascade().einsums[b].einsum.dimensions;
    const auto lanes = [](const package::CoreKind& kind, const Dimension& dimension) {
        const auto found = kind.lanes.find(dimension.name);
        return found == kind.lanes.end() ? std::int64_t{1} : found->second;
    };
    for (const package::CoreKind& kind : problem.package().kinds)
        for (std::size_t d = 0; d < one.size(); ++d)
            if (lanes(kind, one[d]) != lanes(kind, other[d])) return false;
    return true;
}

bool has_same_operand(const Problem& problem, int a, int b, int operand) {
    const Cascade& cascade = problem.cascade();
    const Tensor& one = cascade.einsums[a].einsum.tensors[operand];
    const Tensor& other = cascade.einsums[b].einsum.tensors[operand];
    const Access& access = cascade.einsums[a].accesses[operand];
    const Access& other_access = cascade.einsums[b].accesses[operand];
    const CascadeTensor& tensor = cascade.tensors[access.tensor];
    const CascadeTensor& other_tensor = cascade.tensors[other_access.tensor];
    return one.ranks == other.ranks && one.written == other.written && one.bits == other.bits &&
           access.coordinates == other_access.coordinates && access.anywhere == other_access.anywhere &&
           tensor.shape == other_tensor.shape &&
           problem.package().home_of(tensor.name) == problem.package().home_of(other_tensor.name);
}

bool has_same_form(const Problem& problem, int a, int b) {
    const Einsum& one = problem.cascade().einsums[a].einsum;
    const Einsum& other = problem.cascade().einsums[b].einsum;
    if (one.dimensions.size() != other.dimensions.size() || one.tensors.size() != other.tensors.size()) return false;
    for (std::size_t d = 0; d < one.dimensions.size(); ++d)
        if (one.dimensions[d].extent != other.dimensions[d].extent) return false;
    for (std::size_t kind = 0; kind < problem.package().kinds.size(); ++kind)
        if (problem.may_run(a, static_cast<int>(kind)) != problem.may_run(b, static_cast<int>(kind))) return false;
    for (int operand = 0; operand < one.tensor_count(); ++operand)
        if (!has_same_operand(problem, a, b, operand)) return false;
    return has_same_lanes(problem, a, b);
}

}  // namespace

std::vector<int> forms_of(const Problem& problem) {
    std::vector<int> forms;
    std::vector<int> firsts;
    for (int e = 0; e < problem.count(); ++e) {
        const auto same = std::ranges::find_if(firsts, [&](int first) { return has_same_form(problem, first, e); });
        forms.push_back(static_cast<int>(same - firsts.begin()));
        if (same == firsts.end()) firsts.push_back(e);
    }
    return forms;
}

std::vector<int> key_of_run(const Problem& problem, const std::vector<int>& forms, int first, int last) {
    std::vector<int> key;
    for (int e = first; e <= last; ++e) {
        key.push_back(forms[e]);
        for (const Reading& reading : problem.worker(e).reads) {
            const int maker = problem.maker(reading.tensor);
            const bool inside = maker >= first && maker <= last;
            int before = 0;  // how far its reader before is
            for (const int reader : problem.readers(reading.tensor))
                if (reader >= first && reader < e) before = e - reader;
            key.push_back(inside ? e - maker : 0);
            key.push_back(before);
        }
    }
    for (const int tensor : problem.worker(last).results) key.push_back(problem.is_wanted(tensor, last) ? 1 : 0);
    return key;
}

RunFloors::RunFloors(const Evaluator& evaluator) : evaluator_(evaluator), problem_(evaluator.problem()) {
    const DramPrices prices = dram_prices(evaluator);
    double write_pj = kNever;
    double read_pj = kNever;
    for (const package::CoreKind& kind : problem_.package().kinds) {
        write_pj = std::min(write_pj, kind.write_pj);
        read_pj = std::min(read_pj, kind.read_pj);
    }
    in_pj_ = prices.read_pj + prices.way_in_pj + write_pj;
    out_pj_ = read_pj + prices.way_out_pj + prices.write_pj;
    dram_rate_ = prices.rate;
    for (int e = 0; e < problem_.count(); ++e) {
        Least& one = least_.emplace_back();
        one.energy_pj = one.busy = kNever;
        for (std::size_t kind = 0; kind < problem_.package().kinds.size(); ++kind) {
            if (!problem_.may_run(e, static_cast<int>(kind))) continue;
            const LeafCost least = evaluator.leaves().in_sum(e, static_cast<int>(kind));
            one.energy_pj = std::min(one.energy_pj, least.energy_pj);
            one.busy = std::min(one.busy, static_cast<double>(least.cycles));
        }
        const Box points = problem_.points_behind(e, problem_.whole_result(e));
        one.results = static_cast<double>(words_of(problem_.whole_result(e)));
        for (const Reading& reading : problem_.worker(e).reads) {
            const Access& access = problem_.cascade().einsums[e].accesses[reading.operand];
            const std::int64_t words = words_of(problem_.touched(e, reading, points));
            const bool has_all = access.anywhere || is_gapless(access, points);
            one.reads.push_back({reading.tensor, has_all ? static_cast<double>(words) : 0.0,
                                 has_all && words == words_of(problem_.cascade().tensors[reading.tensor])});
        }
    }
}

Floor RunFloors::of(int first, int last) const {
    std::vector<bool> is_whole(last - first + 1, false);  // all of its results are made
    is_whole.back() = true;
    Floor floor;
    std::vector<std::pair<int, double>> from_outside;
    for (int e = last; e >= first; --e) {
        if (!is_whole[e - first]) continue;
        floor.energy_pj += least_[e].energy_pj;
        floor.busy += least_[e].busy;
        for (const Read& read : least_[e].reads) {
            const int maker = problem_.maker(read.tensor);
            if (maker >= first && maker <= last)
                is_whole[maker - first] = is_whole[maker - first] || read.is_covered;
            else
                from_outside.emplace_back(read.tensor, read.words);
        }
    }
    double dram_words = 0.0;
    std::ranges::sort(from_outside);
    for (std::size_t i = 0; i < from_outside.size(); ++i)
        if (i + 1 == from_outside.size() || from_outside[i + 1].first != from_outside[i].first)
            dram_words += from_outside[i].second;  // the most of its readers
    floor.energy_pj += dram_words * in_pj_;
    for (const int tensor : problem_.worker(last).results)
        if (problem_.is_wanted(tensor, last)) {
            floor.energy_pj += least_[last].results * out_pj_;
            dram_words += least_[last].results;
        }
    floor.dram_cycles = dram_words / dram_rate_;
    floor.cycles = std::max(floor.busy / problem_.package().core_count(), floor.dram_cycles);
    return floor;
}

}  // namespace tilewright::multicore
