#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "version") {
    std::puts(SUNUP_VERSION);
    return 0;
  }
  return 1;
}
