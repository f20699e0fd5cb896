#include "oracle/partial_sums.hpp"

#include <map>
#include <set>
#include <variant>

namespace tilewright::oracle {
namespace {

using Address = std::vector<std::int64_t>;
using UnderWhom = std::vector<std::int64_t>;  // the place in every block of spatial loops outside

class Contributions {
   public:
    Contributions(const Einsum& einsum, const Mapping& mapping, int memories)
        : einsum_(einsum), mapping_(mapping), instances_(static_cast<std::size_t>(memories)) {
        at_.assign(static_cast<std::size_t>(memories), std::vector<UnderWhom>(einsum.tensors.size()));
        point_.assign(einsum.dimensions.size(), 0);
        UnderWhom outermost;
        std::int64_t none = 0;
        step(0, outermost, none);
    }

    std::vector<std::vector<double>> finished() const {
        std::vector<std::vector<double>> words(instances_.size(), std::vector<double>(einsum_.tensors.size(), 0.0));
        for (std::size_t m = 0; m < instances_.size(); ++m)
            for (const auto& [word, under] : instances_[m])
                if (under.size() == 1) words[m][word.first] += 1.0;
        return words;
    }

   private:
    bool is_spatial(std::size_t node) const {
        const Loop* const loop = node < mapping_.nodes.size() ? std::get_if<Loop>(&mapping_.nodes[node]) : nullptr;
        return loop != nullptr && loop->is_spatial();
    }

    // Points of the dimension that one step of the loop covers at most.
    std::int64_t step_size(std::size_t node) const {
        const int dimension = std::get<Loop>(mapping_.nodes[node]).dimension;
        std::int64_t points = 1;
        for (std::size_t i = node + 1; i < mapping_.nodes.size(); ++i) {
            const Loop* const inner = std::get_if<Loop>(&mapping_.nodes[i]);
            if (inner != nullptr && inner->dimension == dimension) points *= inner->extent;
        }
        return points;
    }

    // `places`: of the block of spatial loops that the node is in, those that are taken: the neighbours that exist in a
    // step are numbered one after the other.
    void step(std::size_t node, UnderWhom& instance, std::int64_t& places) {
        if (node > 0 && is_spatial(node - 1) && !is_spatial(node)) {
            instance.push_back(places++);
            inside(node, instance);
            instance.pop_back();
            return;
        }
        if (!is_spatial(node)) return inside(node, instance);
        if (node == 0 || !is_spatial(node - 1)) {
            std::int64_t own = 0;
            return run(node, instance, own);
        }
        run(node, instance, places);
    }

    void inside(std::size_t node, UnderWhom& instance) {
        if (node == mapping_.nodes.size()) return contribute();
        if (const Store* const store = std::get_if<Store>(&mapping_.nodes[node])) {
            for (std::size_t t = 0; t < einsum_.tensors.size(); ++t)
                if (store->tensors.has(static_cast<int>(t))) at_[store->memory][t] = instance;
            std::int64_t none = 0;
            return step(node + 1, instance, none);
        }
        std::int64_t none = 0;
        run(node, instance, none);
    }

    // A loop ends where its step would begin outside the layer.
    void run(std::size_t node, UnderWhom& instance, std::int64_t& places) {
        const Loop& loop = std::get<Loop>(mapping_.nodes[node]);
        std::int64_t& value = point_[loop.dimension];
        const std::int64_t begin = value;
        const std::int64_t points = step_size(node);
        for (std::int64_t digit = 0; digit < loop.extent; ++digit) {
            value = begin + digit * points;
            if (value < einsum_.dimensions[loop.dimension].extent) step(node + 1, instance, places);
        }
        value = begin;
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
