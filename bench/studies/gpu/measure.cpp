// measure: times the kernels of one layer on the GPU and compares what they compute with a plain loop.
//
//     measure RUNS  DIMENSIONS extent...  stride... stride... stride...  words words words  LIBRARY FUNCTION ...
//
// A stride says by how many words a tensor (first operand, second operand, result) moves with a dimension. Prints the
// device's name, then for each kernel "FUNCTION milliseconds difference LIBRARY": the median time of a run, and the
// largest difference from the plain loop. A kernel that the GPU does not launch has "FUNCTION refused LIBRARY".
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Launch = cudaError_t (*)(const float*, const float*, float*, cudaStream_t);

constexpr int kTensors = 3;
constexpr int kWarmups = 3;

void must(cudaError_t error, const char* what) {
    if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// The words of the command line, one after another.
class Words {
   public:
    Words(int count, char** words) : words_(words + 1, words + count) {}
    bool done() const { return next_ == words_.size(); }
    std::string text() {
        if (done()) throw std::runtime_error("too few words on the command line");
        return words_[next_++];
    }
    long long number() { return std::stoll(text()); }
    std::vector<long long> numbers(std::size_t count) {
        std::vector<long long> values(count);
        for (long long& value : values) value = number();
        return values;
    }

   private:
    std::vector<std::string> words_;
    std::size_t next_ = 0;
};

struct Layer {
    std::vector<long long> extents;
    std::array<std::vector<long long>, kTensors> strides;
    std::vector<long long> words;
};

/// Adds everything that the dimensions from `d` on contribute, from these addresses.
void add_products(const Layer& layer, std::size_t d, const float* first, const float* second, float* result) {
    const long long extent = layer.extents[d];
    const long long a = layer.strides[0][d];
    const long long b = layer.strides[1][d];
    const long long c = layer.strides[2][d];
    if (d + 1 == layer.extents.size()) {
        for (long long i = 0; i < extent; ++i) result[i * c] += first[i * a] * second[i * b];
        return;
    }
    for (long long i = 0; i < extent; ++i) add_products(layer, d + 1, first + i * a, second + i * b, result + i * c);
}

/// Whole numbers from -4 to 4: sums of fewer than a million products are exact in any order.
std::vector<float> operand(long long words, unsigned state) {
    std::vector<float> values(static_cast<std::size_t>(words));
    for (float& value : values) {
        state = state * 1664525U + 1013904223U;
        value = static_cast<float>((state >> 16U) % 9U) - 4.0F;
    }
    return values;
}

struct Arrays {
    std::vector<float> expected;
    std::array<float*, kTensors> device{};
};

Arrays arrays_of(const Layer& layer) {
    const std::vector<float> first = operand(layer.words[0], 1);
    const std::vector<float> second = operand(layer.words[1], 2);
    Arrays arrays;
    arrays.expected.resize(static_cast<std::size_t>(layer.words[2]));
    add_products(layer, 0, first.data(), second.data(), arrays.expected.data());
    for (int t = 0; t < kTensors; ++t)
        must(cudaMalloc(reinterpret_cast<void**>(&arrays.device[t]), layer.words[t] * sizeof(float)), "cudaMalloc");
    must(cudaMemcpy(arrays.device[0], first.data(), first.size() * sizeof(float), cudaMemcpyHostToDevice),
         "cudaMemcpy");
    must(cudaMemcpy(arrays.device[1], second.data(), second.size() * sizeof(float), cudaMemcpyHostToDevice),
         "cudaMemcpy");
    return arrays;
}

/// Of one run, by the GPU's own clock.
float milliseconds_of(Launch launch, const Arrays& arrays, cudaEvent_t begin, cudaEvent_t end) {
    must(cudaEventRecord(begin, nullptr), "cudaEventRecord");
    must(launch(arrays.device[0], arrays.device[1], arrays.device[2], nullptr), "launch");
    must(cudaEventRecord(end, nullptr), "cudaEventRecord");
    must(cudaEventSynchronize(end), "run");
    float milliseconds = 0.0F;
    must(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    return milliseconds;
}

double median(std::vector<float> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

double largest_difference(const Arrays& arrays) {
    std::vector<float> result(arrays.expected.size());
    must(cudaMemcpy(result.data(), arrays.device[2], result.size() * sizeof(float), cudaMemcpyDeviceToHost),
         "cudaMemcpy");
    double largest = 0.0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double difference = std::fabs(static_cast<double>(result[i]) - static_cast<double>(arrays.expected[i]));
        if (std::isnan(difference)) return difference;
        largest = std::max(largest, difference);
    }
    return largest;
}

void measure(const std::string& library, const std::string& function, long long runs, const Arrays& arrays) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error(dlerror());
    const auto launch = reinterpret_cast<Launch>(dlsym(handle, function.c_str()));
    if (launch == nullptr) throw std::runtime_error("no function " + function + " in " + library);
    // What an earlier kernel wrote must not pass for this one's result.
    must(cudaMemset(arrays.device[2], 0xff, arrays.expected.size() * sizeof(float)), "cudaMemset");
    const cudaError_t started = launch(arrays.device[0], arrays.device[1], arrays.device[2], nullptr);
    if (started != cudaSuccess) {
        (void)cudaGetLastError();  // the next kernel starts afresh
        std::printf("%s refused %s\n", function.c_str(), library.c_str());
        return;
    }
    must(cudaDeviceSynchronize(), "run");
    const double difference = largest_difference(arrays);
    cudaEvent_t begin{};
    cudaEvent_t end{};
    must(cudaEventCreate(&begin), "cudaEventCreate");
    must(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<float> times;
    for (long long run = -kWarmups; run < runs; ++run) {
        const float time = milliseconds_of(launch, arrays, begin, end);
        if (run >= 0) times.push_back(time);
    }
    std::printf("%s %.6f %g %s\n", function.c_str(), median(times), difference, library.c_str());
}

}  // namespace

int main(int count, char** arguments) {
    try {
        Words words(count, arguments);
        const long long runs = words.number();
        Layer layer;
        const auto dimensions = static_cast<std::size_t>(words.number());
        layer.extents = words.numbers(dimensions);
        for (std::vector<long long>& strides : layer.strides) strides = words.numbers(dimensions);
        layer.words = words.numbers(kTensors);
        cudaDeviceProp device{};
        must(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
        std::printf("device %s\n", device.name);
        const Arrays arrays = arrays_of(layer);
        while (!words.done()) {
            const std::string library = words.text();
            measure(library, words.text(), runs, arrays);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "measure: %s\n", error.what());
        return 1;
    }
    return 0;
}
