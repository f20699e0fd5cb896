#include "report/page/page.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "base/files/embedded.hpp"
#include "report/page/data.hpp"
#include "report/plot/canvas.hpp"

namespace tilewright {
std::span<const EmbeddedFile> embedded_page();
std::span<const EmbeddedFile> embedded_report_ui();
}  // namespace tilewright

namespace tilewright::page {
namespace {

constexpr const char* kNoScript =
    "This report has tables and pictures only: the program that wrote it was built without node, which its interactive "
    "views need.";

std::string title_of(const Content& content) {
    const auto& [runs, headlines, figures] = content;
    if (runs.empty() && !headlines.empty()) return headlines.front().title;
    if (runs.empty()) return figures.empty() ? "Nothing to show" : plot::title_of(figures.front().chart);
    std::string title = runs.front().title;
    if (runs.size() > 1) title += fmt::format(" and {} more", runs.size() - 1);
    return title;
}

// Nothing is loaded; inline content runs only with our hash.
std::string policy(const Assets& assets) {
    const std::string script = assets.script.empty() ? "'none'" : "'sha256-" + sha256_base64(assets.script) + "'";
    return fmt::format("default-src 'none'; script-src {}; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
                       script, sha256_base64(assets.style));
}

}  // namespace

Assets assets() {
    Assets assets;
    for (const EmbeddedFile& file : embedded_page()) assets.style = file.text;
    for (const EmbeddedFile& file : embedded_report_ui()) assets.script = file.text;
    return assets;
}

std::string html(const std::vector<views::Document>& documents, const Assets& assets) {
    const Content content{all_runs(documents), all_headlines(documents), all_figures(documents)};
    const std::string title = title_of(content);
    const std::string still = static_content(content);
    std::string text =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
        policy(assets) +
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"tilewright\">\n" +
        element("title", title + " - Tilewright") + "<style>" + assets.style + "</style>\n</head>\n<body>\n<header>" +
        element("h1", title) + "</header>\n";
    if (assets.script.empty())
        text += "<main>\n" + element("p", kNoScript, "note") + still + "</main>\n";
    else
        text += "<noscript><main>\n" + still + "</main></noscript>\n<div id=\"app\"></div>\n" +
                "<script type=\"application/json\" id=\"data\">" + data_json(content) + "</script>\n<script>" +
                assets.script + "</script>\n";
    return text + "</body>\n</html>\n";
}

}  // namespace tilewright::page

namespace tilewright::page {

std::string sha256_base64(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("libcrypto has no SHA-256");
    std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> text{};
    const int letters = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(length));
    return {text.begin(), text.begin() + letters};
}

}  // namespace tilewright::page
