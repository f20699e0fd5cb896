// Tile sizes of one operand under added outer loops. Internal to account/zigzag.
//
// Multiplied in ZigZag's order, so that fractional unrollings round alike.
#pragma once

#include <algorithm>

#include "zigzag/lean/setup.hpp"

namespace tilewright::zigzag::lean {

class GrowingTile {
   public:
    explicit GrowingTile(const Operand& operand) : operand_(&operand) {
        std::fill_n(relevant_.begin(), operand.relevant_slots, 1.0);
        std::fill_n(partial_.begin(), operand.partial_slots, 1.0);
        for (int i = 0; i < operand.relations; ++i) extent_[i] = indices(operand.relation[i]);
    }

    void grow(LoopEffect step, double factor) {
        if (step.role == Role::relevant) {
            relevant_[step.slot] *= factor;
        } else if (step.role == Role::partial) {
            partial_[step.slot] *= factor;
            for (int i = 0; i < operand_->relations; ++i)
                if (touches(i, step.slot)) extent_[i] = indices(operand_->relation[i]);
        }
    }

    double elements() const {
        double product = 1.0;
        for (int i = 0; i < operand_->relevant_slots; ++i) product *= relevant_[i];
        for (int i = 0; i < operand_->relations; ++i) product *= extent_[i];
        return product;
    }

    /// Grows the tile; returns `product` times its growth ratio in elements.
    double grown(double product, LoopEffect step, double factor) {
        if (step.role == Role::relevant) return product * factor;
        if (step.role != Role::partial) return product;
        partial_[step.slot] *= factor;
        for (int i = 0; i < operand_->relations; ++i) {
            if (!touches(i, step.slot)) continue;
            const double before = extent_[i];
            extent_[i] = indices(operand_->relation[i]);
            product *= extent_[i] / before;
        }
        return product;
    }

   private:
    bool touches(int relation, std::uint8_t slot) const {
        return operand_->relation[relation].a == slot || operand_->relation[relation].b == slot;
    }

    // Distinct values of a_step * a + b_step * b for a tile of whole a and b.
    double indices(const Relation& relation) const {
        const std::int64_t a = static_cast<std::int64_t>(partial_[relation.a]);
        const std::int64_t b = static_cast<std::int64_t>(partial_[relation.b]);
        const std::int64_t twice = std::max<std::int64_t>(0, b - relation.a_step) * (a - relation.b_step);
        return static_cast<double>(std::min(relation.most, a * b - twice));
    }

    const Operand* operand_;
    std::array<double, kSlots> relevant_;
    std::array<double, kSlots> partial_;
    std::array<double, kRelations> extent_;
};

}  // namespace tilewright::zigzag::lean
