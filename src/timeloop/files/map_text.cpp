#include "timeloop/files/load.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/error.hpp"
#include "yaml/write.hpp"

namespace tilewright::timeloop {
namespace {

constexpr std::string_view kBlanks = " \t\r|";

std::string_view stripped(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    return begin == std::string_view::npos ? "" : line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

bool is_rule(std::string_view line) { return line.size() > 2 && line.find_first_not_of('-') == std::string_view::npos; }

// "DRAM [ Weights:4608 (4608) ]", not "for K in [0:4)".
bool is_header(std::string_view line) {
    const std::size_t open = line.find('[');
    return open != std::string_view::npos && open > 0 && line.ends_with(']') && line[open - 1] == ' ';
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

struct PrintedLoop {
    std::string dimension;
    std::string extent;  ///< "4", or "4,3" with the remainder
    enum class Axis : std::uint8_t { time, x, y } axis = Axis::time;
};

struct PrintedMemory {
    std::string name;
    std::vector<std::string> keeps;
    std::vector<PrintedLoop> loops;  ///< the outermost first
    int line = 1;
};

class MapTextReader {
   public:
    MapTextReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    yaml::Source read() {
        for (const std::string_view line : lines_of(text_)) {
            ++number_;
            line_ = line;
            const std::string_view words = stripped(line);
            if (words.empty() || is_rule(words) || words.starts_with("<<")) continue;
            if (is_header(words))
                header(words);
            else
                loop(words);
        }
        return written();
    }

   private:
    void header(std::string_view words) {
        const std::size_t open = words.find('[');
        PrintedMemory& memory = memories_.emplace_back();
        memory.name = std::string(stripped(words.substr(0, open)));
        memory.line = number_;
        std::string word;
        for (const char c : words.substr(open + 1)) {
            if (c == ':') memory.keeps.push_back(word);
            const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
            word = letter ? word + c : "";
        }
        for (const std::string& tensor : memory.keeps)
            if (std::find(tensors_.begin(), tensors_.end(), tensor) == tensors_.end()) tensors_.push_back(tensor);
    }

    // "for P in [0:14,13) (Spatial-X)"
    void loop(std::string_view words) {
        const std::size_t in = words.find(" in [0:");
        const std::size_t close = words.find(')');
        if (memories_.empty() || !words.starts_with("for ") || in == std::string_view::npos ||
            close == std::string_view::npos || close < in)
            throw InputError(ErrorCode::syntax, {file_, number_, 1},
                             "expected a level ('DRAM [ Weights:64 ]') or a loop ('for K in [0:4)') of a mapping that "
                             "Timeloop printed",
                             line_);
        constexpr std::size_t kFor = 4;
        constexpr std::size_t kIn = 7;
        PrintedLoop made{std::string(words.substr(kFor, in - kFor)),
                         std::string(words.substr(in + kIn, close - in - kIn))};
        if (words.ends_with("(Spatial-X)")) made.axis = PrintedLoop::Axis::x;
        if (words.ends_with("(Spatial-Y)")) made.axis = PrintedLoop::Axis::y;
        memories_.back().loops.push_back(std::move(made));
    }

    void add(const PrintedMemory& memory, const std::string& rest) {
        source_.text += "- {target: " + yaml::quoted_text(memory.name) + ", " + rest + "}\n";
        source_.origin.emplace_back(file_, memory.line);
    }

    static std::string listed(const std::vector<std::string>& words) {
        std::string text;
        for (const std::string& word : words) text += (text.empty() ? "" : ", ") + yaml::quoted_text(word);
        return "[" + text + "]";
    }

    // Permutations are innermost first, along X before along Y.
    void add_loops(const PrintedMemory& memory, bool spatial) {
        std::vector<std::string> factors;
        std::vector<std::string> order;
        std::size_t along_x = 0;
        for (const PrintedLoop::Axis axis : {PrintedLoop::Axis::time, PrintedLoop::Axis::x, PrintedLoop::Axis::y})
            for (auto one = memory.loops.rbegin(); one != memory.loops.rend(); ++one) {
                if (one->axis != axis || (axis == PrintedLoop::Axis::time) == spatial) continue;
                factors.push_back(one->dimension + "=" + one->extent);
                order.push_back(one->dimension);
                along_x += axis == PrintedLoop::Axis::x ? 1 : 0;
            }
        if (factors.empty()) return;
        std::string rest = spatial ? "type: spatial, split: " + std::to_string(along_x) : "type: temporal";
        rest += ", factors: " + listed(factors) + ", permutation: " + listed(order);
        add(memory, rest);
    }

    yaml::Source written() {
        source_.file = file_;
        source_.text = "mapping:\n";
        source_.origin.emplace_back(file_, 1);
        for (const PrintedMemory& memory : memories_) {
            std::vector<std::string> bypassed;
            for (const std::string& tensor : tensors_)
                if (std::find(memory.keeps.begin(), memory.keeps.end(), tensor) == memory.keeps.end())
                    bypassed.push_back(tensor);
            add(memory, "type: datatype, keep: " + listed(memory.keeps) + ", bypass: " + listed(bypassed));
            add_loops(memory, false);
            add_loops(memory, true);
        }
        return std::move(source_);
    }

    std::string_view text_;
    std::string file_;
    int number_ = 0;
    std::string_view line_;
    std::vector<PrintedMemory> memories_;
    std::vector<std::string> tensors_;
    yaml::Source source_;
};

}  // namespace

bool is_map_text(std::string_view text) {
    bool header = false;
    for (std::string_view line : lines_of(text.substr(0, std::min<std::size_t>(text.size(), 4096)))) {
        line = stripped(line);
        if (line.empty()) continue;
        if (header && is_rule(line)) return true;
        if (!is_header(line)) return false;
        header = true;
    }
    return false;
}

yaml::Source map_text_as_yaml(std::string_view text, const std::string& file) {
    return MapTextReader(text, file).read();
}

}  // namespace tilewright::timeloop
