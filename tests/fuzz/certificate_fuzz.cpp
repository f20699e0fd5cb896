// Any bytes as a certificate: findings or an InputError, nothing else. Large layers are only read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "certificate/claim/check.hpp"
#include "libfyaml_leaks.hpp"
#include "native/certificates/certificate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    constexpr std::int64_t kLargest = 4096;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const native::CertificateFile file = native::read_certificate(yaml::parse_text(text, "fuzz.json"));
        const Architecture& machine = file.certificate.machine;
        if (machine.compute.instances > kLargest) return 0;
        for (const certificate::Claim& claim : file.certificate.claims)
            if (operation_count(claim.einsum) <= kLargest) certificate::check(claim, machine, [] { return true; });
    } catch (const InputError&) {
    } catch (const OverflowError&) {
    }
    return 0;
}
