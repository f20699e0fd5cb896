// Parts of stacked bars, collected bar by bar. Internal to views/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/plot/chart.hpp"
#include "report/views/run.hpp"

namespace tilewright::views {

// Colours with fixed meanings: a tensor, a memory or a cause has one colour in every picture and on every page of the
// same runs. Memories are a family of their own (outermost darkest), arithmetic is grey.

class Palette {
   public:
    explicit Palette(const std::vector<Run>& runs);

    /// "#43388f"; "" for unknown names.
    std::string colour(const std::string& name) const;
    /// Names with their colours, in order of appearance.
    const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

   private:
    void add_memories(const std::vector<Run>& runs);
    void add_tensors(const Layer& layer);
    std::string free_colour(const Layer& layer, std::size_t preferred) const;

    std::vector<std::pair<std::string, std::string>> entries_;
};

/// Parts in their colours; unknown ones get colours of no other part.
std::vector<plot::Part> coloured(std::vector<plot::Part> parts, const Palette& palette);

inline constexpr double kJoulesPerPicojoule = 1e-12;

/// Parts appear in order of first naming; a bar without a part has 0 there.
class Parts {
   public:
    explicit Parts(std::size_t bars) : bars_(bars) {}

    void name(const std::string& part) { find(part); }
    void add(std::size_t bar, const std::string& part, double value) { find(part).values[bar] += value; }

    /// Those that are not 0 everywhere.
    std::vector<plot::Part> take() const { return take(Palette({})); }
    /// The same in their colours.
    std::vector<plot::Part> take(const Palette& palette) const {
        std::vector<plot::Part> kept;
        for (const plot::Part& part : parts_)
            for (const double value : part.values)
                if (value > 0.0) {
                    kept.push_back(part);
                    break;
                }
        return coloured(std::move(kept), palette);
    }

   private:
    plot::Part& find(const std::string& name) {
        for (plot::Part& part : parts_)
            if (part.name == name) return part;
        parts_.push_back({name, std::vector<double>(bars_)});
        return parts_.back();
    }
    std::size_t bars_;
    std::vector<plot::Part> parts_;
};

}  // namespace tilewright::views
