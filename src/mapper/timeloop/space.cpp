#include "mapper/timeloop/space.hpp"

#include <algorithm>
#include <limits>

#include "base/numbers/random.hpp"

namespace tilewright::timeloop_search {
namespace {

Number factorial(std::size_t n) {
    Number product = 1;
    for (std::size_t i = 2; i <= n; ++i) product *= i;
    return product;
}

bool has(const std::vector<std::uint8_t>& list, int dimension) {
    return std::ranges::find(list, static_cast<std::uint8_t>(dimension)) != list.end();
}

// The lesser of a pair of divisors and then the greater, from 1 and the extent inwards. Divisors by their numbers.
std::vector<int> divisors_by_pairs(const Factorizations& factors) {
    std::vector<int> order;
    const int last = factors.whole();
    for (int low = 0; low <= last - low; ++low) {
        order.push_back(low);
        if (low != last - low) order.push_back(last - low);
    }
    return order;
}

// The product, or nothing from 2^128 on.
std::optional<Number> product(std::initializer_list<Number> factors) {
    Number all = 1;
    for (const Number factor : factors) {
        if (factor != 0 && all > std::numeric_limits<Number>::max() / factor) return std::nullopt;
        all *= factor;
    }
    return all;
}

}  // namespace

Space::Space(const Mapspace& mapspace, const Einsum& einsum, const Architecture& architecture)
    : mapspace_(mapspace), einsum_(einsum), architecture_(architecture) {
    set_levels(mapspace.constraints());
    set_factors();
    for (int t = 0; t < einsum.tensor_count(); ++t)
        for (int m = mapspace.level_count() - 1; m >= 0; --m)
            if (mapspace.free_tensors(m).has(t)) keeps_.push_back({m, t});
    set_sizes();
}

void Space::set_levels(const Constraints& constraints) {
    static const LoopConstraint kFree{};
    for (int m = mapspace_.level_count() - 1; m >= 0; --m) {
        const Mesh mesh = architecture_.fanout(m);
        for (const bool spatial : {true, false}) {
            if (spatial && mesh.size() == 1) continue;
            const LevelConstraint* given = constraints.levels.empty() ? nullptr : &constraints.levels[m];
            const LoopConstraint& loops = given == nullptr ? kFree : spatial ? given->spatial : given->temporal;
            Level level;
            level.memory = m;
            level.spatial = spatial;
            level.prefix.assign(loops.inner.begin(), loops.inner.end());
            level.suffix.assign(loops.outer.begin(), loops.outer.end());
            const bool free = level.prefix.empty() && level.suffix.empty();
            level.canonical = free && (spatial ? mesh.x == 1 || mesh.y == 1 : levels_.empty());
            if (spatial) level.split = loops.split;
            levels_.push_back(std::move(level));
        }
    }
}

void Space::set_factors() {
    for (int d = 0; d < mapspace_.dimension_count(); ++d) {
        std::vector<FactorBounds> bounds;
        for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
            bounds.push_back(mapspace_.factor_bounds({level->memory, level->spatial}, d));
        factors_.emplace_back(einsum_.dimensions[d].extent, std::move(bounds));
        divisor_order_.push_back(divisors_by_pairs(factors_.back()));
    }
}

void Space::set_sizes() {
    std::optional<Number> factorizations = 1;
    for (const Factorizations& dimension : factors_)
        factorizations = factorizations
                             ? product({*factorizations, static_cast<Number>(dimension.ways(0, dimension.whole()))})
                             : std::nullopt;
    std::optional<Number> permutations = 1;
    for (const Level& level : levels_) {
        Slice::Level orders;
        order(level, Prune::no, orders);
        permutations = permutations ? product({*permutations, factorial(orders.middle.size())}) : std::nullopt;
        sizes_.splits *= static_cast<Number>(orders.splits);
    }
    sizes_.bypasses = Number{1} << keeps_.size();
    if (factorizations && permutations) {
        sizes_.factorizations = *factorizations;
        sizes_.permutations = *permutations;
    } else {
        problem_ =
            "Timeloop's searches number the factorisations and the orders of loops, and there are more than 2^128 here";
    }
}

// The factorisation of the first dimension counts fastest; in each, that of the innermost level.
void Space::divide(Number factorization, std::vector<Slice::Level>& levels) const {
    for (Slice::Level& level : levels) level.factors.assign(factors_.size(), 1);
    for (std::size_t d = 0; d < factors_.size(); ++d) {
        const Factorizations& dimension = factors_[d];
        const auto ways = static_cast<Number>(dimension.ways(0, dimension.whole()));
        auto number = static_cast<double>(factorization % ways);
        factorization /= ways;
        int rest = dimension.whole();
        for (int slot = 0; slot < static_cast<int>(levels.size()); ++slot) {
            for (const int divisor : divisor_order_[d]) {
                const int left = dimension.without(rest, divisor);
                if (left < 0 || !dimension.bounds(slot).allows(dimension.value(divisor))) continue;
                const double inside = dimension.ways(slot + 1, left);
                if (number >= inside) {
                    number -= inside;
                    continue;
                }
                levels[levels.size() - 1 - static_cast<std::size_t>(slot)].factors[d] =
                    static_cast<std::int32_t>(dimension.value(divisor));
                rest = left;
                break;
            }
        }
    }
}

// Loops that run once go innermost, unless the constraints name a fan-out's loops along X: their places count then.
void Space::order(const Level& level, Prune prune, Slice::Level& slice) const {
    const int dimensions = mapspace_.dimension_count();
    const bool prunes = prune == Prune::yes && !level.split;
    std::vector<std::uint8_t> once;
    for (int d = 0; d < dimensions && prunes; ++d)
        if (slice.factors[d] == 1) once.push_back(static_cast<std::uint8_t>(d));
    if (level.spatial && !level.split) {
        slice.first_split = static_cast<int>(once.size());
        slice.splits = dimensions + 1 - slice.first_split;
    }
    if (level.canonical) {
        for (int d = 0; d < dimensions; ++d) slice.prefix.push_back(static_cast<std::uint8_t>(d));
        return;
    }
    slice.prefix = once;
    for (const int d : level.prefix)
        if (!has(once, d)) slice.prefix.push_back(static_cast<std::uint8_t>(d));
    for (const int d : level.suffix)
        if (!has(slice.prefix, d)) slice.suffix.push_back(static_cast<std::uint8_t>(d));
    for (int d = 0; d < dimensions; ++d)
        if (!has(slice.prefix, d) && !has(slice.suffix, d)) slice.middle.push_back(static_cast<std::uint8_t>(d));
}

Slice Space::slice(Number factorization, Prune prune) const {
    Slice slice;
    slice.levels.resize(levels_.size());
    divide(factorization, slice.levels);
    for (std::size_t i = 0; i < levels_.size(); ++i) {
        order(levels_[i], prune, slice.levels[i]);
        slice.permutations *= factorial(slice.levels[i].middle.size());
        slice.splits *= static_cast<Number>(slice.levels[i].splits);
    }
    return slice;
}

// By Lehmer's code: the first place chooses slowest.
std::vector<std::uint8_t> Space::permuted(const Slice::Level& level, Number& permutation) const {
    std::vector<std::uint8_t> order = level.prefix;
    std::vector<std::uint8_t> left = level.middle;
    Number ways = factorial(left.size());
    Number number = permutation % ways;
    permutation /= ways;
    while (!left.empty()) {
        ways /= left.size();
        const auto place = left.begin() + static_cast<std::ptrdiff_t>(number / ways);
        number %= ways;
        order.push_back(*place);
        left.erase(place);
    }
    order.insert(order.end(), level.suffix.begin(), level.suffix.end());
    return order;
}

// The next digit of a split's number: loops along X.
int Space::along_x(const Level& level, const Slice::Level& slice, Number& split) const {
    const auto splits = static_cast<Number>(slice.splits);
    const auto digit = static_cast<int>(split % splits);
    split /= splits;
    return level.split.value_or(slice.first_split + digit);
}

// With a free order only loops exceeding the whole fan-out never fit.
bool Space::is_doomed(const Level& level, const Slice::Level& slice, int split) const {
    const Mesh mesh = architecture_.fanout(level.memory);
    std::int64_t x = 1;
    std::int64_t y = 1;
    for (std::size_t d = 0; d < slice.factors.size(); ++d)
        (level.canonical && static_cast<int>(d) >= split ? y : x) *= slice.factors[d];
    if (!level.canonical) return x > static_cast<std::int64_t>(mesh.x) * mesh.y;
    return x > mesh.x || y > mesh.y;
}

std::vector<bool> Space::doomed_splits(const Slice& slice) const {
    constexpr Number kMostSplits = 1U << 16U;
    if (slice.splits > kMostSplits) return {};
    std::vector<bool> doomed(static_cast<std::size_t>(slice.splits), false);
    for (std::size_t number = 0; number < doomed.size(); ++number) {
        Number split = number;
        for (std::size_t i = 0; i < levels_.size() && !doomed[number]; ++i) {
            if (!levels_[i].spatial) continue;
            const int x = along_x(levels_[i], slice.levels[i], split);
            doomed[number] = is_doomed(levels_[i], slice.levels[i], x);
        }
    }
    return doomed;
}

bool Space::write_spatial(const Level& level, const Slice::Level& slice, const std::vector<std::uint8_t>& order,
                          int split, TilingPoint& point) const {
    TilingLevel& at = point[level.memory];
    std::int64_t x = 1;
    std::int64_t y = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint8_t d = order[i];
        const std::int32_t factor = slice.factors[d];
        const bool along_y = static_cast<int>(i) >= split;
        (along_y ? y : x) *= factor;
        at.spread(d, along_y ? 1 : factor, along_y ? factor : 1);
        at.spatial_order[i] = {d, along_y};
        at.spatial_order[order.size() + i] = {d, !along_y};
    }
    const Mesh mesh = architecture_.fanout(level.memory);
    return x <= mesh.x && y <= mesh.y;
}

