#include "certificate/perfect/dominance.hpp"

#include <algorithm>
#include <bit>

namespace tilewright::certificate {
namespace {

/// Of a label with no more words sent than the other: no dearer with any completion.
bool goes_on_in(const WindowDelivery& window, const Label& other) {
    return std::any_of(other.windows.begin(), other.windows.end(), [&window](const WindowDelivery& theirs) {
        return window.goes_on_like(theirs) && window.sent <= theirs.sent;
    });
}

bool went_on_from(const WindowDelivery& window, const Label& other) {
    return std::any_of(other.windows.begin(), other.windows.end(), [&window](const WindowDelivery& theirs) {
        return window.goes_on_like(theirs) && theirs.sent <= window.sent;
    });
}

}  // namespace

bool Dominance::replaces(int point, const Label& a, const Label& b) {
    if (!may_go_on_like(a, b)) return false;
    double ours = a.pj;
    double theirs = b.pj;
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        for (std::uint32_t left = a.waiting[t] & ~b.waiting[t]; left != 0; left &= left - 1)
            ours += open_.waiting_now_pj(point, t, std::countr_zero(left));
        for (std::uint32_t left = b.waiting[t] & ~a.waiting[t]; left != 0; left &= left - 1)
            theirs += open_.waiting_least_pj(point, t, std::countr_zero(left));
    }
    for (const WindowDelivery& window : a.windows)
        if (!goes_on_in(window, b)) ours += window.now_pj;
    for (const WindowDelivery& window : b.windows)
        if (!went_on_from(window, a)) theirs += window.least_pj;
    return ours <= theirs && (!timed_ || replaces_loads(point, a, b));
}

// The same loops may follow, and the same stores fit.
bool Dominance::may_go_on_like(const Label& a, const Label& b) const {
    if ((a.placed & ~b.placed) != 0 || a.turn > b.turn) return false;
    if ((a.taken & ~b.taken) != 0 || ((a.taken ^ b.taken) & required_) != 0) return false;
    for (std::uint32_t left = stage_->begun; left != 0; left &= left - 1) {
        const int l = std::countr_zero(left);
        const auto at = static_cast<std::size_t>(l);
        if (a.room[at] > b.room[at] || (a.room[at] < b.room[at] && charges_.has_to_be_filled(l))) return false;
    }
    return true;
}

// Deliveries open only in b count as zero.
bool Dominance::replaces_loads(int point, const Label& a, const Label& b) const {
    if (a.cycles > b.cycles) return false;
    Loads loads{};
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (std::uint32_t left = a.waiting[t] & ~b.waiting[t]; left != 0; left &= left - 1)
            open_.add_waiting_loads(point, t, std::countr_zero(left), loads);
    for (const WindowDelivery& window : a.windows)
        if (!goes_on_in(window, b)) open_.add_window_loads(point, window, loads);
    for (const std::size_t i : charges_.ground().bind)
        if (a.loads[i] + loads[i] > b.loads[i]) return false;
    return true;
}

}  // namespace tilewright::certificate
