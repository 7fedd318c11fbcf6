#include "timeline/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace sunup::timeline {
namespace {

// The time of the exact test grows with the fourth power of the number of values.
constexpr size_t kMostExact = 60;

struct Ranked {
  std::vector<size_t> ranks = {};  // twice the rank, so that the middle rank of a tie is a whole number
  size_t ours = 0;                 // the sum of the first sample's ranks
  size_t total = 0;
  double ties = 0;  // the sum of t^3 - t over groups of equal values
};

Ranked ranked(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::ranges::sort(all, {}, [](const auto& one) { return one.first; });
  Ranked made;
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    while (end < all.size() && all[end].first == all[i].first) ++end;
    const auto equals = static_cast<double>(end - i);
    made.ties += equals * equals * equals - equals;
    for (; i < end; ++i) {
      const size_t rank = end - static_cast<size_t>(equals) + end + 1;
      made.ranks.push_back(rank);
      made.total += rank;
      if (all[i].second) made.ours += rank;
    }
  }
  return made;
}

double exact_p(const Ranked& all, size_t chosen) {
  // ways[k][s]: the number of ways in which k of the values have the rank sum s.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(all.total + 1));
  ways[0][0] = 1;
  for (const size_t rank : all.ranks)
    for (size_t k = chosen; k > 0; --k)
      for (size_t sum = all.total; sum >= rank; --sum) ways[k][sum] += ways[k - 1][sum - rank];
  const double expected =
      static_cast<double>(all.total) * static_cast<double>(chosen) / static_cast<double>(all.ranks.size());
  const double off = std::abs(static_cast<double>(all.ours) - expected);
  double as_uneven = 0;
  double every = 0;
  for (size_t sum = 0; sum <= all.total; ++sum) {
    every += ways[chosen][sum];
    if (std::abs(static_cast<double>(sum) - expected) >= off - 1e-9) as_uneven += ways[chosen][sum];
  }
  return every > 0 ? as_uneven / every : 1;
}

double normal_p(const Ranked& all, size_t chosen) {
  const auto count = static_cast<double>(all.ranks.size());
  const auto ours = static_cast<double>(chosen);
  const double expected = ours * (count + 1) / 2;
  const double variance = ours * (count - ours) / 12 * (count + 1 - all.ties / (count * (count - 1)));
  if (variance <= 0) return 1;
  const double off = std::max(0.0, std::abs(static_cast<double>(all.ours) / 2 - expected) - 0.5);
  return std::erfc(off / std::sqrt(2 * variance));
}

}  // namespace

double rank_sum_p(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return 1;
  // Choosing the smaller sample costs less.
  const auto& [few, many] = a.size() <= b.size() ? std::tie(a, b) : std::tie(b, a);
  const Ranked all = ranked(few, many);
  return all.ranks.size() <= kMostExact ? exact_p(all, few.size()) : normal_p(all, few.size());
}

double smallest_rank_sum_p(size_t a, size_t b) {
  const size_t few = std::min(a, b);
  double ways = 1;  // a+b choose a
  for (size_t i = 1; i <= few; ++i) ways *= static_cast<double>(a + b - few + i) / static_cast<double>(i);
  return std::min(1.0, 2 / ways);
}

std::vector<double> corrected_for_number(const std::vector<double>& p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&p](size_t i) { return p[i]; });
  std::vector<double> corrected(p.size());
  double least = 1;
  for (size_t rank = order.size(); rank > 0; --rank) {
    const size_t i = order[rank - 1];
    least = std::min(least, p[i] * static_cast<double>(p.size()) / static_cast<double>(rank));
    corrected[i] = least;
  }
  return corrected;
}

}  // namespace sunup::timeline
