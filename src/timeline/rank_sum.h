// Significance tests: the rank-sum test (Wilcoxon-Mann-Whitney) of two samples, and a correction for multiple tests.
#pragma once

#include <cstddef>
#include <vector>

namespace sunup::timeline {

// Two-sided, ties by middle ranks: the probability that a random split of these values is at least this uneven. Exact
// up to sixty values; above that by the normal distribution, with corrections for ties and continuity.
double rank_sum_p(const std::vector<double>& a, const std::vector<double>& b);

// The smallest p value that a test of so many values can have.
double smallest_rank_sum_p(size_t a, size_t b);

// Benjamini-Hochberg: of the tests that are below a limit afterwards, at most that share is due to chance. If all tests
// are due to chance, at most that share of families has any below the limit.
std::vector<double> corrected_for_number(const std::vector<double>& p);

}  // namespace sunup::timeline
