#include "run/schedule/schedule_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tilewright {
namespace {

struct ScheduleWord {
    std::string_view option;
    std::vector<std::string> words;
};

const std::vector<ScheduleWord>& all_schedule_words() {
    static const std::vector<ScheduleWord> kWords{{"rule", {"overlap", "sum"}},
                                                  {"spread", {"any", "innermost"}},
                                                  {"scheduler", {"ours", "flexer", "both"}},
                                                  {"baseline", {"first", "order", "regions", "exhaustive"}},
                                                  {"priority", {"memory-benefit", "min-transfer", "min-spill"}},
                                                  {"memory", {"least-fragmentation", "first-fit", "small-first"}}};
    return kWords;
}

[[noreturn]] void refuse_schedule(const std::string& message) { throw InputError(ErrorCode::usage, {}, message); }

// Of an enumeration in the order of the words.
template <class Choice>
Choice chosen(std::string_view option, const std::string& word) {
    const std::vector<std::string>& words = schedule_words(option);
    return static_cast<Choice>(std::ranges::find(words, word) - words.begin());
}

void check_schedule(const ScheduleWishes& wishes) {
    if (wishes.keep_outputs && wishes.every_tiling)
        refuse_schedule(fmt::format("{} is for layers by themselves: leave out {}", wishes.option("every_tiling"),
                                    wishes.option("keep_outputs")));
    if (wishes.tilings && *wishes.tilings < 0)
        refuse_schedule(wishes.option("tilings") + " takes a number of at least 0");
    if (wishes.beam && (*wishes.beam < 0 || *wishes.beam > 1000))
        refuse_schedule(wishes.option("beam") + " takes a number from 0 to 1000");
    if (wishes.time_limit_seconds && !(*wishes.time_limit_seconds >= 0.0))
        refuse_schedule(wishes.option("time_limit") + " takes a number of at least 0");
    if (wishes.scheduler == "flexer" && (wishes.as_published || wishes.tilings || wishes.beam))
        refuse_schedule(fmt::format("{} flexer runs Algorithm 1 alone, on every tiling: leave out {}, {} and {}",
                                    wishes.option("scheduler"), wishes.option("as_published"), wishes.option("tilings"),
                                    wishes.option("beam")));
}

}  // namespace

std::string ScheduleWishes::option(std::string_view name) const {
    std::string text = dashes + std::string(name);
    if (!dashes.empty()) std::ranges::replace(text, '_', '-');
    return text;
}

const std::vector<std::string>& schedule_words(std::string_view option) {
    static const std::vector<std::string> kNone;
    const auto found = std::ranges::find(all_schedule_words(), option, &ScheduleWord::option);
    return found == all_schedule_words().end() ? kNone : found->words;
}

schedule::SearchOptions schedule_options(const ScheduleWishes& wishes) {
    schedule::SearchOptions options;
    const auto objective = schedule::parse_objective(wishes.objective);
    if (!objective)
        refuse_schedule(fmt::format("{} takes latency, traffic or a product such as latency*traffic^2, found '{}'",
                                    wishes.option("objective"), wishes.objective));
    check_schedule(wishes);
    options.objective = *objective;
    options.rule = wishes.rule == "sum" ? schedule::LatencyRule::sum : schedule::LatencyRule::overlap;
    options.spread = wishes.spread == "innermost" ? schedule::Spread::innermost : schedule::Spread::any;
    options.scheduler = chosen<schedule::Scheduler>("scheduler", wishes.scheduler);
    options.baseline = chosen<schedule::Rung>("baseline", wishes.baseline);
    options.priority = chosen<schedule::SetPriority>("priority", wishes.priority);
    options.memory = chosen<schedule::MemoryPolicy>("memory", wishes.memory);
    options.as_published = wishes.as_published;
    if (wishes.tilings) options.tilings = *wishes.tilings;
    if (wishes.beam) options.beam = static_cast<int>(*wishes.beam);
    return options;
}

std::vector<std::pair<std::string, std::string>> schedule_provenance(const ScheduleWishes& wishes,
                                                                     const schedule::SearchOptions& options) {
    std::vector<std::pair<std::string, std::string>> list{{"objective", to_text(options.objective)},
                                                          {"rule", wishes.rule},
                                                          {"spread", wishes.spread},
                                                          {"scheduler", wishes.scheduler},
                                                          {"baseline", wishes.baseline},
                                                          {"as-published", wishes.as_published ? "yes" : "no"},
                                                          {"priority", wishes.priority},
                                                          {"memory", wishes.memory},
                                                          {"tilings", std::to_string(options.tilings)},
                                                          {"beam", std::to_string(options.beam)},
                                                          {"keep-outputs", wishes.keep_outputs ? "yes" : "no"},
                                                          {"with-elementwise", wishes.with_elementwise ? "yes" : "no"}};
    if (wishes.time_limit_seconds) list.emplace_back("time-limit", fmt::format("{}", *wishes.time_limit_seconds));
    return list;
}

}  // namespace tilewright
