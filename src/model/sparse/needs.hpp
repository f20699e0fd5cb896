// Needs: of some tensors, steps that must touch something that is not zero.
#pragma once

#include <optional>
#include <vector>

#include "model/sparse/chance.hpp"

namespace tilewright::sparse {

/// What has to hold for an access or a compute to come about: of every tensor named, that not all is zero among what
/// these loops' steps touch, those from where the access or the compute is.
class Needs {
   public:
    explicit Needs(const Nest& nest);

    /// Of two sets of loops of one tensor the smaller one says it all. Throws Uncounted where neither holds the other.
    void add(int tensor, LoopSet set);
    void add(const Needs& other);

    bool empty() const;

    /// The share of all iterations of the nest in which they are met, on average over what the tensors may hold,
    /// but for pinned loops.
    double share(Chances& chances, Pinned pinned = {}) const;

   private:
    const Nest* nest_;
    std::vector<std::optional<LoopSet>> by_tensor_;
};

/// Both.
Needs operator+(Needs a, const Needs& b);

}  // namespace tilewright::sparse
