#include "mapper/optimal/geometry/window_rules.hpp"

#include <algorithm>

namespace tilewright::optimal {

double kept_words(const lean::TensorForm& form, const Extents& tile, int dimension, double stride) {
    double kept = 1.0;
    int term = 0;
    for (const int end : form.rank_ends) {
        double width = 1.0;
        for (; term < end; ++term) {
            const lean::Term& t = form.terms[term];
            width += t.reach * (tile[t.dimension] - 1.0);
            if (t.dimension == dimension) width -= t.reach * stride;
        }
        kept *= std::max(0.0, width);
    }
    return kept;
}

std::uint32_t rank_of(const lean::TensorForm& form, int dimension) {
    std::uint32_t along = 0;
    int term = 0;
    for (const int end : form.rank_ends) {
        std::uint32_t rank = 0;
        for (; term < end; ++term) rank |= 1U << form.terms[term].dimension;
        if ((rank >> dimension & 1U) != 0) along |= rank;
    }
    return along;
}

bool settles_early(const lean::TensorForm& form) {
    if (form.tangled) return false;
    return std::all_of(form.terms.begin(), form.terms.end(),
                       [&form](const lean::Term& term) { return form.key[term.dimension] > 0.0; });
}

}  // namespace tilewright::optimal
