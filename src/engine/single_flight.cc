#include "engine/single_flight.h"

#include <fmt/format.h>

#include <cerrno>

namespace sunup::engine {
namespace {

// The file holds a line that is different for every flight, then the answer.
struct Answer {
  std::string flight;
  std::string text;
};

Answer read_answer(host::Files& files, const std::string& path) {
  Result<std::string> content = files.read(path);
  if (!content) return {};
  const size_t end = content->find('\n');
  if (end == std::string::npos) return {};
  return {content->substr(0, end), content->substr(end + 1)};
}

host::Task<Result<Flight>> take_off(host::Host& host, std::string lock, std::string answer_path, Answer before,
                                    const std::function<host::Task<std::string>()>& work) {
  Result<std::unique_ptr<host::FileLock>> held = co_await host.files.lock(lock, "flight");
  if (!held) co_return std::move(held).error();
  // We have the lock. If somebody has answered since we came, that is our answer too.
  if (Answer now = read_answer(host.files, answer_path); now.flight != before.flight)
    co_return Flight{.ours = false, .answer = std::move(now.text)};
  Flight flight;
  flight.ours = true;
  flight.answer = co_await work();
  const auto since_epoch = host.loop.wall().time_since_epoch();
  const std::string content = fmt::format("{}-{}\n{}", host.boot_id, since_epoch.count(), flight.answer);
  if (auto written = host.files.write(answer_path, content, 0600); !written)
    co_return std::move(written).error().in("the answer for those who wait");
  co_return flight;
}

}  // namespace

host::Task<Result<Flight>> single_flight(host::Host& host, std::string lock,
                                         const std::function<host::Task<std::string>()>& work) {
  std::string answer_path = lock + ".answer";
  Answer before = read_answer(host.files, answer_path);
  return take_off(host, std::move(lock), std::move(answer_path), std::move(before), work);
}

}  // namespace sunup::engine
