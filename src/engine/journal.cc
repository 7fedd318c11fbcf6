#include "engine/journal.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>

#include "base/fnv.h"
#include "base/text.h"

namespace sunup::engine {
namespace {

// Fields are separated by tabs, so tabs, line ends, '=' and '%' within a field are written as %XX.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '%' || c == '=' || byte == 0x7f)
      out += fmt::format("%{:02x}", byte);
    else
      out += c;
  }
  return out;
}

std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto value = i + 2 < text.size() ? as_number<unsigned>(text.substr(i + 1, 2), 16) : std::nullopt;
    if (!value) return std::nullopt;
    out += static_cast<char>(*value);
    i += 2;
  }
  return out;
}

uint32_t checksum(std::string_view text) {
  return static_cast<uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

std::string seal(std::string_view record) {
  return fmt::format("{:08x}\t{}\n", checksum(record), record);
}

std::string barrier_line(const std::string& boot, uint64_t mark) {
  return seal(fmt::format("B\t{}\t{:x}", escape(boot), mark));
}

// The record in the line, if the line is complete.
std::optional<std::string_view> unseal(std::string_view line) {
  if (line.size() < 9 || line[8] != '\t') return std::nullopt;
  const auto sum = as_number<uint32_t>(line.substr(0, 8), 16);
  line.remove_prefix(9);
  return sum == checksum(line) ? std::optional(line) : std::nullopt;
}

std::string_view next_field(std::string_view* rest) {
  const size_t tab = rest->find('\t');
  const std::string_view field = rest->substr(0, tab);
  *rest = tab == std::string_view::npos ? std::string_view() : rest->substr(tab + 1);
  return field;
}

std::optional<uint64_t> number(std::string_view hex) {
  return as_number<uint64_t>(hex, 16);
}

}  // namespace

uint64_t Journal::fingerprint(std::string_view text) {
  return fnv1a_64(text);  // it only has to detect changes, because inputs are not chosen by an attacker
}

Journal::Journal(host::Files& files, std::string path, std::string boot, std::string_view generation)
    : files_(files), path_(std::move(path)), boot_(std::move(boot)), generation_(fingerprint(generation)) {
  const auto text = files_.read_if_there(path_);
  if (text) {
    if (*text) load(**text);
    return;
  }
  begun_before_ = true;
  // A journal that cannot be read now may be readable in the next run. Its records would then cover steps that this run
  // has started again, so it is replaced.
  troubles_.push_back(text.error().what);
  rewrite();
}

void Journal::load(std::string_view text) {
  tail_is_open_ = !text.empty() && !text.ends_with('\n');
  size_t lines = 0;
  size_t bad = 0;
  size_t superseded = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.empty()) continue;
    ++lines;
    const size_t before = done_.size();
    if (!load_line(line)) ++bad;
    if (done_.size() == before) ++superseded;
  }
  begun_before_ |= bad > 0;
  if (bad > 0) troubles_.push_back(fmt::format("{}: {} of {} records are damaged and were dropped", path_, bad, lines));
  // Rewrites the file if it has damaged records, records of other generations or many superseded ones. Otherwise it
  // stays as it is.
  if (bad > 0 || tail_is_open_ || foreign_ > 0 || superseded > 1000) rewrite();
}

