#include "sparse/costs.hpp"

namespace tilewright::sparse {

Saved& Saved::operator+=(const Saved& other) {
    dense_pj += other.dense_pj;
    left_out_pj += other.left_out_pj;
    gating_pj += other.gating_pj;
    skipping_pj += other.skipping_pj;
    metadata_pj += other.metadata_pj;
    return *this;
}

Saved operator*(double times, Saved saved) {
    for (double* figure :
         {&saved.dense_pj, &saved.left_out_pj, &saved.gating_pj, &saved.skipping_pj, &saved.metadata_pj})
        *figure *= times;
    return saved;
}

Saved total_of(const Savings& savings) {
    Saved total = savings.computes;
    for (const Saved& memory : savings.memories) total += memory;
    return total;
}

}  // namespace tilewright::sparse
