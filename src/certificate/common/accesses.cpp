#include "certificate/common/accesses.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright::certificate {
namespace {

using Steps = std::vector<std::pair<int, std::int64_t>>;  // dimensions, and the operand's shift for each

std::int64_t last_of(const Einsum& einsum, int dimension) { return einsum.dimensions[dimension].extent - 1; }

// Largest steps first; dimensions of one value are no steps.
Steps steps_of(const Einsum& einsum, const std::vector<Term>& terms) {
    Steps steps;
    for (const Term& term : terms)
        if (last_of(einsum, term.dimension) > 0) steps.emplace_back(term.dimension, term.coefficient);
    std::ranges::sort(steps, [&](const auto& a, const auto& b) {
        const std::int64_t far_a = std::abs(a.second);
        const std::int64_t far_b = std::abs(b.second);
        if (far_a != far_b) return far_a > far_b;
        if (last_of(einsum, a.first) != last_of(einsum, b.first))
            return last_of(einsum, a.first) > last_of(einsum, b.first);
        return a.first < b.first;
    });
    return steps;
}

Rank counted_rank(Steps::const_iterator first, Steps::const_iterator end) {
    std::int64_t common = 0;
    for (auto step = first; step != end; ++step) common = std::gcd(common, step->second);
    Rank rank;
    for (auto step = first; step != end; ++step) rank.terms.push_back({step->first, step->second / common});
    return rank;
}

std::vector<Rank> ranks_of(const Einsum& einsum, const std::vector<Term>& terms) {
    const Steps steps = steps_of(einsum, terms);
    std::vector<Rank> ranks;
    auto first = steps.begin();
    for (auto step = steps.begin(); step != steps.end(); ++step) {
        std::int64_t rest = 0;  // reach of all smaller steps
        for (auto smaller = step + 1; smaller != steps.end(); ++smaller)
            rest = checked_add(rest, checked_mul(std::abs(smaller->second), last_of(einsum, smaller->first)));
        if (std::abs(step->second) <= rest) continue;
        ranks.push_back(counted_rank(first, step + 1));
        first = step + 1;
    }
    return ranks;
}

// `named`: dimensions of results, possibly driven by a shared loop even with one value.
void read_coordinate(const Einsum& einsum, const std::set<int>& named, Coordinate& coordinate) {
    std::vector<Term> terms;
    for (const auto& [dimension, step] : steps_of(einsum, coordinate.terms)) terms.push_back({dimension, step});
    std::vector<Term> still;
    for (const Term& term : coordinate.terms)
        if (last_of(einsum, term.dimension) == 0) still.push_back(term);
    std::ranges::sort(still, {}, [](const Term& t) { return std::pair(-std::abs(t.coefficient), t.dimension); });
    std::ranges::copy_if(still, std::back_inserter(terms), [&](const Term& t) { return named.contains(t.dimension); });
    if (terms.empty() && !still.empty()) terms.push_back(still.front());
    coordinate.terms = std::move(terms);
}

void read_einsum(CascadeEinsum& one) {
    std::set<int> named;
    for (const bool written : {true, false})
        for (std::size_t t = 0; t < one.accesses.size(); ++t) {
            if (one.einsum.tensors[t].written != written) continue;
            for (Coordinate& coordinate : one.accesses[t].coordinates) {
                read_coordinate(one.einsum, written ? std::set<int>{} : named, coordinate);
                for (const Term& term : coordinate.terms)
                    if (written) named.insert(term.dimension);
            }
        }
    for (std::size_t t = 0; t < one.accesses.size(); ++t) {
        std::vector<Rank> ranks;
        const auto add = [&](const std::vector<Term>& terms) {
            std::vector<Rank> axes = ranks_of(one.einsum, terms);
            if (axes.empty() && !terms.empty()) axes.push_back({{{terms.front().dimension, 1}}});
            for (Rank& rank : axes) ranks.push_back(std::move(rank));
        };
        for (const Coordinate& coordinate : one.accesses[t].coordinates) add(coordinate.terms);
        if (one.accesses[t].anywhere)
            for (const Rank& rank : one.einsum.tensors[t].ranks) add(rank.terms);
        one.einsum.tensors[t].ranks = std::move(ranks);
    }
}

// Unordered, without irrelevant dimensions.
std::multiset<Steps> as_set(const Einsum& einsum, const Tensor& tensor) {
    std::multiset<Steps> ranks;
    for (const Rank& rank : tensor.ranks)
        if (Steps steps = steps_of(einsum, rank.terms); !steps.empty()) ranks.insert(std::move(steps));
    return ranks;
}

std::string tensor_text(const Einsum& einsum, const Tensor& tensor) {
    const std::string text = to_text(Einsum{"", einsum.dimensions, {tensor}});
    return text.substr(text.find(tensor.name), text.rfind(']') + 1 - text.find(tensor.name));
}

// Results of one step an axis: those of several may be cut off at the border (transposed convolutions).
void note_outside(const Cascade& claimed, int e, std::size_t t, std::vector<WrongAccess>& wrong) {
    const CascadeEinsum& one = claimed.einsums[e];
    const Access& access = one.accesses[t];
    const CascadeTensor& tensor = claimed.tensors[access.tensor];
    for (std::size_t a = 0; a < access.coordinates.size(); ++a) {
        const Steps steps = steps_of(one.einsum, access.coordinates[a].terms);
        const std::int64_t first = access.coordinates[a].offset;
        if (steps.size() > 1) continue;
        const std::int64_t last =
            steps.empty() ? first
                          : checked_add(first, checked_mul(steps[0].second, last_of(one.einsum, steps[0].first)));
        if (std::min(first, last) >= 0 && std::max(first, last) < tensor.shape[a]) continue;
        wrong.push_back({"network.tensors." + std::to_string(access.tensor) + ".shape." + std::to_string(a),
                         "'" + one.name + "' makes words " + std::to_string(std::min(first, last)) + " to " +
                             std::to_string(std::max(first, last)) + " along axis " + std::to_string(a) + " of '" +
                             tensor.name + "', which has " + std::to_string(tensor.shape[a])});
    }
}

}  // namespace

Cascade as_read(const Cascade& cascade) {
    Cascade read = cascade;
    for (CascadeEinsum& one : read.einsums) read_einsum(one);
    return read;
}

std::vector<WrongAccess> wrong_accesses(const Cascade& claimed, const Cascade& read) {
    std::vector<WrongAccess> wrong;
    for (int e = 0; e < claimed.einsum_count(); ++e) {
        const Einsum& einsum = claimed.einsums[e].einsum;
        for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
            const Tensor& own = read.einsums[e].einsum.tensors[t];
            if (as_set(einsum, einsum.tensors[t]) != as_set(einsum, own))
                wrong.push_back(
                    {"network.einsums." + std::to_string(e) + ".einsum.tensors." + std::to_string(t) + ".ranks",
                     "'" + claimed.einsums[e].name + "' counts the words of " + tensor_text(einsum, einsum.tensors[t]) +
                         ", and its coordinates say " + tensor_text(einsum, own)});
            if (einsum.tensors[t].written) note_outside(claimed, e, t, wrong);
        }
    }
    return wrong;
}

}  // namespace tilewright::certificate
