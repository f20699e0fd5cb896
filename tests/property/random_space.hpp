// Random spaces of machines, small enough to map every machine: two layers on one random machine of which a few numbers
// vary, as bad for a search as may be: a larger memory may cost less or more, and so may a faster one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/numbers/random.hpp"
#include "codesign/parts.hpp"
#include "run/explore/design.hpp"

namespace tilewright::property {

/// What its machines map: layers of plain words, of several widths or in blocks, with zeros that the machine does
/// something about; or a cascade as a whole.
enum class Mapped { plain, words, zeros, fused };

class RandomSpace : public DesignSource {
   public:
    RandomSpace(std::uint64_t seed, std::int64_t operations, Mapped mapped = Mapped::plain);

    Design design(explore::Point point) override;
    const MapOptions& options() const override { return options_; }

    const explore::Space& space() const { return space_; }
    const std::vector<codesign::Role>& roles() const { return roles_; }
    /// Every point is a machine.
    bool is_sound();

   private:
    enum class Kind { capacity, bandwidth, compute, fanout, block, reduces };

    /// What one knob sets, by position.
    struct Change {
        Kind kind = Kind::capacity;
        std::size_t level = 0;
        std::vector<std::int64_t> numbers;
        std::vector<double> energies;
        std::vector<double> areas;
        std::vector<Mesh> fanouts;
    };

    void draw_layers(Random& random, std::uint64_t seed, std::int64_t operations);
    void draw_words(Random& random);
    void draw_zeros(Random& random, std::uint64_t seed, std::int64_t operations);
    void draw_cascade(Random& random, std::uint64_t seed);
    void draw_areas(Random& random);
    void add_change(Random& random, std::int64_t most_values);
    void apply(const Change& change, std::size_t position, Architecture& machine, std::vector<Mesh>& fanouts) const;
    Architecture machine(explore::Point point) const;
    bool is_fusible(const Architecture& machine) const;

    Architecture base_;
    std::vector<Mesh> fanouts_;
    NetworkProblem problem_;
    std::optional<FusedProblem> fused_;
    MapOptions options_;
    std::vector<Change> changes_;
    explore::Space space_;
    std::vector<codesign::Role> roles_;
};

}  // namespace tilewright::property
