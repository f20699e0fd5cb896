// All distinct loop orders, in parallel; on ties the first. LOMA is this on fewer factors.
#pragma once

#include "zigzag/orders/scorer.hpp"

namespace tilewright::orders {

/// Requires count_orders(scorer.first_order()) <= settings.most_orders.
Found search_all(const Scorer& scorer, const Settings& settings);

}  // namespace tilewright::orders
