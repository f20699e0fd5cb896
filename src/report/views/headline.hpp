// What a document says in words and figures before its pictures: cards, tables, notes. Documents of layers have an
// Overview instead (overview.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/parts/table.hpp"

namespace tilewright::views {

/// One figure that is quoted.
struct Card {
    std::string name;
    std::string value;
    std::string about;  ///< what it is a figure of; may be empty
};

/// A table with what stands above it.
struct TitledTable {
    std::string title;
    report::Table table;
};

struct Headline {
    std::string title;  ///< of the page where there are no runs
    std::vector<Card> cards;
    std::vector<TitledTable> tables;
    std::vector<std::string> notes = {};
};

}  // namespace tilewright::views
