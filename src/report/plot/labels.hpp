// Labels beside marks, where there is room: none covers another, a mark, or the edge. Internal to plot/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/plot/canvas.hpp"

namespace tilewright::plot {

/// About how wide a text is; `size`: of its font.
double text_width(const std::string& text, double size);

class Labels {
   public:
    /// A little beyond the edge is still free.
    explicit Labels(const Frame& frame) : frame_{frame.left, frame.top - 8.0, frame.right + 20.0, frame.bottom} {}

    /// Nothing may cover what is here.
    void keep_free(double x, double y);
    /// A line passes here: it is covered only where a label has no other place.
    void avoid(double x, double y);
    /// Right, left, above or below of the point; nowhere when all four are taken. Returns true when drawn.
    bool draw(Canvas& canvas, double x, double y, const std::string& text);

   private:
    bool is_free(const Frame& box, bool of_lines) const;

    Frame frame_;
    std::vector<Frame> taken_;
    std::vector<Frame> lines_;
};

}  // namespace tilewright::plot
