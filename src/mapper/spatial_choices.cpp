#include "mapper/spatial_choices.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr int kMostListed = 100'000;
constexpr int kDraws = 5'000;

double indicator(const TilingPoint& point) {
    double units = 1.0;
    double most = 1.0;  // of one dimension
    for (int d = 0; d < point.dimension_count(); ++d) {
        double of_dimension = 1.0;
        for (int l = 0; l < point.level_count(); ++l) of_dimension *= point[l].spatial[d];
        units *= of_dimension;
        most = std::max(most, of_dimension);
    }
    return units + (units / most - 1.0);
}

struct Choice {
    TilingPoint point;
    double indicator;
};

class BestFew {
   public:
    explicit BestFew(int most) : most_(static_cast<std::size_t>(most)) {}

    void take(const TilingPoint& point) {
        const double value = indicator(point);
        if (choices_.size() == most_ && value <= choices_.back().indicator) return;
        if (std::any_of(choices_.begin(), choices_.end(), [&](const Choice& one) { return one.point == point; }))
            return;
        const auto place =
            std::find_if(choices_.begin(), choices_.end(), [&](const Choice& one) { return value > one.indicator; });
        choices_.insert(place, {point, value});
        if (choices_.size() > most_) choices_.pop_back();
    }

    std::vector<TilingPoint> points() const {
        std::vector<TilingPoint> points;
        for (const Choice& choice : choices_) points.push_back(choice.point);
        return points;
    }

   private:
    std::size_t most_;
    std::vector<Choice> choices_;
};

// The spatial loops of a point, all else 1.
TilingPoint spatial_part(const Mapspace& mapspace, const TilingPoint& from) {
    TilingPoint point = mapspace.first_point();
    for (int l = 0; l < point.level_count(); ++l) {
        point[l].spatial = from[l].spatial;
        point[l].along_x = from[l].along_x;
        point[l].along_y = from[l].along_y;
        point[l].spatial_order = from[l].spatial_order;
    }
    return point;
}

}  // namespace

std::vector<TilingPoint> best_spatial_choices(const Mapspace& mapspace, int most) {
    BestFew best(most);
    int listed = 0;
    const bool all = mapspace.enumerate_spatial([&](const TilingPoint& point) {
        best.take(point);
        return ++listed < kMostListed;
    });
    if (all) return best.points();
    Random random(1);
    TilingPoint point = mapspace.point();
    for (int i = 0; i < kDraws; ++i)
        if (mapspace.sample(random, point)) best.take(spatial_part(mapspace, point));
    return best.points();
}

}  // namespace tilewright