// "D boot number generation inputs step fact=value... /path=stamp..." (done), "S boot number step" (started again) or
// "B boot mark".
bool Journal::load_line(std::string_view line) {
  const std::optional<std::string_view> record = unseal(line);
  if (!record) return false;
  std::string_view rest = *record;
  const std::string_view kind = next_field(&rest);
  const std::optional<std::string> boot = unescape(next_field(&rest));
  const auto count = number(next_field(&rest));
  if (!boot || !count) return false;
  if (kind == "B") {
    cover(*boot, *count);
    return true;
  }
  next_number_ = std::max(next_number_, *count + 1);
  begun_before_ |= *boot == boot_;
  if (kind == "S") {
    const auto started = unescape(next_field(&rest));
    if (started) done_.erase(*started);
    return started.has_value();
  }
  if (kind != "D") return false;
  const auto generation = number(next_field(&rest));
  const auto inputs = number(next_field(&rest));
  const auto step = unescape(next_field(&rest));
  if (!generation || !inputs || !step) return false;
  Done done{.boot = *boot, .inputs = *inputs, .number = *count, .durable = false, .facts = {}, .outputs = {}};
  while (!rest.empty()) {
    const std::string_view fact = next_field(&rest);
    const size_t equals = fact.find('=');
    if (equals == std::string_view::npos) return false;
    const auto name = unescape(fact.substr(0, equals));
    const auto value = unescape(fact.substr(equals + 1));
    if (!name || !value) return false;
    (name->starts_with('/') ? done.outputs : done.facts)[*name] = *value;
  }
  recorded_.insert(*step);
  if (*generation != generation_) {
    ++foreign_;
    done_.erase(*step);  // it has been done again since, with a different result
  } else {
    done_[*step] = std::move(done);
  }
  return true;
}

std::string Journal::done_line(const std::string& step, const Done& done) const {
  std::string record = fmt::format("D\t{}\t{:x}\t{:x}\t{:x}\t{}", escape(done.boot), done.number, generation_,
                                   done.inputs, escape(step));
  for (const auto* values : {&done.facts, &done.outputs})
    for (const auto& [name, value] : *values) record += fmt::format("\t{}={}", escape(name), escape(value));
  return seal(record);
}

void Journal::cover(const std::string& boot, uint64_t mark) {
  for (auto& [step, done] : done_)
    if (done.boot == boot && done.number < mark) done.durable = true;
}

void Journal::rewrite() {
  std::string text;
  std::map<std::string, uint64_t> marks;
  for (const auto& [step, done] : done_) {
    text += done_line(step, done);
    if (done.durable) marks[done.boot] = std::max(marks[done.boot], done.number + 1);
  }
  for (const auto& [boot, mark] : marks) text += barrier_line(boot, mark);
  if (auto written = files_.write(path_, text, 0600))
    tail_is_open_ = false;
  else
    troubles_.push_back(written.error().what);
}

const Journal::Done* Journal::find(const Step& step, std::string* why) const {
  const auto found = done_.find(step.name);
  if (found == done_.end()) {
    *why = "not done before";
    return nullptr;
  }
  const Done& done = found->second;
  if (done.inputs != fingerprint(step.inputs)) {
    *why = "its inputs have changed";
    return nullptr;
  }
  if (done.boot == boot_) {
    *why = "done earlier in this boot";
    return &done;
  }
  if (step.lasts != Lasts::kOnDisk) {
    *why = "done in an earlier boot, and does not survive a reboot";
    return nullptr;
  }
  if (!done.durable) {
    *why = "done in an earlier boot, but possibly not on disk";
    return nullptr;
  }
  *why = "done in an earlier boot and on disk";
  return &done;
}

const Journal::Done* Journal::recorded(const Step& step) const {
  const auto found = done_.find(step.name);
  return found == done_.end() ? nullptr : &found->second;
}

Result<void> Journal::started(const Step& step) {
  if (recorded_.erase(step.name) == 0) return {};
  done_.erase(step.name);
  return append(seal(fmt::format("S\t{}\t{:x}\t{}", escape(boot_), next_number_++, escape(step.name))));
}

Result<void> Journal::finished(const Step& step, const std::map<std::string, std::string>& facts, Outputs outputs) {
  Done done{.boot = boot_,
            .inputs = fingerprint(step.inputs),
            .number = next_number_++,
            .durable = false,
            .facts = facts,
            .outputs = std::move(outputs)};
  std::string line = done_line(step.name, done);
  done_[step.name] = std::move(done);
  recorded_.insert(step.name);
  return append(std::move(line));
}

Result<void> Journal::barrier(uint64_t mark) {
  cover(boot_, mark);
  return append(barrier_line(boot_, mark));
}

Result<void> Journal::append(std::string line) {
  // A failed append may have left half a line. An additional empty line is harmless.
  if (tail_is_open_) line.insert(0, "\n");
  Result<void> appended = files_.append(path_, line, 0600);
  tail_is_open_ = !appended;
  return appended;
}

}  // namespace sunup::engine
