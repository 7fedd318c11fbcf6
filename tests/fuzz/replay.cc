// Runs a fuzz target without libFuzzer, so that every build tries it: with all of its seeds, and with a fixed number of
// mutations of them, which are the same in each run.  usage: NAME_replay SEEDS_DIRECTORY
//
// It finds far less than libFuzzer, which follows the branches of the program (./dev fuzz), but takes a second.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kMutations = 1000;

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

// One to four small changes: a byte, a part that is removed or repeated, or a part of another seed.
std::string mutated(std::string text, const std::string& other, std::mt19937& random) {
  const auto below = [&](size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (size_t changes = 1 + below(4); changes > 0; --changes) {
    const size_t at = below(text.size() + 1);
    const size_t length = below(std::min<size_t>(text.size() - at, 16) + 1);
    switch (below(5)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      default: {
        const size_t from = below(other.size() + 1);
        text.insert(at, other.substr(from, below(32)));
      }
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds{""};
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  for (const std::string& seed : seeds) run(seed);
  std::mt19937 random(1);
  for (int i = 0; i < kMutations; ++i)
    run(mutated(seeds[random() % seeds.size()], seeds[random() % seeds.size()], random));
  std::printf("%zu seeds and %d mutations of them\n", seeds.size(), kMutations);
  return 0;
}
