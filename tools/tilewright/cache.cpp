#include "cache.hpp"

#include <cmath>
#include <cstdlib>

#include "base/error.hpp"
#include "frontend/native/answered.hpp"
#include "mapping/validity.hpp"
#include "model/model.hpp"
#include "model/version.hpp"
#include "output.hpp"

namespace tilewright::cli {
namespace {

std::optional<std::string> variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// "" for no cache; nothing when there is no usual place.
std::optional<std::string> usual_directory() {
    if (const auto chosen = variable("TILEWRIGHT_CACHE")) return chosen;
    if (const auto base = variable("XDG_CACHE_HOME"); base && base->starts_with('/')) return *base + "/tilewright";
    if (const auto home = variable("HOME"); home && home->starts_with('/')) return *home + "/.cache/tilewright";
    return std::nullopt;
}

certificate::Answer answer_of(const Mapping& mapping, double energy_pj, std::int64_t cycles) {
    return {mapping, {energy_pj, static_cast<double>(cycles)}};
}

/// What the mapping costs now, if that is what it cost then.
std::optional<Evaluation> cost_again(const Task& task, const certificate::Answer& answer) {
    if (!check(task.einsum, task.architecture, answer.mapping).empty()) return std::nullopt;
    Evaluation evaluation = evaluate(task.einsum, task.architecture, answer.mapping);
    const bool same = std::abs(evaluation.energy_pj - answer.cost.energy_pj) <= 1e-9 * answer.cost.energy_pj &&
                      static_cast<double>(evaluation.cycles) == answer.cost.cycles;
    return same ? std::optional(std::move(evaluation)) : std::nullopt;
}

bool believe(const Task& task, const native::Answered& answered, report::LayerResult& result) {
    std::optional<Evaluation> evaluation = cost_again(task, answered.best);
    if (!evaluation) return false;
    std::vector<report::FrontMapping> front;
    for (const certificate::Answer& answer : answered.front) {
        const std::optional<Evaluation> point = cost_again(task, answer);
        if (!point) return false;
        front.push_back({answer.mapping, point->energy_pj, point->cycles, {}});
    }
    result.mapping = answered.best.mapping;
    result.evaluation = std::move(evaluation);
    result.front = std::move(front);
    report::SearchStatistics search;
    search.evaluations = answered.evaluations;
    search.valid = answered.valid;
    search.sampled = answered.sampled;
    search.stopped_by = answered.stopped_by;
    search.space = answered.space;
    search.lower_bound = answered.lower_bound;
    search.proven = true;
    search.claim = answered.claim;
    result.search = search;
    return true;
}

}  // namespace

void CacheOptions::declare(Options& options) {
    options
        .value("cache", 0, "DIR",
               "where proven answers are kept (default: $TILEWRIGHT_CACHE, $XDG_CACHE_HOME/tilewright or "
               "~/.cache/tilewright)",
               &directory)
        .completes = "directory";
    options.flag("no-cache", 0, "search, whatever was proven before, and keep nothing", &off);
}

std::optional<cache::Store> open_store(const CacheOptions& options) {
    const std::optional<std::string> directory =
        options.directory.empty() ? usual_directory() : std::optional(options.directory);
    if (options.off || !directory || directory->empty()) return std::nullopt;
    return cache::Store(*directory);
}

ResultCache::ResultCache(const CacheOptions& options, const SearchPlan& plan, bool quiet) : plan_(plan), quiet_(quiet) {
    if (options.off || plan.mapper != "optimal" || plan.factors == "padded") return;
    const std::optional<std::string> directory =
        options.directory.empty() ? usual_directory() : std::optional(options.directory);
    if (!directory)
        warn("no cache: neither XDG_CACHE_HOME nor HOME is set; --cache DIR or --no-cache");
    else if (!directory->empty())
        store_.emplace(*directory);
}

// All that decides the answer, and nothing else: no names, and no limits, since only proofs are kept.
std::string ResultCache::key_of(const native::Problem& problem) const {
    std::string key = std::string("tilewright ") + TILEWRIGHT_VERSION + " model " + std::to_string(kModelVersion) +
                      " seed " + std::to_string(plan_.seed.value_or(1));
    for (const auto& [name, value] : plan_.for_the_report())
        if (name != "time_limit_seconds") key += " " + name + " " + value;
    return key + " " + native::to_text(native::without_names(problem));
}

// Where hybrid would search, a proof that somebody once asked for is not what this run would find.
bool ResultCache::keeps(const Task& task) const {
    if (!store_) return false;
    const Mapspace mapspace = mapspace_of(task, plan_);
    return mapspace.problem().empty() && !hybrid_stands_in(mapspace, plan_);
}

bool ResultCache::load(const Task& task, report::LayerResult& result) {
    if (!keeps(task)) return false;
    const native::Problem problem{task.einsum, task.architecture, task.constraints};
    const cache::Found found = store_->read(key_of(problem));
    bool damaged = found.damaged;
    if (found.value) {
        try {
            if (believe(task, native::read_answered(*found.value, problem), result)) {
                ++found_;
                return true;
            }
        } catch (const InputError&) {
        }
        damaged = true;
    }
    if (damaged) warn(found.file.string() + ": a damaged entry of the cache; its layer is searched again");
    return false;
}

void ResultCache::save(const Task& task, const report::LayerResult& result) {
    if (!keeps(task) || !result.mapping || !result.search || !result.search->proven || result.unpadded) return;
    native::Answered answered;
    answered.best = answer_of(*result.mapping, result.evaluation->energy_pj, result.evaluation->cycles);
    for (const report::FrontMapping& point : result.front)
        answered.front.push_back(answer_of(point.mapping, point.energy_pj, point.cycles));
    answered.evaluations = result.search->evaluations;
    answered.valid = result.search->valid;
    answered.sampled = result.search->sampled;
    answered.stopped_by = result.search->stopped_by;
    answered.space = result.search->space;
    answered.lower_bound = result.search->lower_bound;
    answered.claim = result.search->claim;
    const native::Problem problem{task.einsum, task.architecture, task.constraints};
    try {
        store_->write(key_of(problem), native::write_answered(answered, problem));
    } catch (const InputError& error) {
        warn(std::string("nothing is kept in the cache: ") + error.what());
    }
}

void ResultCache::tell() const {
    if (found_ > 0 && !quiet_)
        print_error("note: " + std::to_string(found_) + (found_ == 1 ? " answer comes" : " answers come") +
                    " from the cache");
}

void ResultCache::warn(const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (!warned_ && !quiet_) print_error("warning: " + message);
    warned_ = true;
}

}  // namespace tilewright::cli
