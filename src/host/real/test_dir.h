// A directory for one test, removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace sunup::host::real {

class TestingDir {
 public:
  TestingDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sunup-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TestingDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace sunup::host::real
