#include "zigzag/search/given_order.hpp"

#include <algorithm>

#include "base/numbers/factors.hpp"

namespace tilewright::zigzag {
namespace {

// Takes the factors one by one for the loops without size, inner ones first.
class Placing {
   public:
    explicit Placing(const GivenOrder& given) : given_(given) {}

    std::vector<PlacedLoops> run(const std::vector<TemporalLoop>& free) {
        PlacedLoops placed;
        placed.free = free;
        place(0, placed);
        return std::move(all_);
    }

   private:
    void place(std::size_t index, const PlacedLoops& placed) {
        if (index == given_.inner.size() + given_.outer.size()) return all_.push_back(placed);
        const bool is_inner = index < given_.inner.size();
        const GivenLoop& loop = is_inner ? given_.inner[index] : given_.outer[index - given_.inner.size()];
        const auto with = [&](PlacedLoops next, std::int64_t size) {
            (is_inner ? next.inner : next.outer).push_back({loop.dimension, size});
            place(index + 1, next);
        };
        if (loop.size) return with(placed, *loop.size);
        for (const std::int64_t size : sizes_of(loop.dimension, placed.free)) {
            PlacedLoops next = placed;
            next.free.erase(std::find(next.free.begin(), next.free.end(), TemporalLoop{loop.dimension, size}));
            with(std::move(next), size);
        }
    }

    static std::vector<std::int64_t> sizes_of(int dimension, const std::vector<TemporalLoop>& free) {
        std::vector<std::int64_t> sizes;
        for (const TemporalLoop& loop : free)
            if (loop.dimension == dimension && std::find(sizes.begin(), sizes.end(), loop.size) == sizes.end())
                sizes.push_back(loop.size);
        return sizes;
    }

    const GivenOrder& given_;
    std::vector<PlacedLoops> all_;
};

}  // namespace

std::vector<TemporalLoop> PlacedLoops::all() const {
    std::vector<TemporalLoop> loops = inner;
    loops.insert(loops.end(), free.begin(), free.end());
    loops.insert(loops.end(), outer.begin(), outer.end());
    if (loops.size() > 1) std::erase(loops, TemporalLoop{0, 1});  // placeholder of an empty nest
    return loops;
}

std::vector<TemporalLoop> free_factors(std::vector<TemporalLoop> factors, const GivenOrder& given) {
    for (const std::vector<GivenLoop>* loops : {&given.inner, &given.outer})
        for (const GivenLoop& loop : *loops)
            for (const PrimePower& power : prime_factors(loop.size.value_or(1)))
                for (int i = 0; i < power.power; ++i)
                    if (const auto used =
                            std::find(factors.begin(), factors.end(), TemporalLoop{loop.dimension, power.prime});
                        used != factors.end())
                        factors.erase(used);
    return factors;
}

std::vector<PlacedLoops> placements(const std::vector<TemporalLoop>& free, const GivenOrder& given) {
    return Placing(given).run(free);
}

}  // namespace tilewright::zigzag
