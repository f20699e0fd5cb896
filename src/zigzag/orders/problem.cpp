#include "zigzag/orders/problem.hpp"

namespace tilewright::orders {

void Found::merge(const Found& later) {
    evaluations += later.evaluations;
    fitting += later.fitting;
    interrupted = interrupted || later.interrupted;
    if (later.order.empty() || (!order.empty() && !(later.score < score))) return;
    order = later.order;
    score = later.score;
}

}  // namespace tilewright::orders
