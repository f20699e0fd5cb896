#include "scalesim/topology.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "scalesim/config.hpp"
#include "workload/shapes.hpp"

namespace tilewright::scalesim {
namespace {

struct Cell {
    std::string_view text;
    int column = 1;
};

// Non-breaking spaces of spreadsheets and web pages are spaces.
std::string with_plain_spaces(std::string_view text) {
    std::string plain(text);
    for (const std::string_view space : {"\xC2\xA0", "\xE2\x80\xAF"})
        for (std::size_t at = plain.find(space); at != std::string::npos; at = plain.find(space, at))
            plain.replace(at, space.size(), " ");
    return plain;
}

// Without the empty cell behind a final separator, and without a trailing comment ("#dw").
std::vector<Cell> cells_of(std::string_view line) {
    const char separator = line.find(',') != std::string_view::npos   ? ','
                           : line.find(';') != std::string_view::npos ? ';'
                                                                      : '\t';
    std::vector<Cell> cells;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(separator, begin), line.size());
        const std::string_view text = trimmed(line.substr(begin, end - begin));
        const std::size_t at = text.empty() ? begin : static_cast<std::size_t>(text.data() - line.data());
        cells.push_back({text, static_cast<int>(at) + 1});
        begin = end + 1;
    }
    while (!cells.empty() && (cells.back().text.empty() || cells.back().text.starts_with('#'))) cells.pop_back();
    return cells;
}

std::string folded(std::string_view text) {
    std::string letters;
    for (const char c : text)
        if (c != ' ' && c != '_') letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return letters;
}

class TopologyReader {
   public:
    TopologyReader(std::string_view text, const std::string& file, Notes& notes)
        : plain_(with_plain_spaces(text)), text_(plain_), file_(file), notes_(notes) {}

    Network run() {
        network_.name = std::filesystem::path(file_).stem().string();
        for (std::size_t begin = 0; begin < text_.size(); ++line_number_) {
            const std::size_t end = std::min(text_.find('\n', begin), text_.size());
            line_ = text_.substr(begin, end - begin);
            begin = end + 1;
            if (trimmed(line_).empty()) continue;
            const std::vector<Cell> cells = cells_of(line_);
            if (header_)
                layer(cells);
            else
                header(cells);
        }
        if (network_.layers.empty() && by_place_) refuse_words();
        if (network_.layers.empty()) fail(1, ErrorCode::bad_value, "the topology has no layers");
        return std::move(network_);
    }

   private:
    void header(const std::vector<Cell>& cells) {
        header_ = true;
        std::vector<std::string> names;
        for (const Cell& cell : cells) names.push_back(folded(cell.text));
        products_ = names == std::vector<std::string>{"layer", "m", "n", "k"} ||
                    names == std::vector<std::string>{"layername", "m", "n", "k"};
        const std::vector<std::string> sizes{"ifmapheight", "ifmapwidth", "filterheight",
                                             "filterwidth", "channels",   "numfilter"};
        const bool convolutions = names.size() >= 8 && std::equal(sizes.begin(), sizes.end() - 1, names.begin() + 1) &&
                                  names[6].starts_with("numfilter") && names[7].starts_with("stride");
        if (convolutions) return columns_behind(cells, names);
        if (products_) return;
        if (names.size() >= 6 && names[0] == "k" && names[1] == "c" && names[2] == "y")
            fail(cells[0].column, ErrorCode::unsupported,
                 "a CSV file of GAMMA's, a layer in each row; it is not read: give the layers in MAESTRO's notation "
                 "(*.m, docs/maestro.md)");
        by_place_ = true;
        first_ = {line_, line_number_, cells.empty() ? 1 : cells[0].column};
    }

    // Under a foreign heading the first row's number of columns decides the kind.
    void decide_by_place(const std::vector<Cell>& cells) {
        decided_ = true;
        products_ = cells.size() == 4;
        const bool numbers = std::all_of(cells.begin() + 1, cells.end(), [](const Cell& cell) {
            return !cell.text.empty() && cell.text.find_first_not_of("0123456789") == std::string_view::npos;
        });
        const std::string words(trimmed(first_.line));
        if (numbers && (products_ || cells.size() >= 8))
            return notes_.add(file_ + ": '" + words +
                              "' is not how SCALE-Sim calls the columns; they are read by place: " +
                              (products_ ? "name, M, N, K"
                                         : "name, height, width, filter height and width, channels, filters, strides"));
        refuse_words();
    }

    [[noreturn]] void refuse_words() {
        line_ = first_.line;
        line_number_ = first_.number;
        const std::string words(trimmed(first_.line));
        if (folded(words).starts_with("layerid,"))
            fail(first_.column, ErrorCode::unsupported,
                 "a report that SCALE-Sim wrote, no topology: give the topology of that run");
        fail(first_.column, ErrorCode::unsupported,
             "of tables (*.csv) SCALE-Sim's topologies are read: a header 'Layer, M, N, K' or 'Layer name, IFMAP "
             "Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides', found '" +
                 words + "'");
    }

