// Any bytes as a document to draw: pictures or an InputError, nothing else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "libfyaml_leaks.hpp"
#include "report/documents/documents.hpp"
#include "report/plot/chart.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const views::Document document = documents::read_document(yaml::parse_text(text, "fuzz.json"), "fuzz.json");
        for (const views::Figure& figure : views::all_figures({document, document})) plot::svg(figure.chart);
    } catch (const InputError&) {
    }
    return 0;
}
