// Work shared among threads; Ctrl-C ends it.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "../core/pause.hpp"
#include "interrupt.hpp"

namespace segscore {

// Runs work(k, pause) for k = 0 .. count - 1 on several threads, including this one, without the interpreter's lock.
// The k are handed out in order. This thread checks for signals, and tells the other threads to stop.
template <class Work>
void in_parallel(std::size_t count, std::size_t threads, const Work& work) {
    struct Stopped {};
    const nb::gil_scoped_release released;
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stopped = false;
    std::mutex lock;
    std::condition_variable ended;
    std::size_t running = 0;
    std::exception_ptr error;
    const auto run = [&](const Pause& pause) {
        try {
            for (std::size_t k = next++; k < count; k = next++) {
                pause();
                work(k, pause);
            }
        } catch (const Stopped&) {
        } catch (...) {
            const std::lock_guard guard(lock);
            if (!error) error = std::current_exception();
            stopped = true;
        }
    };
    const Pause until_stopped{[](void* flag) {
                                  if (*static_cast<std::atomic<bool>*>(flag)) throw Stopped{};
                              },
                              &stopped};
    std::vector<std::thread> others;
    try {
        for (std::size_t thread = 1; thread < threads && thread < count; ++thread) {
            {
                const std::lock_guard guard(lock);
                ++running;
            }
            others.emplace_back([&] {
                run(until_stopped);
                const std::lock_guard guard(lock);
                --running;
                ended.notify_one();
            });
        }
    } catch (const std::system_error&) {
        // No more threads can be started; the existing ones do the work.
        const std::lock_guard guard(lock);
        --running;
    }
    run({check_signals});
    for (std::unique_lock guard(lock); running > 0;) {
        constexpr std::chrono::milliseconds patience{20};
        if (ended.wait_for(guard, patience, [&] { return running == 0; })) break;
        guard.unlock();
        try {
            if (!stopped) check_signals();
        } catch (...) {
            const std::lock_guard relocked(lock);
            if (!error) error = std::current_exception();
            stopped = true;
        }
        guard.lock();
    }
    for (std::thread& other : others) other.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace segscore
