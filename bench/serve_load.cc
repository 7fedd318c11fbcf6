// Load generator for an HTTP server: sends one request repeatedly on many connections and measures.
//
//   serve_load PORT CONNECTIONS SECONDS IDLE REQUESTS_PER_SECOND REQUEST_FILE
//
// The file contains the bytes of a request. IDLE more connections are open and unused. With REQUESTS_PER_SECOND 0 a
// connection sends the next request when it has received the response; otherwise requests are due at a fixed rate, and
// the time of a request that had to wait for a free connection counts from when it was due. Prints a line of JSON.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Client {
  int socket = -1;
  Clock::time_point due;
  std::string answer;
  size_t expected = 0;  // bytes of the whole response; 0: not known yet
  bool busy = false;
};

int connect_to(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror("serve_load: connecting");
    std::exit(1);
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  const int port = std::atoi(argv[1]), connections = std::atoi(argv[2]), idle = std::atoi(argv[4]);
  const double seconds = std::atof(argv[3]), rate = std::atof(argv[5]);
  std::ifstream file(argv[6], std::ios::binary);
  const std::string request{std::istreambuf_iterator<char>(file), {}};
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  for (int i = 0; i < idle; ++i) connect_to(port);
  const int epoll = epoll_create1(0);
  std::vector<Client> clients(static_cast<size_t>(connections));
  std::deque<size_t> free;
  for (size_t i = 0; i < clients.size(); ++i) {
    clients[i].socket = connect_to(port);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, clients[i].socket, &event);
    free.push_back(i);
  }

  std::vector<uint32_t> times;
  times.reserve(1u << 22);
  uint64_t failures = 0;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto between =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(rate > 0 ? 1 / rate : 0));
  Clock::time_point next = begin;
  const auto send_one = [&](Clock::time_point due) {
    Client& client = clients[free.front()];
    free.pop_front();
    client.due = due;
    client.busy = true;
    for (size_t at = 0; at < request.size();) {
      const ssize_t sent = send(client.socket, request.data() + at, request.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) std::exit(1);
      at += static_cast<size_t>(sent);
    }
  };
  std::vector<char> buffer(1u << 18);
  std::vector<epoll_event> events(1024);
  for (auto now = begin; now < end; now = Clock::now()) {
    while (!free.empty() && (rate <= 0 || next <= now)) {
      send_one(rate > 0 ? next : now);
      next += between;
    }
    const int wait = rate > 0 && !free.empty() ? 0 : 10;
    const int ready = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), wait);
    for (int i = 0; i < ready; ++i) {
      Client& client = clients[events[static_cast<size_t>(i)].data.u64];
      const ssize_t got = recv(client.socket, buffer.data(), buffer.size(), 0);
      if (got <= 0) {
        std::fprintf(stderr, "serve_load: the server closed a connection\n");
        return 1;
      }
      client.answer.append(buffer.data(), static_cast<size_t>(got));
      if (client.expected == 0) {
        const size_t head = client.answer.find("\r\n\r\n");
        if (head == std::string::npos) continue;
        const size_t length = client.answer.find("Content-Length: ");
        client.expected = head + 4 + static_cast<size_t>(std::atol(client.answer.c_str() + length + 16));
      }
      if (client.answer.size() < client.expected) continue;
      if (client.answer.compare(0, 12, "HTTP/1.1 200") != 0) ++failures;
      times.push_back(static_cast<uint32_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - client.due).count()));
      client.answer.clear();
      client.expected = 0;
      client.busy = false;
      free.push_back(events[static_cast<size_t>(i)].data.u64);
    }
  }
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  std::ranges::sort(times);
  const auto at = [&](double share) {
    return times.empty() ? 0u : times[static_cast<size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf("{\"requests\":%zu,\"seconds\":%.3f,\"failures\":%llu,\"p50\":%u,\"p99\":%u,\"most\":%u,\"cpu\":%.3f}\n",
              times.size(), took, static_cast<unsigned long long>(failures), at(0.5), at(0.99), at(1), cpu);
  return 0;
}
