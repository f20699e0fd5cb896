// All distinct orders of the loops, in parallel; of equally good ones the first. LOMA is this on fewer factors.
#pragma once

#include "orders/problem.hpp"

namespace tilewright::orders {

/// Requires count_orders(evaluator.first_order()) <= settings.most_orders.
Found search_all(const zigzag::OrderEvaluator& evaluator, const Settings& settings);

}  // namespace tilewright::orders
