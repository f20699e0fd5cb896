// Colours that keep their meaning: a tensor, a memory or a cause has one colour in every picture and on every page of
// the same runs. Memories are a family of their own (outermost darkest), arithmetic is grey.
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

    /// "#43388f"; "" for a name that stands for nothing in these runs.
    std::string colour(const std::string& name) const;
    /// Names with their colours, in the order in which they were met.
    const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

   private:
    void add_memories(const std::vector<Run>& runs);
    void add_tensors(const Layer& layer);
    std::string free_colour(const Layer& layer, std::size_t preferred) const;

    std::vector<std::pair<std::string, std::string>> entries_;
};

/// Parts in their colours; those that the palette does not know get colours that no other part has.
std::vector<plot::Part> coloured(std::vector<plot::Part> parts, const Palette& palette);

}  // namespace tilewright::views
