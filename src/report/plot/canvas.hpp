// Elements of an SVG drawing. Internal to plot/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/plot/chart.hpp"
#include "report/plot/colour.hpp"

namespace tilewright::plot {

enum class Anchor { start, middle, end };

struct TextStyle {
    Anchor anchor = Anchor::start;
    int size = 12;
    int rotation = 0;  ///< degrees, clockwise
};

struct Frame {
    double left = 0.0;
    double top = 0.0;
    double right = 0.0;
    double bottom = 0.0;

    double width() const { return right - left; }
    double height() const { return bottom - top; }
};

class Canvas {
   public:
    Canvas(const Size& size, const std::string& title);

    void line(double x1, double y1, double x2, double y2, const std::string& stroke = "currentColor",
              double opacity = 1.0);
    void text(double x, double y, const std::string& text, const TextStyle& style = {});
    /// `tip`: tooltip; "" for none.
    void box(double x, double y, double width, double height, const std::string& fill, const std::string& tip);
    void dot(double x, double y, const std::string& fill, const std::string& tip);
    void path(const std::vector<std::pair<double, double>>& points, const std::string& stroke);

    /// Elements until end_around() leave these boxes free, on any background: a mask. Without boxes, nothing.
    void begin_around(const std::vector<Frame>& boxes, const Size& size);
    void end_around(const std::vector<Frame>& boxes);

    std::string take();

   private:
    std::string text_;
};

/// Names with their colours, each once, in rows from `top` on; returns their lower end.
double legend(Canvas& canvas, const std::vector<std::pair<std::string, std::string>>& entries, const Size& size,
              double top);

void draw(Canvas& canvas, const StackedBars& chart, const Size& size);
void draw(Canvas& canvas, const Plane& chart, const Size& size);
void draw(Canvas& canvas, const HeatMap& chart, const Size& size);
void draw(Canvas& canvas, const Blocks& chart, const Size& size);

// Labels beside marks, room permitting: none covers another, a mark, or the edge. Internal to plot/.

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
