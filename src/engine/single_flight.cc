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

Result<Answer> read_answer(host::Files& files, const std::string& path) {
  const auto content = files.read_if_there(path);
  if (!content) return content.error();
  const std::string text = content->value_or("");
  const size_t end = text.find('\n');
  if (end == std::string::npos) return Answer();
  return Answer{text.substr(0, end), text.substr(end + 1)};
}

host::Task<Result<Flight>> take_off(host::Host& host, std::string lock, std::string answer_path, Result<Answer> before,
                                    const std::function<host::Task<std::string>()>& work) {
  if (!before) co_return std::move(before).error();
  Result<std::unique_ptr<host::FileLock>> held = co_await host.files.lock(lock, "flight");
  if (!held) co_return std::move(held).error();
  // We have the lock. If somebody has answered since we came, that is our answer too.
  auto now = read_answer(host.files, answer_path);
  if (!now) co_return std::move(now).error();
  if (now->flight != before->flight) co_return Flight{.ours = false, .answer = std::move(now->text)};
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
  auto before = read_answer(host.files, answer_path);
  return take_off(host, std::move(lock), std::move(answer_path), std::move(before), work);
}

}  // namespace sunup::engine
