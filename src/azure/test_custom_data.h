// Reads custom data in tests of the rooms that render it.
#pragma once

#include <gtest/gtest.h>

#include "azure/custom_data.h"

namespace sunup::azure {

// The content of the file that the custom data writes to `path`; empty if it writes none.
inline std::string content_at(std::string_view path, std::string_view bytes) {
  const auto data = read_custom_data(bytes);
  EXPECT_TRUE(data) << data.error().what;
  if (!data) return "";
  EXPECT_EQ(data->not_understood, "");
  const NodeFile* file = data->file(path);
  return file == nullptr ? "" : file->content;
}

}  // namespace sunup::azure