bool Space::write(const Slice& slice, const Choice& choice, TilingPoint& point) const {
    Number permutation = choice.permutation;
    Number split = choice.split;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
        const Level& level = levels_[i];
        const Slice::Level& here = slice.levels[i];
        const std::vector<std::uint8_t> order = permuted(here, permutation);
        if (!level.spatial) {
            std::ranges::copy(here.factors, point[level.memory].temporal.begin());
            std::ranges::copy(order, point[level.memory].order.begin());
            continue;
        }
        if (!write_spatial(level, here, order, along_x(level, here, split), point)) return false;
    }
    for (int m = 0; m < point.level_count(); ++m) point[m].keep = mapspace_.kept_tensors(m);
    for (std::size_t i = 0; i < keeps_.size(); ++i) {
        TensorSet& keep = point[keeps_[i].memory].keep;
        if ((choice.bypass >> i & 1U) != 0) keep = TensorSet::from_bits(keep.bits() | 1U << keeps_[i].tensor);
    }
    return mapspace_.parallel_enough(point);
}

namespace {

// The "minimal standard" engine of Lewis, Goodman and Miller: states 1 .. 2^31 - 2.
constexpr std::uint64_t kMultiplier = 16807;
constexpr std::uint64_t kModulus = 2147483647;
constexpr std::uint64_t kEngineRange = kModulus - 2;  // between its least and its largest number
constexpr std::uint64_t kMost64 = std::numeric_limits<std::uint64_t>::max();

std::uint64_t state_of(std::uint64_t seed) {
    constexpr std::uint64_t kTimeloops = 1;
    return seed == kTimeloops ? 1 : 1 + Random::split(seed, 0) % (kModulus - 1);
}

}  // namespace

