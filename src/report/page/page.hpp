// A report as one HTML file: opens in any browser, from disk, without a network.
//
// The page holds the values of its runs and figures as JSON and, if built with node, the script that shows them
// (report-ui/). Tables and inline SVG of the same values serve browsers without scripts, and are all a build without
// node has; the page then says so. Its content security policy allows only that script and style, by their hashes.
// Names are data everywhere: escaped in HTML, and in JSON without '<'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/views/figures.hpp"

namespace tilewright::page {

struct Assets {
    std::string style;
    std::string script;  ///< "" if built without node
};
Assets assets();

/// Equal documents and assets give equal bytes. Requires at least one document.
std::string html(const std::vector<views::Document>& documents, const Assets& assets);

// SHA-256, by libcrypto, for the hashes of scripts and styles in a content security policy.

/// In base64, for `script-src 'sha256-...'`.
std::string sha256_base64(std::string_view bytes);

}  // namespace tilewright::page
