#include "llm/server/closed_loop.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::llm {
namespace {

constexpr std::int64_t kDecodesBeside = 64;  // prompts: more decodes cost them no more
constexpr double kMostBusy = 0.95;           // of groups that prefill: beyond, their queue grows without end

double as_double(std::int64_t number) { return static_cast<double>(number); }

std::int64_t parts(std::int64_t all, std::int64_t of) { return (all + of - 1) / of; }

}  // namespace

StepCost ClosedLoop::step(std::int64_t batch, std::int64_t prompt, std::int64_t output) {
    return costs_({.decodes = batch, .context = as_double(prompt) + as_double(output) / 2.0});
}

double ClosedLoop::prompt_us(std::int64_t batch, std::int64_t prompt, std::int64_t output) {
    const std::int64_t meeting =
        std::clamp<std::int64_t>(std::llround(std::floor(as_double(batch) / as_double(output) + 0.5)), 1,
                                 std::max<std::int64_t>(1, engine_.step_tokens / prompt));
    const std::int64_t beside = std::min(batch, kDecodesBeside);
    const auto key = std::tuple{prompt, meeting, beside};
    if (const auto known = prompts_.find(key); known != prompts_.end()) return known->second;
    const double base = beside > 0 ? costs_({.decodes = beside, .context = as_double(prompt)}).us : 0.0;
    double us = 0.0;
    for (std::int64_t done = 0; done < prompt;) {
        const std::int64_t tokens = std::min(engine_.step_tokens, prompt - done);
        const Step step{beside, as_double(prompt),
                        std::vector<Chunk>(static_cast<std::size_t>(meeting), Chunk{tokens, done})};
        us += std::max(costs_(step).us, engine_.prompt_step_us) - base;
        done += tokens;
    }
    return prompts_[key] = us / as_double(meeting);
}

// Requests of a rank at one stage of the pipeline; the other stages have others.
std::int64_t ClosedLoop::micro_batch(const Load& load) const {
    return std::max<std::int64_t>(1, parts(parts(load.requests, layout_.ranks()), layout_.pipeline));
}

Served ClosedLoop::served(const Load& load) {
    const std::int64_t batch = micro_batch(load);
    const StepCost step = this->step(batch, load.prompt, load.output);
    const double prompt = prompt_us(batch, load.prompt, load.output);
    Served served;
    served.step_us = step.us;
    served.watts = step.watts;
    served.tpot_us = step.us + engine_.mix * as_double(batch) * prompt / as_double(load.output);
    served.ttft_us = engine_.front_us + std::max(prompt_us(0, load.prompt, load.output), prompt) + step.us / 2.0 +
                     engine_.burst * as_double(batch - 1) * prompt;
    served.requests_per_us = as_double(load.requests) / served.latency_us(load.output);
    return served;
}

Served ClosedLoop::served_apart(const Load& load, const PrefillGroups& prefill) {
    const StepCost step = this->step(micro_batch(load), load.prompt, load.output);
    Served served;
    served.step_us = step.us;
    served.watts = step.watts;
    served.tpot_us = step.us;
    const StepCost prompt = prefill.costs({0, 0.0, {{load.prompt, 0}}, {}});
    const double alone = std::max(prompt.us, engine_.prompt_step_us);
    const double ranks = as_double(prefill.layout.ranks());
    const double network = engine_.network_bytes_us * as_double(prefill.layout.devices() / prefill.layout.groups);
    served.busy = as_double(load.requests) * alone / ranks / (as_double(load.output) * step.us);
    const double busy = std::min(kMostBusy, served.busy);
    served.ttft_us = engine_.front_us + alone * (1.0 + busy / (2.0 * (1.0 - busy))) + prefill.cache_bytes / network;
    // No more requests than the groups prefill.
    served.requests_per_us = std::min(as_double(load.requests) / served.latency_us(load.output), ranks / alone);
    if (prompt.watts) {
        const double share = std::min(1.0, served.requests_per_us * alone / ranks);
        served.prefill_watts = share * *prompt.watts + (1.0 - share) * prompt.idle_watts;
    }
    return served;
}

}  // namespace tilewright::llm
