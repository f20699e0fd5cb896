// Searches the loop orders of many layers, several at a time.
#pragma once

#include <functional>
#include <vector>

#include "zigzag/orders/searches.hpp"

namespace tilewright::orders {

/// Calls are serialized, from any thread; layers finish in any order.
using LayerDone = std::function<void(std::size_t layer, const Answer& answer)>;

/// One answer per problem, independent of settings.threads and of each other. After settings.stop, remaining layers are
/// left out as interrupted. With settings.seconds, every layer gets a share of the remaining time; without a result it
/// gets the best of a few orders.
std::vector<Answer> search_layers(const std::vector<OrderProblem>& problems, const Search& search,
                                  const Settings& settings, const LayerDone& done = {});

}  // namespace tilewright::orders
