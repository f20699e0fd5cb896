#include "report/json_parts.hpp"

#include "report/machine_fields.hpp"

namespace tilewright::report {

Json json_of(const Provenance& provenance) { return yaml::Writer::write(provenance); }

Json document(const std::string& schema, const Provenance& provenance) {
    yaml::Writer writer;
    document::begin(writer, schema.c_str(), provenance);
    return writer.take();
}

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
