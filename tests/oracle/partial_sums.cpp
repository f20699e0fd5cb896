#include "oracle/partial_sums.hpp"

#include <map>
#include <set>
#include <variant>

namespace tilewright::oracle {
namespace {

using Address = std::vector<std::int64_t>;
using UnderWhom = std::vector<std::int64_t>;  // steps of the spatial loops outside

class Contributions {
   public:
    Contributions(const Einsum& einsum, const Mapping& mapping, int memories)
        : einsum_(einsum), mapping_(mapping), instances_(static_cast<std::size_t>(memories)) {
        at_.assign(static_cast<std::size_t>(memories), std::vector<UnderWhom>(einsum.tensors.size()));
        point_.assign(einsum.dimensions.size(), 0);
        UnderWhom outermost;
        step(0, outermost);
    }

    std::vector<std::vector<double>> finished() const {
        std::vector<std::vector<double>> words(instances_.size(), std::vector<double>(einsum_.tensors.size(), 0.0));
        for (std::size_t m = 0; m < instances_.size(); ++m)
            for (const auto& [word, under] : instances_[m])
                if (under.size() == 1) words[m][word.first] += 1.0;
        return words;
    }

   private:
    // A loop's step adds its digit: with perfect factors, outer digits count for more.
    void step(std::size_t node, UnderWhom& instance) {
        if (node == mapping_.nodes.size()) return contribute();
        if (const Store* const store = std::get_if<Store>(&mapping_.nodes[node])) {
            for (std::size_t t = 0; t < einsum_.tensors.size(); ++t)
                if (store->tensors.has(static_cast<int>(t))) at_[store->memory][t] = instance;
            return step(node + 1, instance);
        }
        const Loop& loop = std::get<Loop>(mapping_.nodes[node]);
        std::int64_t& value = point_[loop.dimension];
        const std::int64_t outside = value;
        for (std::int64_t digit = 0; digit < loop.extent; ++digit) {
            value = outside * loop.extent + digit;
            if (loop.is_spatial()) instance.push_back(digit);
            step(node + 1, instance);
            if (loop.is_spatial()) instance.pop_back();
        }
        value = outside;
    }

    void contribute() {
        for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
            if (!einsum_.tensors[t].written) continue;
            Address word;
            for (const Rank& rank : einsum_.tensors[t].ranks) {
                std::int64_t at = 0;
                for (const Term& term : rank.terms) at += term.coefficient * point_[term.dimension];
                word.push_back(at);
            }
            for (std::size_t m = 0; m < instances_.size(); ++m) instances_[m][{t, word}].insert(at_[m][t]);
        }
    }

    const Einsum& einsum_;
    const Mapping& mapping_;
    std::vector<std::map<std::pair<std::size_t, Address>, std::set<UnderWhom>>> instances_;  // by memory
    std::vector<std::vector<UnderWhom>> at_;                                                 // by memory and tensor
    std::vector<std::int64_t> point_;                                                        // by dimension
};

}  // namespace

std::vector<std::vector<double>> words_finished_under_one(const Einsum& einsum, const Mapping& mapping, int memories) {
    return Contributions(einsum, mapping, memories).finished();
}

}  // namespace tilewright::oracle