Draws::Draws(Number bound, std::uint64_t seed) : bound_(bound), state_(state_of(seed)) {}

std::uint32_t Draws::engine() {
    state_ = state_ * kMultiplier % kModulus;
    return static_cast<std::uint32_t>(state_ - 1);
}

// As the GNU C++ library draws evenly from 0 .. most: too large numbers are rejected; a range beyond the engine's is
// drawn digit by digit, the highest first.
std::uint64_t Draws::up_to(std::uint64_t most) {
    if (most == kEngineRange) return engine();
    if (most < kEngineRange) {
        const std::uint64_t scale = kEngineRange / (most + 1);
        std::uint64_t drawn = engine();
        while (drawn >= scale * (most + 1)) drawn = engine();
        return drawn / scale;
    }
    constexpr std::uint64_t kBase = kEngineRange + 1;
    while (true) {
        const std::uint64_t high = kBase * up_to(most / kBase);
        const std::uint64_t drawn = high + engine();
        if (drawn <= most && drawn >= high) return drawn;
    }
}

// Of two draws the second counts multiples of 2^64 - 1, and the last such multiple is never reached, as in Timeloop.
Number Draws::next() {
    if (bound_ <= kMost64) return up_to(static_cast<std::uint64_t>(bound_ - 1));
    const Number low = up_to(kMost64);
    return low + static_cast<Number>(up_to(static_cast<std::uint64_t>(bound_ / kMost64 - 1))) * kMost64;
}

}  // namespace tilewright::timeloop_search
