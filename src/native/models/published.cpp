#include "base/files/embedded.hpp"
#include "native/models/engines.hpp"
#include "native/models/language_model.hpp"

namespace tilewright {
std::span<const EmbeddedFile> embedded_serving();  // generated
}

namespace tilewright::native {
namespace {

yaml::Node embedded_document(std::string_view path) {
    for (const EmbeddedFile& file : embedded_serving())
        if (file.path == path) return yaml::parse_text(file.text, std::string(path));
    throw InputError(ErrorCode::io, {}, "the library was built without '" + std::string(path) + "'");
}

yaml::Node models() { return embedded_document("data/models/published.yaml").at("models"); }

}  // namespace

std::optional<DecoderSizes> published_model(const std::string& written, std::vector<std::string>& notes) {
    const std::string plain = plain_model_name(written);
    const yaml::Node known = models();
    for (const yaml::Node& one : known.items())
        for (const yaml::Node& name : one.at("names").items())
            if (plain_model_name(name.text()) == plain) return read_language_model(one, notes);
    return std::nullopt;
}

std::vector<std::string> published_models() {
    std::vector<std::string> names;
    const yaml::Node known = models();
    for (const yaml::Node& one : known.items()) names.push_back(one.at("names").items().front().text());
    return names;
}

llm::Engine engine_named(const std::string& name) {
    const yaml::Node file = embedded_document("data/serving/engines.yaml");
    const yaml::Node* one = file.at("engines").find(name);
    if (one == nullptr)
        throw InputError(ErrorCode::unknown_name, {},
                         "no engine is called '" + name + "'; there are " + list_words(engine_names()));
    llm::Engine engine;
    engine.name = name;
    engine.host_us = one->at("host_us").real();
    engine.mix = one->at("mix").real();
    engine.burst = one->at("burst").real();
    engine.prompt_step_us = one->at("prompt_step_us").real();
    engine.front_us = one->at("front_us").real();
    engine.step_tokens = one->at("step_tokens").positive();
    engine.places = one->at("places").positive();
    engine.block_tokens = one->at("block_tokens").positive();
    engine.memory_share = one->at("memory_share").real();
    engine.skew = file.at("skew").real();
    engine.network_bytes_us = file.at("network_bytes_us").real();
    engine.stage_us = file.at("stage_us").real();
    return engine;
}

std::vector<std::string> engine_names() {
    std::vector<std::string> names;
    const yaml::Node file = embedded_document("data/serving/engines.yaml");
    for (const yaml::Node::Entry& one : file.at("engines").entries()) names.push_back(one.key);
    return names;
}

}  // namespace tilewright::native
