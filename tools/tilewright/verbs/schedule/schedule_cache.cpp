#include "verbs/schedule/schedule_cache.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/error.hpp"
#include "base/version.hpp"
#include "native/schedule.hpp"
#include "output/output.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright::cli {
namespace {

using schedule::Found;
using schedule::LayerAnswer;

native::LayerSchedule kept(const Found& found) { return {{found.how}, 1, found.problem, found.schedule}; }

std::string text_of(const LayerAnswer& answer) {
    const schedule::StaticEffort& fixed = answer.static_effort;
    const schedule::DynamicEffort& moving = answer.dynamic_effort;
    const schedule::FlexerEffort flexer = answer.flexer_effort.value_or(schedule::FlexerEffort{});
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n{}", fixed.tilings, fixed.tilings_tried,
                       fixed.plans, fixed.plans_simulated, moving.tilings, moving.schedules, moving.data_flow_ratio,
                       moving.tilings_left, moving.least_left, answer.flexer_effort.has_value() ? 1 : 0, flexer.tilings,
                       flexer.ruled_out, flexer.schedules, flexer.given_up, flexer.alike, flexer.tilings_left,
                       native::write_schedules({kept(*answer.best), kept(*answer.baseline),
                                                kept(answer.published ? *answer.published : *answer.best)})) +
           (answer.published ? "" : "\n");
}

// One of the schedules of an entry; nothing when it is not for this layer or does not hold.
std::optional<Found> believed(const native::LayerScheduleFile& file, const schedule::MultiNpu& machine,
                              const schedule::ConvLayer& layer, const schedule::SearchOptions& search) {
    const native::LayerSchedule& one = file.layer;
    if (!(one.problem.machine == machine) || !(one.problem.layer == layer) || one.schedule.rule != search.rule ||
        !validate(one.problem, one.schedule, 1).empty())
        return std::nullopt;
    return Found{one.names.front(), one.problem, one.schedule, score_of(search.objective, one.schedule),
                 bounds_of(one.problem, search.rule)};
}

}  // namespace

ScheduleCache::ScheduleCache(const CacheOptions& options, const schedule::SearchOptions& search, bool quiet)
    : search_(search), quiet_(quiet) {
    if (!options.off && !search.deadline) store_ = open_store(options);
}

// All that decides the answer, and nothing else.
std::string ScheduleCache::key_of(const schedule::MultiNpu& machine, const schedule::ConvLayer& layer) const {
    const std::string problem = native::write_schedules({native::LayerSchedule{{}, 1, {machine, layer, {}}, {}}});
    return fmt::format(
        "tilewright {} schedule 5 scheduler {} baseline {} rule {} objective {} {} spread {} published {} {} {} "
        "tilings {} {} beam {}\n{}",
        version(), static_cast<int>(search_.scheduler), static_cast<int>(search_.baseline),
        static_cast<int>(search_.rule), search_.objective.latency_weight, search_.objective.traffic_weight,
        static_cast<int>(search_.spread), search_.as_published, static_cast<int>(search_.priority),
        static_cast<int>(search_.memory), search_.tilings, search_.most_operations, search_.beam, problem);
}

bool ScheduleCache::load(const schedule::MultiNpu& machine, const schedule::ConvLayer& layer, LayerAnswer& answer) {
    if (!store_) return false;
    const cache::Found found = store_->read(key_of(machine, layer));
    if (!found.value) {
        if (found.damaged) warn(found.file.string() + ": a damaged entry of the cache; its layer is searched again");
        return false;
    }
    try {
        std::istringstream numbers(*found.value);
        LayerAnswer read;
        schedule::StaticEffort& fixed = read.static_effort;
        schedule::DynamicEffort& moving = read.dynamic_effort;
        numbers >> fixed.tilings >> fixed.tilings_tried >> fixed.plans >> fixed.plans_simulated >> moving.tilings >>
            moving.schedules >> moving.data_flow_ratio >> moving.tilings_left >> moving.least_left;
        schedule::FlexerEffort flexer;
        bool has_flexer = false;
        numbers >> has_flexer >> flexer.tilings >> flexer.ruled_out >> flexer.schedules >> flexer.given_up >>
            flexer.alike >> flexer.tilings_left;
        if (has_flexer) read.flexer_effort = flexer;
        const std::string json = found.value->substr(found.value->find('\n') + 1);
        const auto files = native::read_schedules(yaml::parse_text(json, found.file.string()));
        if (!numbers || files.size() != 3) return false;
        read.best = believed(files[0], machine, layer, search_);
        read.baseline = believed(files[1], machine, layer, search_);
        read.published = believed(files[2], machine, layer, search_);
        if (!read.best || !read.baseline || !read.published) return false;
        if (json.ends_with("\n\n")) read.published.reset();
        read.bounds = schedule::layer_bounds(machine, layer, search_.rule, search_.objective);
        answer = std::move(read);
        return true;
    } catch (const InputError&) {
        warn(found.file.string() + ": an entry of the cache that cannot be read; its layer is searched again");
        return false;
    }
}

void ScheduleCache::save(const schedule::MultiNpu& machine, const schedule::ConvLayer& layer,
                         const LayerAnswer& answer) {
    if (!store_ || !answer.best) return;
    try {
        store_->write(key_of(machine, layer), text_of(answer));
    } catch (const InputError& error) {
        warn(std::string("nothing is kept in the cache: ") + error.what());
    }
}

void ScheduleCache::warn(const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (!warned_ && !quiet_) print_error("warning: " + message);
    warned_ = true;
}

}  // namespace tilewright::cli
