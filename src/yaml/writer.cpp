#include "yaml/writer.hpp"

namespace tilewright::yaml {
namespace {

bool is_given(const Ref& value) {
    if (value.type->shape == Type::Shape::text) return !types::at<std::string>(value.value).empty();
    return value.type->size(value.value) > 0;
}

class JsonArchive final : public Archive {
   public:
    void constant(const char* key, const char* text) override { json_[key] = text; }
    Json take() { return std::move(json_); }

   private:
    void field(const char* key, const Ref& value, const char* /*about*/, Rule rule) override {
        if (rule == Rule::left_out || (rule == Rule::if_any && !is_given(value))) return;
        json_[key] = Writer::write_ref(value);
    }
    void grouped(const char* key, const Listing& list, const char* /*about*/) override {
        json_[key] = Writer::write_listing(list);
    }
    void part_of(const char* /*first*/, const Ref& value) override {
        if (is_given(value)) value.type->inner->fields(*this, value.type->at(value.value, 0));
    }
    void items_of(const std::vector<Ref>& values) override {
        json_ = Json::array();
        for (const Ref& value : values) json_.push_back(Writer::write_ref(value));
    }

    Json json_ = Json::object();
};

Json list_of(const Ref& value) {
    Json json = Json::array();
    const std::size_t size = value.type->size(value.value);
    for (std::size_t i = 0; i < size; ++i)
        json.push_back(Writer::write_ref({value.type->at(value.value, i), value.type->inner}));
    return json;
}

Json entries_of(const Ref& value) {
    Json json = Json::object();
    const std::size_t size = value.type->size(value.value);
    for (std::size_t i = 0; i < size; ++i)
        json[value.type->key(value.value, i)] = Writer::write_ref({value.type->at(value.value, i), value.type->inner});
    return json;
}

Json pairs_of(const Ref& value) {
    const Type& type = *value.type;
    Json json = Json::array();
    const std::size_t size = type.size(value.value);
    for (std::size_t i = 0; i < size; ++i) {
        // Writing changes nothing.
        const Ref key{const_cast<void*>(type.key_at(value.value, i)), type.keys};
        json.push_back(Json::array({Writer::write_ref(key), Writer::write_ref({type.at(value.value, i), type.inner})}));
    }
    return json;
}

Json choice_of(const Ref& value) {
    const std::vector<std::string> names = value.type->names(value.value);
    const std::size_t which = value.type->which(value.value);
    return which < names.size() ? Json(names[which]) : Json(nullptr);
}

Json whole_of(const Ref& value) {
    const std::int64_t number = value.type->whole(value.value);
    return value.type->is_unsigned ? Json(static_cast<std::uint64_t>(number)) : Json(number);
}

}  // namespace

Json Writer::write_ref(const Ref& value) {
    const Type& type = *value.type;
    switch (type.shape) {
        case Type::Shape::boolean: return types::at<bool>(value.value);
        case Type::Shape::whole: return whole_of(value);
        case Type::Shape::real: return types::at<double>(value.value);
        case Type::Shape::text: return types::at<std::string>(value.value);
        case Type::Shape::optional:
            return type.size(value.value) > 0 ? write_ref({type.at(value.value, 0), type.inner}) : Json(nullptr);
        case Type::Shape::list: return list_of(value);
        case Type::Shape::entries: return entries_of(value);
        case Type::Shape::pairs: return pairs_of(value);
        case Type::Shape::variant:
            return write_ref({type.held(value.value), type.alternatives()[type.which(value.value)]});
        case Type::Shape::choice: return choice_of(value);
        case Type::Shape::record: break;
    }
    JsonArchive archive;
    type.fields(archive, value.value);
    return archive.take();
}

Json Writer::write_listing(const Listing& list) {
    JsonArchive archive;
    list(archive);
    return archive.take();
}

}  // namespace tilewright::yaml
