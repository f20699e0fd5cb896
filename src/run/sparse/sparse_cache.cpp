#include "run/sparse/sparse_cache.hpp"

#include "base/cache/store.hpp"
#include "base/error.hpp"
#include "model/sparse/sparse_model.hpp"
#include "native/problem.hpp"
#include "native/sparse_design.hpp"
#include "run/answer_text.hpp"
#include "run/search.hpp"

namespace tilewright {
namespace {

/// Goes up whenever the exact account of zeros or its search may answer something else than before.
constexpr int kSparseVersion = 1;

std::string sparse_key(const LayerProblem& problem, const sparse::Design& design, const MapOptions& options) {
    return answer_key(options, intended_mapper(options)) + " zeros " + std::to_string(kSparseVersion) + " " +
           native::to_text(design) + " " + native::to_text(native::without_names(problem));
}

// Options of a mapper's own are not part of the key.
bool may_be_proven(const MapOptions& options) {
    return intended_mapper(options) == MapperKind::optimal && !options.made_by;
}

std::optional<Evaluation> sparse_costs_now(const LayerProblem& problem, const sparse::Design& design,
                                           const Mapping& mapping) {
    if (!sparse::check(problem.einsum, problem.architecture, mapping, design).empty()) return std::nullopt;
    sparse::ExactResult counted = sparse::evaluate(problem.einsum, problem.architecture, mapping, design);
    if (!counted.uncounted.empty()) return std::nullopt;
    return std::move(counted.evaluation);
}

}  // namespace

SparseCache::SparseCache(AnswerCache::Options options) : options_(std::move(options)) {
    if (options_.directory) store_ = std::make_unique<cache::Store>(*options_.directory);
}

SparseCache::~SparseCache() = default;

std::optional<LayerAnswer> SparseCache::find(const LayerProblem& problem, const sparse::Design& design,
                                             const MapOptions& options) {
    if (!store_ || !may_be_proven(options)) return std::nullopt;
    const cache::Found entry = store_->read(sparse_key(problem, design, options));
    if (entry.value) {
        std::optional<LayerAnswer> answer = believed_answer(
            *entry.value, problem, [&](const Mapping& mapping) { return sparse_costs_now(problem, design, mapping); });
        if (answer) ++found_;
        if (answer) return answer;
    }
    if (entry.value || entry.damaged)
        warn(entry.file.string() + ": a damaged entry of the cache; its layer is searched again");
    return std::nullopt;
}

void SparseCache::keep(const LayerProblem& problem, const sparse::Design& design, const MapOptions& options,
                       const LayerAnswer& answer) {
    const bool proven = answer.mapping && answer.search && answer.search->proven;
    if (!store_ || !proven || !may_be_proven(options)) return;
    try {
        store_->write(sparse_key(problem, design, options), answer_text(answer, problem));
    } catch (const InputError& error) {
        warn(std::string("nothing is kept in the cache: ") + error.what());
    }
}

void SparseCache::warn(const std::string& message) {
    {
        const std::lock_guard lock(mutex_);
        if (warned_) return;
        warned_ = true;
    }
    if (options_.warn) options_.warn(message);
}

}  // namespace tilewright
