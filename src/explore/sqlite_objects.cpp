#include "explore/sqlite_objects.hpp"

#include "base/error.hpp"

namespace tilewright::explore::sqlite {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::pair<std::string, std::string>& object,
                         const std::string& how) {
    throw InputError(ErrorCode::bad_value, {file},
                     "is damaged: the " + object.first + " '" + object.second + "' in it is " + how);
}

}  // namespace

Objects objects_in(Connection& connection) {
    Objects objects;
    Statement object(connection,
                     "SELECT type, name, sql FROM sqlite_schema WHERE NOT (type = 'index' AND sql IS NULL) "
                     "AND NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))");
    while (object.step()) objects.insert({{object.text(0), object.text(1)}, object.text(2)});
    return objects;
}

void refuse_other_objects(const std::string& file, const Objects& found, const Objects& ours) {
    for (const auto& [object, text] : found) {
        const auto same = ours.find(object);
        if (same == ours.end()) refuse(file, object, "not of this program");
        if (same->second != text) refuse(file, object, "not as it was made");
    }
    for (const auto& [object, text] : ours)
        if (!found.contains(object)) refuse(file, object, "gone");
}

}  // namespace tilewright::explore::sqlite