    // Behind the first strides: the width's, and SCALE-Sim's sparsity ratio.
    void columns_behind(const std::vector<Cell>& cells, const std::vector<std::string>& names) {
        std::size_t at = 8;
        two_strides_ = names.size() > at && names[at].starts_with("stride");
        at += two_strides_ ? 1 : 0;
        sparsity_ = names.size() > at && names[at].starts_with("sparsity");
        at += sparsity_ ? 1 : 0;
        if (names.size() == at) return;
        if (sparsity_)
            fail(cells[at].column, ErrorCode::unknown_key,
                 "unknown column '" + std::string(cells[at].text) + "' of a topology");
        by_place_ = true;
        first_ = {line_, line_number_, cells[at].column};
    }

    std::size_t width() const { return products_ ? 4 : 8 + (two_strides_ ? 1 : 0) + (sparsity_ ? 1 : 0); }

    void layer(const std::vector<Cell>& cells) {
        if (by_place_ && !decided_) decide_by_place(cells);
        // Without a second stride in the header a row may still have one.
        const bool another =
            !products_ && !sparsity_ && (by_place_ ? cells.size() > 8 : !two_strides_ && cells.size() == 9);
        if (by_place_)
            for (std::size_t i = 9; i < cells.size(); ++i) static_cast<void>(number(cells[i]));
        if (cells.size() != width() && !another)
            fail(1, ErrorCode::bad_value,
                 "expected " + std::to_string(width()) + " columns as in the header, found " +
                     std::to_string(cells.size()));
        if (cells[0].text.empty()) fail(1, ErrorCode::missing_key, "a layer without a name");
        if (sparsity_) check_dense(cells.back());
        const std::string name(cells[0].text);
        if (products_) {
            network_.layers.push_back(
                {name, "MatMul", gemm(number(cells[1]), number(cells[3]), number(cells[2])), 1, {}});
            return;
        }
        std::array<std::int64_t, 8> sizes{};
        for (std::size_t i = 0; i < 7; ++i) sizes.at(i) = number(cells[i + 1]);
        sizes[7] = two_strides_ || another ? number(cells[8]) : sizes[6];
        add_convolution(name, cells, sizes);
    }

    void add_convolution(const std::string& name, const std::vector<Cell>& cells,
                         const std::array<std::int64_t, 8>& sizes) {
        for (const std::size_t i : {0U, 1U})
            if (sizes.at(i + 2) > sizes.at(i))
                fail(cells[i + 3].column, ErrorCode::bad_value,
                     "the filter is larger than the image: " + std::to_string(sizes.at(i + 2)) + " of " +
                         std::to_string(sizes.at(i)));
        const auto window = [&](std::size_t i) {
            return WindowAxis{ceil_div(sizes.at(i) - sizes.at(i + 2), sizes.at(i + 6)) + 1, sizes.at(i + 2),
                              sizes.at(i + 6), 1};
        };
        Convolution shape;
        const bool depthwise = name.find("DP") != std::string::npos;
        shape.groups = depthwise ? sizes[4] : 1;
        shape.in_channels = depthwise ? 1 : sizes[4];
        shape.out_channels = sizes[5];
        shape.height = window(0);
        shape.width = window(1);
        network_.layers.push_back({name, "Conv", convolution(shape), 1, {}});
    }

    // "2:4": two of four weights are non-zero.
    void check_dense(const Cell& cell) const {
        const std::size_t colon = cell.text.find(':');
        if (colon == std::string_view::npos || cell.text.substr(0, colon) != cell.text.substr(colon + 1))
            fail(cell.column, ErrorCode::unsupported,
                 "sparse weights are not modelled: expected N:N, found '" + std::string(cell.text) + "'");
    }

    std::int64_t number(const Cell& cell) const {
        return whole_number(cell.text, 1, "a size",
                            [&](ErrorCode code, const std::string& message) { fail(cell.column, code, message); });
    }

    [[noreturn]] void fail(int column, ErrorCode code, const std::string& message) const {
        throw InputError(code, {file_, line_number_, column}, message, line_);
    }

    struct Place {
        std::string_view line;
        int number = 1;
        int column = 1;
    };

    std::string plain_;
    std::string_view text_;
    std::string file_;
    Notes& notes_;
    std::string_view line_;
    int line_number_ = 1;
    bool header_ = false;
    bool by_place_ = false;  // the first line has foreign words
    bool decided_ = false;
    Place first_;  // their place
    bool products_ = false;
    bool two_strides_ = false;
    bool sparsity_ = false;
    Network network_;
};

}  // namespace

Network read_topology(std::string_view text, const std::string& file, Notes& notes) {
    return TopologyReader(text, file, notes).run();
}

}  // namespace tilewright::scalesim
