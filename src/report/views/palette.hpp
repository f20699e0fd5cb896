// Colours with fixed meanings: a tensor, a memory or a cause has one colour in every picture and on every page of the
// same runs. Memories are a family of their own (outermost darkest), arithmetic is grey.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/plot/chart.hpp"
#include "report/views/run.hpp"

namespace tilewright::views {

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

}  // namespace tilewright::views
