// Judge of the server of requests one by one (llm/server/requests.hpp): walks every token and every block of the cache.
//
// Blocks are things with labels (request, place); free ones lie in a list and are taken from its front. Tokens of a
// request are computed one after the other, each in its block. Slow; shares nothing with what it judges but the values.
#pragma once

#include "llm/server/requests.hpp"

namespace tilewright::oracle {

llm::Simulated walk_requests(const std::vector<llm::Request>& requests, const llm::QueueLimits& limits,
                             const llm::StepUs& step_us);

}  // namespace tilewright::oracle
