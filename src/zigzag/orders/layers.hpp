// Searches the loop orders of many layers, several at a time.
#pragma once

#include <functional>
#include <vector>

#include "zigzag/orders/searches.hpp"

namespace tilewright::orders {

/// Calls come one at a time, but from any thread; layers finish in any order.
using LayerDone = std::function<void(std::size_t layer, const Answer& answer)>;

/// One answer for each problem; they depend on neither settings.threads nor each other. Once settings.stop is
/// requested, layers not yet begun are left out as interrupted. With settings.seconds, every layer gets its share of
/// what is left; one that found nothing in it gets the best of a few orders.
std::vector<Answer> search_layers(const std::vector<OrderProblem>& problems, const Search& search,
                                  const Settings& settings, const LayerDone& done = {});

}  // namespace tilewright::orders
