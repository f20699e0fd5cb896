#include "certificate/fused/floors.hpp"

#include <algorithm>

#include "certificate/fused/place.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

using Marks = std::vector<bool>;  // by place of an axis, or value of a dimension

double number_of(const Marks& marks) { return static_cast<double>(std::ranges::count(marks, true)); }

// From the last einsum to the first, what is needed of every tensor.
class NeededWords {
   public:
    NeededWords(const Space& space, const Prices& prices, const Weights& weights, std::vector<Nests::PerPoint> array)
        : space_(space), prices_(prices), weights_(weights), array_(std::move(array)) {
        for (int t = 0; t < space.cascade().tensor_count(); ++t) {
            const bool is_wanted = !space.may_stay(t, space.count());
            needed_.emplace_back();
            for (const std::int64_t extent : space.tensor(t).shape)
                needed_.back().emplace_back(place(extent), is_wanted);
        }
    }

    std::vector<double> floors() {
        std::vector<double> all(place(space_.count()));
        for (int e = space_.count() - 1; e >= 0; --e) all[place(e)] = floor(e);
        return all;
    }

   private:
    double floor(int e) {
        const CascadeEinsum& one = space_.cascade().einsums[place(e)];
        std::vector<Marks> values;
        for (const Dimension& dimension : one.einsum.dimensions) values.emplace_back(place(dimension.extent), true);
        for (int t = 0; t < one.einsum.tensor_count(); ++t)
            if (one.einsum.tensors[place(t)].written) leave_out(e, t, values);
        double points = 1.0;
        for (const Marks& marks : values) points *= number_of(marks);
        double private_words = 0.0;
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            if (one.einsum.tensors[place(t)].written) continue;
            const double words = need(one.accesses[place(t)], values);
            if (space_.is_private(one.accesses[place(t)].tensor)) private_words += words;
        }
        const Nests::PerPoint& array = array_[place(e)];
        const double energy = points * array.energy_pj + energy_pj(prices_.dram, {private_words, 0.0, 0.0}) +
                              energy_pj(prices_.buffer, {0.0, private_words, 0.0});
        const double cycles = std::max(points * array.cycles, private_words / prices_.dram.words_per_cycle);
        return weights_.value(energy, cycles) * space_.repeats(e);
    }

    // Values of dimensions that alone say where on an axis a result is that is not needed.
    void leave_out(int e, int t, std::vector<Marks>& values) const {
        const Access& access = space_.cascade().einsums[place(e)].accesses[place(t)];
        for (std::size_t a = 0; a < access.coordinates.size(); ++a) {
            const int d = space_.dimension_on(e, t, static_cast<int>(a));
            if (d < 0) continue;
            Marks& marks = values[place(d)];
            const Marks& needed = needed_[place(access.tensor)][a];
            for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = marks[i] && i < needed.size() && needed[i];
        }
    }

    // Marks what is read; words of it.
    double need(const Access& access, const std::vector<Marks>& values) {
        std::vector<Marks>& axes = needed_[place(access.tensor)];
        if (access.anywhere) {
            for (Marks& marks : axes) marks.assign(marks.size(), true);
            return 0.0;
        }
        double words = 1.0;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            const Marks read = reached(access.coordinates[a], values, axes[a].size());
            words *= number_of(read);
            for (std::size_t i = 0; i < read.size(); ++i)
                if (read[i]) axes[a][i] = true;
        }
        return words;
    }

    static Marks reached(const Coordinate& coordinate, const std::vector<Marks>& values, std::size_t extent) {
        std::vector<std::int64_t> places{coordinate.offset};
        for (const Term& term : coordinate.terms) {
            std::vector<std::int64_t> more;
            const Marks& marks = values[place(term.dimension)];
            for (std::size_t v = 0; v < marks.size(); ++v)
                if (marks[v])
                    for (const std::int64_t one : places)
                        more.push_back(one + term.coefficient * static_cast<std::int64_t>(v));
            std::ranges::sort(more);
            more.erase(std::ranges::unique(more).begin(), more.end());
            places = std::move(more);
        }
        Marks marks(extent, false);
        for (const std::int64_t one : places)
            if (one >= 0 && one < static_cast<std::int64_t>(extent)) marks[place(one)] = true;
        return marks;
    }

    const Space& space_;
    const Prices& prices_;
    const Weights& weights_;
    std::vector<Nests::PerPoint> array_;
    std::vector<std::vector<Marks>> needed_;  // by tensor and axis
};

}  // namespace

std::vector<double> floors(const Space& space, const Prices& prices, const Weights& weights,
                           std::vector<Nests::PerPoint> array) {
    return NeededWords(space, prices, weights, std::move(array)).floors();
}

}  // namespace tilewright::certificate::fused_proof
