// The programs are made here, byte by byte as Go's linker lays them out.
#include "plan/program_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace sunup::plan {
namespace {

constexpr char kContainerd[] = "github.com/containerd/containerd/v2";

std::string number(uint64_t value, size_t size) {
  std::string bytes;
  for (; size > 0; --size, value >>= 8) bytes += static_cast<char>(value & 0xff);
  return bytes;
}

std::string with_length(const std::string& text) {
  std::string bytes;
  uint64_t length = text.size();
  for (; length >= 0x80; length >>= 7) bytes += static_cast<char>((length & 0x7f) | 0x80);
  return bytes + static_cast<char>(length) + text;
}

std::string build_info(const std::string& modules) {
  const std::string mark(16, '\1');
  return "\xff Go buildinf:" + number(8, 1) + number(2, 1) + std::string(16, '\0') + with_length("go1.24.9") +
         with_length(mark + modules + mark);
}

// A program with a section of build information; `machine` as in the header.
std::string program(const std::string& build, uint64_t machine = 0x3e) {
  const std::string names = std::string("\0.shstrtab\0.go.buildinfo\0", 25);
  const auto section = [](uint64_t name, uint64_t from, uint64_t size) {
    return number(name, 4) + std::string(20, '\0') + number(from, 8) + number(size, 8) + std::string(24, '\0');
  };
  const uint64_t table = 64 + names.size() + build.size();
  return std::string("\177ELF\2\1\1") + std::string(9, '\0') + number(2, 2) + number(machine, 2) + number(1, 4) +
         std::string(16, '\0') + number(table, 8) + number(0, 4) + number(64, 2) + number(0, 4) + number(64, 2) +
         number(3, 2) + number(1, 2) + names + build + section(0, 0, 0) + section(1, 64, names.size()) +
         section(11, 64 + names.size(), build.size());
}

std::string modules(const std::string& main) {
  return "path\t" + main + "/cmd/containerd\nmod\t" + main +
         "\t(devel)\t\ndep\tgithub.com/containerd/api\tv1.9.0\th1:x=\n";
}

// Counts what is read.
struct File {
  std::string bytes;
  size_t read = 0;
  ReadPart parts() {
    return [this](uint64_t from, size_t most) {
      if (from >= bytes.size()) return std::string();
      read += std::min(most, bytes.size() - static_cast<size_t>(from));
      return bytes.substr(from, most);
    };
  }
};

TEST(ProgramFile, NamesItsArchitecture) {
  EXPECT_EQ(architecture_of(File{program("")}.parts()), "amd64");
  EXPECT_EQ(architecture_of(File{program("", 0xb7)}.parts()), "arm64");
  EXPECT_EQ(architecture_of(File{program("", 0x28)}.parts()), "");
  EXPECT_EQ(architecture_of(File{"#!/bin/sh\n" + std::string(100, '#')}.parts()), "");
  EXPECT_EQ(architecture_of(File{}.parts()), "");
}

TEST(ProgramFile, NamesItsGoModuleAndIsNotReadWhole) {
  File file{program(build_info(modules(kContainerd)))};
  file.bytes += std::string(8 << 20, '\0');
  EXPECT_EQ(go_module_of(file.parts()), kContainerd);
  EXPECT_LT(file.read, 4096u);
  EXPECT_EQ(go_module_of(File{program(build_info(modules("github.com/containerd/containerd")))}.parts()),
            "github.com/containerd/containerd")
      << "the first generation";
}

TEST(ProgramFile, WithoutBuildInformationTheModuleIsUnknown) {
  EXPECT_EQ(go_module_of(File{program("")}.parts()), "");
  EXPECT_EQ(go_module_of(File{program(build_info("path\tcommand-line-arguments\n"))}.parts()), "");
  EXPECT_EQ(go_module_of(File{kContainerd}.parts()), "") << "a text, no program";
}

TEST(ProgramFile, ThatIsCutOrDamagedIsReadWithinItsEnd) {
  const std::string whole = program(build_info(modules(kContainerd)));
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string module = go_module_of(File{whole.substr(0, size)}.parts());
    EXPECT_TRUE(module.empty() || module == kContainerd) << size << ": " << module;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    const std::string module = go_module_of(File{damaged}.parts());
    EXPECT_NE(damaged.find(module), std::string::npos) << at << ": nothing is read beyond the file";
  }
}

}  // namespace
}  // namespace sunup::plan
