// A report as one HTML file: opens in any browser, from disk, without a network.
//
// The page holds the values of its runs and figures as JSON and, where the program was built with node, the script that
// shows them (report-ui/). Tables and inline SVG of the same values are there for browsers without scripts, and are all
// there is in a program that was built without node; the page then says so. Its content security policy allows nothing
// but that script and that style, by their hashes. Names are data everywhere: escaped in HTML, and in JSON without '<'.
#pragma once

#include <string>
#include <vector>

#include "report/views/figures.hpp"

namespace tilewright::page {

/// What the page is made with.
struct Assets {
    std::string style;
    std::string script;  ///< "" when the program was built without node
};
Assets assets();

/// Equal documents and assets give equal bytes. Requires at least one document.
std::string html(const std::vector<views::Document>& documents, const Assets& assets);

}  // namespace tilewright::page
