// What a request of the largest size allocates grows linearly with its size, not quadratically: code that copies
// everything for each item allocates 256 times as much for 16 times the items. The count is the same in each run.
// scaling_bench.cc measures the time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "service/scaling_cases.h"

namespace {

thread_local size_t allocated = 0;  // bytes

}  // namespace

// A sanitizer has its own.
#if !defined(__has_feature)
#define SUNUP_COUNTS_ALLOCATIONS 1
#elif !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define SUNUP_COUNTS_ALLOCATIONS 1
#endif
#ifdef SUNUP_COUNTS_ALLOCATIONS
void* operator new(size_t size) {
  allocated += size;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
#endif

namespace sunup::service {
namespace {

using nlohmann::json;
using scaling::Case;

class Scaling : public ::testing::Test {
 protected:
  Scaling() { scaling::set_example_context(); }
  ~Scaling() override { set_context({}); }
};

size_t allocated_for(const Case& one, size_t size) {
  const std::string body = one.body(size);
  EXPECT_LE(body.size(), scaling::kBody) << one.name;
  const size_t before = allocated;
  EXPECT_LT(handle(request_of(one.method, one.target, body)).status, 500) << one.name;
  return allocated - before;
}

TEST_F(Scaling, MemoryOfTheLargestRequestsIsLinear) {
  for (const Case& one : scaling::cases()) {
    const size_t small = allocated_for(one, one.size / 16), large = allocated_for(one, one.size);
#ifdef SUNUP_COUNTS_ALLOCATIONS
    EXPECT_GT(small, 0u) << one.name;
#endif
    // Buffers that double are up to twice as large.
    EXPECT_LE(large, 32 * small) << one.name << ": " << small << " bytes, and " << large << " for 16 times the size";
  }
}

TEST_F(Scaling, DocumentsHaveALimit) {
  EXPECT_EQ(handle(request_of("POST", "/v1/resolve/check", std::string((1u << 20) + 1, ' '))).status, 413);
}

// Sizes times values is more work than a request may do. The request is valid, so only the work itself can have noticed
// that the time has passed.
TEST_F(Scaling, WorkWhoseTimeHasPassedIsGivenUp) {
  const Deadline passed = Deadline::after(std::chrono::seconds(-1));
  json body = scaling::resolve_body();
  json& requirements = body["nodePool"]["spec"]["template"]["spec"]["requirements"] = json::array();
  body["instanceTypes"] = json::array();
  json values = json::array();
  for (int i = 0; i < 100; ++i) {
    const std::string name = "Standard_D" + std::to_string(i) + "s_v5";
    values.push_back(name);
    body["instanceTypes"].push_back({{"name", name}, {"vCPUs", 4}, {"memoryGiB", 16}, {"arch", "amd64"}});
  }
  requirements.push_back({{"key", "node.kubernetes.io/instance-type"}, {"operator", "In"}, {"values", values}});
  json flags = json::object();
  for (int i = 0; i < 1000; ++i) flags["--f" + std::to_string(i)] = "v";
  const json config = {{"version", "v1"}, {"kubelet_config", {{"kubelet_flags", std::move(flags)}}}};
  const std::pair<const char*, std::string> requests[] = {
      {"/v1/resolve", body.dump()},
      {"/v1/config/check", config.dump()},
      {"/v1/config/diff", json{{"left", config}, {"right", {{"version", "v1"}}}}.dump()}};
  for (const auto& [target, text] : requests) {
    EXPECT_EQ(handle(request_of("POST", target, text)).status, 200) << target;
    EXPECT_EQ(handle(request_of("POST", target, text, passed)).status, 503) << target;
  }
}

}  // namespace
}  // namespace sunup::service
