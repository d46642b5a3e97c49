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

#include "../core/pace.hpp"
#include "interrupt.hpp"

namespace segscore {

// What tells a thread of in_parallel() to stop; null in a thread that Python called.
inline thread_local const std::atomic<bool>* stop_flag = nullptr;
struct Stopped {};

// Runs work(k) for k = 0 .. count - 1 on several threads, including this one, without the interpreter's lock. The k are
// handed out in order. This thread checks for signals, and tells the other threads to stop.
template <class Work>
void in_parallel(std::size_t count, std::size_t threads, const Work& work) {
    const nb::gil_scoped_release released;
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stopped = false;
    std::mutex lock;
    std::condition_variable ended;
    std::size_t running = 0;
    std::exception_ptr error;
    const auto run = [&] {
        try {
            for (std::size_t k = next++; k < count; k = next++) {
                check_interrupt();
                work(k);
            }
        } catch (const Stopped&) {
        } catch (...) {
            const std::lock_guard guard(lock);
            if (!error) error = std::current_exception();
            stopped = true;
        }
    };
    std::vector<std::thread> others;
    try {
        for (std::size_t thread = 1; thread < threads && thread < count; ++thread) {
            {
                const std::lock_guard guard(lock);
                ++running;
            }
            others.emplace_back([&] {
                stop_flag = &stopped;
                run();
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
    run();
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
