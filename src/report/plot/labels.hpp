// Labels beside marks, room permitting: none covers another, a mark, or the edge. Internal to plot/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/plot/canvas.hpp"

namespace tilewright::plot {

/// Approximate width of a text; `size`: of its font.
double text_width(const std::string& text, double size);

class Labels {
   public:
    /// A little beyond the edge is still free.
    explicit Labels(const Frame& frame) : frame_{frame.left, frame.top - 8.0, frame.right + 20.0, frame.bottom} {}

    /// Keeps this point uncovered.
    void keep_free(double x, double y);
    /// A line passes here: covered only if a label has no other place.
    void avoid(double x, double y);
    /// Right, left, above or below of the point; nowhere if all four are taken. True if drawn.
    bool draw(Canvas& canvas, double x, double y, const std::string& text);

   private:
    bool is_free(const Frame& box, bool of_lines) const;

    Frame frame_;
    std::vector<Frame> taken_;
    std::vector<Frame> lines_;
};

}  // namespace tilewright::plot
