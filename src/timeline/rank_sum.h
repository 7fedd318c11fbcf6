// Could it be chance? The rank-sum test (Wilcoxon, Mann and Whitney) of two samples, and what is left of many such
// tests when it is counted how many they were.
#pragma once

#include <cstddef>
#include <vector>

namespace sunup::timeline {

// Two-sided, ties by middle ranks: how often a random split of these values would be at least this uneven. Exact up to
// sixty values; above that by the normal distribution, with its corrections for ties and for whole ranks.
double rank_sum_p(const std::vector<double>& a, const std::vector<double>& b);

// The best that a test of so many values could ever say.
double smallest_rank_sum_p(size_t a, size_t b);

// Benjamini and Hochberg: of those that stay below a limit afterwards, that share at most is chance. Of tests that are
// all chance, no more than that share of families has any.
std::vector<double> corrected_for_number(const std::vector<double>& p);

}  // namespace sunup::timeline
