#include "run/answer_cache.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/cache/store.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "mapspace/layer_problem.hpp"
#include "model/version.hpp"
#include "native/answered.hpp"
#include "native/problem.hpp"
#include "run/search.hpp"

namespace tilewright {
namespace {

// What a mapping costs now; nothing where it is not legal or not counted.
using CostsNow = std::function<std::optional<Evaluation>(const Mapping&)>;

certificate::Answer costed(const Mapping& mapping, double energy_pj, std::int64_t cycles) {
    return {mapping, {energy_pj, static_cast<double>(cycles)}};
}

/// What the mapping costs now, if that is what it cost then.
std::optional<Evaluation> same_costs(const certificate::Answer& answer, const CostsNow& costs) {
    std::optional<Evaluation> now = costs(answer.mapping);
    if (!now) return std::nullopt;
    const bool same = std::abs(now->energy_pj - answer.cost.energy_pj) <= 1e-9 * answer.cost.energy_pj &&
                      static_cast<double>(now->cycles) == answer.cost.cycles;
    return same ? std::move(now) : std::nullopt;
}

SearchSummary summary_of(const native::Answered& answered) {
    SearchSummary summary;
    summary.evaluations = answered.evaluations;
    summary.valid = answered.valid;
    summary.sampled = answered.sampled;
    summary.stopped_by = answered.stopped_by;
    summary.space = answered.space;
    summary.lower_bound = answered.lower_bound;
    summary.proven = true;
    summary.claim = answered.claim;
    return summary;
}

std::optional<LayerAnswer> believed(const LayerProblem& problem, const native::Answered& answered,
                                    const CostsNow& costs) {
    LayerAnswer answer;
    answer.einsum = problem.einsum;
    answer.search = summary_of(answered);
    answer.evaluation = same_costs(answered.best, costs);
    if (!answer.evaluation) return std::nullopt;
    answer.mapping = answered.best.mapping;
    for (const certificate::Answer& point : answered.front) {
        const std::optional<Evaluation> cost = same_costs(point, costs);
        if (!cost) return std::nullopt;
        answer.front.push_back({point.mapping, cost->energy_pj, cost->cycles, {}});
    }
    return answer;
}

native::Answered answered_of(const LayerAnswer& answer) {
    native::Answered answered;
    answered.best = costed(*answer.mapping, answer.evaluation->energy_pj, answer.evaluation->cycles);
    for (const FrontAnswer& point : answer.front)
        answered.front.push_back(costed(point.mapping, point.energy_pj, point.cycles));
    answered.evaluations = answer.search->evaluations;
    answered.valid = answer.search->valid;
    answered.sampled = answer.search->sampled;
    answered.stopped_by = answer.search->stopped_by;
    answered.space = answer.search->space;
    answered.lower_bound = answer.search->lower_bound;
    answered.claim = answer.search->claim;
    return answered;
}

// All of the options that decides the answer of a mapper, and nothing else: no limits of time, no threads.
std::string answer_key(const MapOptions& options, MapperKind mapper) {
    std::string key =
        fmt::format("tilewright {} model {} seed {} mapper {} objective {} factors {}", version(), kModelVersion,
                    options.seed, name_of(mapper), objective_text(options.objective), name_of(options.factors));
    if (options.uneven) key += " uneven";
    if (options.victory) key += fmt::format(" victory {}", *options.victory);
    if (options.streams) key += fmt::format(" streams {}", *options.streams);
    if (options.timeout) key += fmt::format(" timeout {}", *options.timeout);
    if (options.evaluations) key += fmt::format(" evaluations {}", *options.evaluations);
    return key;
}

/// Goes up whenever the search with prices may answer something else than before.
constexpr int kPricedVersion = 2;

// What native::to_text() of a problem does not say: "" where words are as the einsum says.
std::string words_text(const LayerProblem& problem) {
    if (problem.is_plain()) return "";
    std::string text = fmt::format("priced {}", kPricedVersion);
    for (const std::int64_t bits : problem.words.partial_bits) text += fmt::format(" partial {}", bits);
    for (const BlockFormat& one : problem.words.blocks) text += fmt::format(" block {} {}", one.words, one.scale_bits);
    if (problem.zeros) text += " zeros " + native::to_text(*problem.zeros);
    return text + " ";
}

// Names count, since answers in memory have them.
std::string key_in_memory(const LayerProblem& problem, const MapOptions& options) {
    return fmt::format("{} largest space {} again {} {}{}", answer_key(options, options.mapper), options.largest_space,
                       options.optimal_after_failure, words_text(problem), native::to_text(problem));
}

std::string key_on_disk(const LayerProblem& problem, const MapOptions& options) {
    return answer_key(options, intended_mapper(options)) + " " + words_text(problem) +
           native::to_text(native::without_names(problem));
}

// Options of a mapper's own are not part of the key.
bool is_in_memory(const MapOptions& options) { return !options.made_by; }

// What a limit of time cut off is nothing that the same search would find again; a proof is, however long it took.
bool is_for_memory(const MapOptions& options, const LayerAnswer& answer) {
    return is_in_memory(options) && (!seconds_of_layer(options) || (answer.search && answer.search->proven));
}

// Where hybrid would search, a proof that was once asked for is not what this search would find.
bool is_for_disk(const LayerProblem& problem, const MapOptions& options) {
    if (intended_mapper(options) != MapperKind::optimal || options.made_by) return false;
    if (options.factors == FactorRule::padded) return false;
    const Mapspace mapspace = mapspace_of(problem, options);
    return mapspace.problem().empty() && !hybrid_stands_in(problem, mapspace, options);
}

std::string answer_text(const LayerAnswer& answer, const LayerProblem& problem) {
    return native::write_answered(answered_of(answer), problem);
}

// The answer with all its costs; nothing for a text that is none to this problem, and where a mapping does not cost now
// what it did then.
std::optional<LayerAnswer> believed_answer(const std::string& text, const LayerProblem& problem,
                                           const CostsNow& costs) {
    try {
        return believed(problem, native::read_answered(text, problem), costs);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

}  // namespace

AnswerCache::AnswerCache(Options options) : options_(std::move(options)) {
    if (options_.directory) store_ = std::make_unique<cache::Store>(*options_.directory);
}

AnswerCache::~AnswerCache() = default;

std::optional<LayerAnswer> AnswerCache::find(const LayerProblem& problem, const MapOptions& options) {
    std::optional<LayerAnswer> answer;
    if (options_.memory && is_in_memory(options)) {
        const std::string key = key_in_memory(problem, options);
        const std::lock_guard lock(mutex_);
        if (const auto known = known_.find(key); known != known_.end()) answer = known->second;
    }
    if (!answer && store_ && is_for_disk(problem, options)) answer = find_on_disk(problem, options);
    if (answer) ++found_;
    return answer;
}

void AnswerCache::keep(const LayerProblem& problem, const MapOptions& options, const LayerAnswer& answer, bool whole) {
    if (options_.memory && whole && is_for_memory(options, answer)) {
        std::string key = key_in_memory(problem, options);
        const std::lock_guard lock(mutex_);
        known_.emplace(std::move(key), answer);
    }
    const bool proven = answer.mapping && answer.search && answer.search->proven && !answer.unpadded;
    if (store_ && proven && is_for_disk(problem, options)) keep_on_disk(problem, options, answer);
}

std::optional<LayerAnswer> AnswerCache::find_on_disk(const LayerProblem& problem, const MapOptions& options) {
    const cache::Found entry = store_->read(key_on_disk(problem, options));
    if (entry.value)
        if (std::optional<LayerAnswer> answer = believed_answer(
                *entry.value, problem, [&](const Mapping& mapping) { return costs_of(problem, mapping).evaluation; }))
            return answer;
    if (entry.value || entry.damaged)
        warn(entry.file.string() + ": a damaged entry of the cache; its layer is searched again");
    return std::nullopt;
}

void AnswerCache::keep_on_disk(const LayerProblem& problem, const MapOptions& options, const LayerAnswer& answer) {
    try {
        store_->write(key_on_disk(problem, options), answer_text(answer, problem));
    } catch (const InputError& error) {
        warn(std::string("nothing is kept in the cache: ") + error.what());
    }
}

void AnswerCache::warn(const std::string& message) {
    {
        const std::lock_guard lock(mutex_);
        if (warned_) return;
        warned_ = true;
    }
    if (options_.warn) options_.warn(message);
}

}  // namespace tilewright
