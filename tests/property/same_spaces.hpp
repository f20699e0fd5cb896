// A random space of machines (random_space.hpp) in other words: what its best machine comes to stays, or can only be
// better.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "random_space.hpp"
#include "same_answers.hpp"
#include "same_layer.hpp"

namespace tilewright::property {

enum class SpaceRewriting {
    knobs,       ///< in another order
    values,      ///< of knobs, in another order
    layers,      ///< in another order
    repeats,     ///< a layer that runs several times, as two layers
    dimensions,  ///< as LayerRewriting has them, of every layer
    operands,
    one_value,
    axes,  ///< of every machine
    energies,
    capacity,
};
inline constexpr int kSpaceRewritings = 10;

std::string_view name_of(SpaceRewriting rewriting);

class SpaceInOtherWords : public DesignSource {
   public:
    SpaceInOtherWords(RandomSpace& base, SpaceRewriting rewriting, std::uint64_t seed);

    Design design(explore::Point point) override;
    const MapOptions& options() const override { return base_.options(); }

    const explore::Space& space() const { return space_; }
    const std::vector<codesign::Role>& roles() const { return roles_; }
    /// Nothing where the rewriting does not apply.
    std::optional<Relation> relation();

   private:
    std::optional<Relation> rewrite(Design& design) const;

    RandomSpace& base_;
    SpaceRewriting rewriting_;
    std::uint64_t seed_;
    std::vector<int> knobs_;                ///< where each knob of the base goes
    std::vector<std::vector<int>> values_;  ///< by knob of the base: where each of its values goes
    explore::Space space_;
    std::vector<codesign::Role> roles_;
};

/// What the best machine comes to.
Best best_of(DesignSource& designs, const explore::Space& space, const std::vector<codesign::Role>& roles);

}  // namespace tilewright::property
