// A document in words and figures before its pictures: cards, tables, notes. Documents of layers have an Overview
// instead (overview.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/parts/table.hpp"

namespace tilewright::views {

struct Card {
    std::string name;
    std::string value;
    std::string about;  ///< its subject; may be empty
};

/// A table with a title.
struct TitledTable {
    std::string title;
    report::Table table;
};

struct Headline {
    std::string title;  ///< of a page without runs
    std::vector<Card> cards;
    std::vector<TitledTable> tables;
    std::vector<std::string> notes = {};
};

}  // namespace tilewright::views
