// A GPU on the CPU, as slow as it is strict, for the kernels that Tilewright writes: stands in for CUDA's own header.
//
// Blocks run one after another. Every thread of a block is a fiber; it runs until it comes to a barrier or to its end,
// then the next one runs. Shared memory starts as NaN and ends in a canary; a barrier that some threads pass and others
// do not ends the program.
#pragma once

#include <ucontext.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#define __global__
#define __shared__
#define __launch_bounds__(...)

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    dim3(unsigned x_, unsigned y_, unsigned z_) : x(x_), y(y_), z(z_) {}
};
struct uint3 {
    unsigned x, y, z;
};

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

inline constexpr std::size_t kSharedWords = 65536;
inline constexpr std::size_t kSharedBytesWithoutAsking = 48 * 1024;
float shared[kSharedWords];
uint3 blockIdx;
uint3 threadIdx;

namespace emulation {

inline constexpr std::size_t kStackBytes = 64 * 1024;

/// The threads of one block.
class Block {
   public:
    Block(dim3 size, std::function<void()> kernel) : size_(size), kernel_(std::move(kernel)) {
        const std::size_t threads = std::size_t{size.x} * size.y * size.z;
        contexts_.resize(threads);
        stacks_.resize(threads * kStackBytes);
        finished_.resize(threads);
    }

    void run() {
        running_ = this;
        for (std::size_t i = 0; i < contexts_.size(); ++i) start(i);
        while (phase()) {
        }
    }

    static void barrier() { swapcontext(&running_->contexts_[running_->current_], &running_->scheduler_); }

   private:
    void start(std::size_t i) {
        finished_[i] = false;
        getcontext(&contexts_[i]);
        contexts_[i].uc_stack.ss_sp = &stacks_[i * kStackBytes];
        contexts_[i].uc_stack.ss_size = kStackBytes;
        contexts_[i].uc_link = &scheduler_;
        makecontext(&contexts_[i], &Block::body, 0);
    }

    static void body() {
        running_->kernel_();
        running_->finished_[running_->current_] = true;
    }

    /// Every thread up to its next barrier, or its end. False when all have ended.
    bool phase() {
        std::size_t ended = 0;
        for (current_ = 0; current_ < contexts_.size(); ++current_) {
            threadIdx = {static_cast<unsigned>(current_ % size_.x), static_cast<unsigned>(current_ / size_.x % size_.y),
                         static_cast<unsigned>(current_ / size_.x / size_.y)};
            swapcontext(&scheduler_, &contexts_[current_]);
            ended += finished_[current_] ? 1 : 0;
        }
        if (ended != 0 && ended != contexts_.size()) {
            std::fprintf(stderr, "%zu of %zu threads wait at a barrier for ever\n", contexts_.size() - ended,
                         contexts_.size());
            std::exit(3);
        }
        return ended == 0;
    }

    static inline Block* running_ = nullptr;
    dim3 size_;
    std::function<void()> kernel_;
    std::vector<ucontext_t> contexts_;
    std::vector<char> stacks_;
    std::vector<char> finished_;
    ucontext_t scheduler_{};
    std::size_t current_ = 0;
};

inline std::size_t allowed_shared_bytes = kSharedBytesWithoutAsking;

}  // namespace emulation

inline void __syncthreads() { emulation::Block::barrier(); }

inline cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int bytes) {
    emulation::allowed_shared_bytes = static_cast<std::size_t>(bytes);
    return cudaSuccess;
}

/// For kernels of three arrays.
inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes, cudaStream_t) {
    if (shared_bytes > emulation::allowed_shared_bytes || block.x > 1024 || block.y > 1024 || block.z > 64 ||
        block.x * block.y * block.z > 1024)
        return cudaErrorInvalidValue;
    emulation::allowed_shared_bytes = kSharedBytesWithoutAsking;
    const auto call = reinterpret_cast<void (*)(float*, float*, float*)>(const_cast<void*>(kernel));
    emulation::Block threads(block, [&] {
        call(*static_cast<float**>(arguments[0]), *static_cast<float**>(arguments[1]),
             *static_cast<float**>(arguments[2]));
    });
    constexpr float kCanary = 12345.0f;
    const std::size_t words = shared_bytes / sizeof(float);
    for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
                for (std::size_t i = 0; i < words; ++i) shared[i] = std::numeric_limits<float>::quiet_NaN();
                if (words < kSharedWords) shared[words] = kCanary;
                threads.run();
                if (words < kSharedWords && shared[words] != kCanary) {
                    std::fprintf(stderr, "a kernel writes beyond its shared memory\n");
                    std::exit(3);
                }
            }
    return cudaSuccess;
}

// What a program needs around a launch. Device memory is the host's, and everything has happened when a call returns.

enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
struct cudaDeviceProp {
    char name[256];
};
struct emulated_event {
    std::chrono::steady_clock::time_point moment;
};
using cudaEvent_t = emulated_event*;

inline const char* cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess ? "no error" : "invalid argument";
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    std::strcpy(properties->name, "an emulation on the CPU");
    return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    *memory = std::malloc(bytes);
    return *memory == nullptr ? cudaErrorInvalidValue : cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemset(void* memory, int byte, std::size_t bytes) {
    std::memset(memory, byte, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new emulated_event;
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    event->moment = std::chrono::steady_clock::now();
    return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    *milliseconds = std::chrono::duration<float, std::milli>(end->moment - begin->moment).count();
    return cudaSuccess;
}
