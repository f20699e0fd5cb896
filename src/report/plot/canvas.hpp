// Elements of an SVG drawing. Internal to plot/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/plot/chart.hpp"

namespace tilewright::plot {

// Colours of charts.

inline constexpr std::size_t kColours = 28;

/// The k-th colour. The first six are distinct for any colour vision (Okabe and Ito, 2008); each later one is as far
/// from its predecessors as a colour of middle lightness can be (CIE 1976 L*a*b*).
std::string colour_of(std::size_t k);

/// Of a name with one meaning in every chart ("idle units", "load weight", "operand 1"); "" for all others. Weights are
/// blue, inputs green, results amber, arithmetic grey.
std::string known_colour(const std::string& name);

/// Of the k-th of some names: its known colour, or that of its place.
std::string kind_colour(const std::vector<std::string>& kinds, std::size_t k);

/// From dark violet (0) to light rose (1): a family distinguished by lightness. Requires 0 <= place <= 1.
std::string ramp_colour(double place);
/// Likewise, for another machine's: from dark green to sand.
std::string other_ramp_colour(double place);

/// The colour halfway to white. Requires "#rrggbb".
std::string tint(const std::string& colour);

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

// Text as content of XML and HTML, never as markup.

/// For element content and for attribute values in quotes. Control characters, not allowed in XML, and bytes that are
/// not UTF-8 become U+FFFD; so do marks of text direction (U+202A to U+202E, U+2066 to U+2069).
std::string escaped(std::string_view text);

/// At most `most` characters, the last one an ellipsis if some were cut.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace tilewright::plot
