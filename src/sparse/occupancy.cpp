#include "sparse/occupancy.hpp"

#include <cmath>

#include "sparse/models.hpp"

namespace tilewright::sparse {
namespace {

class Fixed : public Occupancy {
   public:
    explicit Fixed(double density) : density_(density) {}

    std::string name() const override { return "fixed_structured"; }

    std::vector<Outcome> outcomes(const Tile& tile) const override {
        const double exact = expected(tile);
        const auto low = static_cast<std::int64_t>(std::floor(exact));
        const double above = exact - std::floor(exact);
        if (1.0 - above >= 1.0) return {{low, 1.0}};
        return {{low, 1.0 - above}, {low + 1, above}};
    }

    double probability(const Tile& tile, std::int64_t occupied) const override {
        return between(expected(tile), occupied);
    }

    double probability_within(const Tile& tile, std::int64_t occupied, const Outer& outer) const override {
        const double share = static_cast<double>(outer.occupied) / static_cast<double>(outer.words);
        return between(static_cast<double>(elements(tile)) * share, occupied);
    }

    std::int64_t most(const Tile& tile) const override { return outcomes(tile).back().occupied; }

    double least_share(const Tile& tile) const override {
        const std::int64_t words = elements(tile);
        return words == 0 ? 0.0 : std::floor(expected(tile)) / static_cast<double>(words);
    }

    double expected(const Tile& tile) const override { return static_cast<double>(elements(tile)) * density_; }

   private:
    /// `exact` lies between two whole numbers, each as likely as it is near.
    static double between(double exact, std::int64_t occupied) {
        const double above = exact - std::floor(exact);
        if (std::floor(exact) == static_cast<double>(occupied)) return 1.0 - above;
        return std::ceil(exact) == static_cast<double>(occupied) ? above : 0.0;
    }

    double density_;
};

}  // namespace

std::string Uniform::name() const { return "hypergeometric"; }

std::vector<Outcome> Uniform::outcomes(const Tile& tile) const {
    return hypergeometric_outcomes(elements(tile), marked_, all_);
}

double Uniform::probability(const Tile& tile, std::int64_t occupied) const {
    return hypergeometric(occupied, elements(tile), marked_, all_);
}

double Uniform::probability_within(const Tile& tile, std::int64_t occupied, const Outer& outer) const {
    return hypergeometric(occupied, elements(tile), outer.occupied, outer.words);
}

std::int64_t Uniform::most(const Tile& tile) const { return std::min(elements(tile), marked_); }

double Uniform::least_share(const Tile& tile) const {
    const std::int64_t words = elements(tile);
    const std::int64_t least = std::max<std::int64_t>(0, words - (all_ - marked_));
    return words == 0 ? 0.0 : static_cast<double>(least) / static_cast<double>(words);
}

double Uniform::expected(const Tile& tile) const {
    return static_cast<double>(elements(tile)) * static_cast<double>(marked_) / static_cast<double>(all_);
}

namespace {

struct Make {
    const Tile& tensor;

    std::unique_ptr<Occupancy> operator()(const FixedStructured& density) const {
        return std::make_unique<Fixed>(density.density);
    }
    std::unique_ptr<Occupancy> operator()(const UniformRandom& density) const {
        return std::make_unique<Uniform>(density.density, elements(tensor));
    }
    std::unique_ptr<Occupancy> operator()(const Banded& density) const {
        return std::make_unique<Placed>("banded-" + std::to_string(density.half_width), tensor,
                                        places_in_band(density, tensor));
    }
    std::unique_ptr<Occupancy> operator()(const Pattern& density) const {
        return std::make_unique<Patterned>(density, tensor);
    }
    std::unique_ptr<Occupancy> operator()(const Measured& density) const {
        return std::make_unique<Placed>("measured", tensor, density.places);
    }
};

}  // namespace

std::unique_ptr<Occupancy> occupancy_of(const Density& density, const Tile& tensor) {
    return std::visit(Make{tensor}, density);
}

}  // namespace tilewright::sparse
