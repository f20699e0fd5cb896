#include "mapper/cosa/released.hpp"

#include <bit>
#include <cmath>

#include "mapper/cosa/encoding/encoding.hpp"

namespace tilewright::cosa {
namespace {

using mip::Expression;

// The released code's matrix A: a kernel dimension is irrelevant to the tensor it slides over.
bool moves(const Layout& layout, int dimension, int tensor) {
    for (const Window& window : layout.windows())
        if (window.tensor == tensor && window.kernel == dimension) return false;
    return layout.relevant(dimension, tensor);
}

class Model {
   public:
    Model(Released version, const Encoding& encoding)
        : version_(version), encoding_(encoding), layout_(encoding.layout()), problem_(encoding.problem()) {}

    Terms build() {
        keep_kernels_outside();
        const int hub_level = layout_.level_of(layout_.hub());
        for (int level = 0; level <= hub_level; ++level) {
            const int memory = layout_.storages()[level];
            for (int t = 0; t < layout_.einsum().tensor_count(); ++t) {
                if (!layout_.keep(memory).has(t)) continue;
                const Expression used = tile(memory, t);
                problem_.add_row(used, -mip::kInfinity, log_room(room(memory, t)));
                if (level < hub_level) terms_.utilization.add(level == 2 ? 1.01 : 1.0, used);
            }
        }
        terms_.compute = encoding_.log_of(-1, [&](int p) { return !layout_.places()[p].is_spatial(); });
        for (int t = 0; t < layout_.einsum().tensor_count(); ++t) add_traffic(t);
        terms_.traffic += encoding_.iterations(0);
        return std::move(terms_);
    }

   private:
    // The slip of 2023: the window's halo was added to the tiles of memories without room for inputs.
    void keep_kernels_outside() {
        if (version_ != Released::in_2023) return;
        for (const Window& window : layout_.windows())
            for (int g = 0; g < group_count(); ++g)
                if (layout_.groups()[g].dimension == window.kernel && layout_.groups()[g].prime > 1)
                    problem_.add_row(encoding_.number_of(g, inside(layout_.hub())), 0.0, 0.0);
    }

    int group_count() const { return static_cast<int>(layout_.groups().size()); }

    std::function<bool(int)> inside(int memory) const {
        return [this, memory](int place) { return layout_.inside(place, memory); };
    }

    // A tensor's share in words, fixed.
    double room(int memory, int tensor) const {
        const std::optional<std::int64_t> words = layout_.architecture().memories[memory].usable_words();
        if (!words) return 0x1p62;
        const int sharers = std::popcount(layout_.keep(memory).bits());
        double share = 1.0 / sharers;
        if (version_ == Released::in_2021 && sharers == 2)
            share = layout_.einsum().tensors[tensor].written ? 0.75 : 0.25;
        return std::max(1.0, static_cast<double>(*words) * share);
    }

    // log2 of a tensor's tile in the version's view.
    Expression tile(int memory, int tensor) {
        Expression used;
        for (int d = 0; d < layout_.einsum().dimension_count(); ++d)
            if (moves(layout_, d, tensor)) used += encoding_.log_of(d, inside(memory));
        for (const Window& window : layout_.windows())
            if (window.tensor == tensor) add_window(window, memory, used);
        return used;
    }

    void add_window(const Window& window, int memory, Expression& used) {
        add_stride(window, memory, used);
        const bool inner = memory != layout_.hub();
        if (version_ == Released::repaired || (version_ == Released::in_2021 && inner)) add_halo(window, memory, used);
    }

    void add_stride(const Window& window, int memory, Expression& used) {
        const double stride = std::log2(static_cast<double>(window.stride));
        if (stride == 0.0) return;
        if (version_ == Released::repaired) {
            used.add(stride, occupied(window.position, memory));
            return;
        }
        for (int g = 0; g < group_count(); ++g)  // once for every factor, also for the factor 1
            if (layout_.groups()[g].dimension == window.position)
                used.add(stride, encoding_.number_of(g, inside(memory)));
    }

    // 1 if some factor of the dimension lies inside the memory, else 0.
    Expression occupied(int dimension, int memory) {
        const Expression result = Expression::of(problem_.add_binary());
        Expression all;
        for (int g = 0; g < group_count(); ++g) {
            const FactorGroup& group = layout_.groups()[g];
            if (group.dimension != dimension) continue;
            const Expression here = encoding_.number_of(g, inside(memory));
            problem_.add_at_most(here, group.count * result);
            all += here;
        }
        problem_.add_at_most(result, all);
        return result;
    }

    // For each kernel factor: itself, or 2 with positions inside. Its number is split between the two cases, so that
    // the row stays a sum of whole numbers.
    void add_halo(const Window& window, int memory, Expression& used) {
        const Expression positions = occupied(window.position, memory);
        const int kernel_home = version_ == Released::in_2021 ? layout_.hub() : memory;
        for (int g = 0; g < group_count(); ++g) {
            const FactorGroup& group = layout_.groups()[g];
            if (group.dimension != window.kernel) continue;
            const double most = group.count;
            const Expression alone = Expression::of(problem_.add_integer(0.0, most));
            const Expression slid = Expression::of(problem_.add_integer(0.0, most));
            problem_.add_equal(alone + slid, encoding_.number_of(g, inside(kernel_home)));
            problem_.add_at_most(slid, most * positions);
            problem_.add_at_most(alone + most * positions, Expression(most));
            used.add(group.log2, alone);
            used += slid;
        }
    }

    // Data size by level, network and outermost iterations, with the released factors.
    void add_traffic(int tensor) {
        const int hub_level = layout_.level_of(layout_.hub());
        const bool bypasses_hub = !layout_.keep(layout_.hub()).has(tensor);
        for (int p = 0; p < static_cast<int>(layout_.places().size()); ++p) {
            const LoopSlot& place = layout_.places()[p];
            const int level = layout_.level_of(place.memory);
            const auto here = [p](int other) { return other == p; };
            if (level < hub_level) {
                for (int d = 0; d < layout_.einsum().dimension_count(); ++d)
                    if (moves(layout_, d, tensor))
                        terms_.traffic.add(0.99 * (0.8 + 0.04 * level), encoding_.log_of(d, here));
            } else if (place.is_spatial()) {
                terms_.traffic.add(0.99, encoding_.log_of(-1, here));
            } else if (level > hub_level) {
                terms_.traffic.add(bypasses_hub ? 1.01 : 1.0, encoding_.log_of(-1, here));
            }
        }
    }

    Released version_;
    const Encoding& encoding_;
    const Layout& layout_;
    mip::Program& problem_;
    Terms terms_;
};

}  // namespace

std::vector<OrderedPlace> released_orders(const Layout& layout) {
    OrderedPlace ordered;
    for (std::size_t p = 0; p < layout.places().size(); ++p)
        if (layout.places()[p].memory == layout.hub() && !layout.places()[p].is_spatial())
            ordered.place = static_cast<int>(p);
    ordered.weights.assign(layout.einsum().tensors.size(), 1.0);
    for (int d = 0; d < layout.einsum().dimension_count(); ++d) {
        std::uint32_t relevance = 0;
        for (int t = 0; t < layout.einsum().tensor_count(); ++t)
            if (moves(layout, d, t)) relevance |= 1U << t;
        ordered.relevance.push_back(relevance);
    }
    return {ordered};
}

Terms released_model(Released version, const Encoding& encoding) { return Model(version, encoding).build(); }

}  // namespace tilewright::cosa
