#include "base/http_reply_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup {
namespace {

using testing::HasSubstr;
using testing::Pair;

// What a client gets from these bytes and the end of the connection.
struct Reply {
  Result<void> read;
  bool done = false, refused = false;
  HttpReplyHead head;
  std::string body, rest;
  size_t fed = 0;
};

Reply reply_to(std::string_view bytes, size_t piece, uint64_t most = 1000, Result<void> taken = {}) {
  Reply out;
  HttpReplyReader reader(most, [&](const HttpReplyHead& head, std::string_view part) {
    EXPECT_NE(head.status, 0);
    out.body += part;
    return taken;
  });
  while (!bytes.empty() && out.read && !reader.is_done()) {
    out.rest += bytes.substr(0, piece);
    out.fed += std::min(piece, bytes.size());
    bytes.remove_prefix(std::min(piece, bytes.size()));
    out.read = reader.feed(out.rest);
  }
  if (out.read && !reader.is_done()) out.read = reader.closed();
  out.done = reader.is_done();
  out.refused = reader.is_refused();
  out.head = reader.head();
  out.rest += bytes;
  return out;
}

TEST(HttpReplyReader, ReadsTheSameAtOnceAndByteByByte) {
  for (const size_t piece : {1, 7, 1000}) {
    const Reply chunked = reply_to(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\nnext",
        piece);
    ASSERT_TRUE(chunked.read && chunked.done) << piece;
    EXPECT_EQ(chunked.body, "abcde");
    EXPECT_EQ(chunked.rest, "next");
    EXPECT_TRUE(chunked.head.keep_alive);
    EXPECT_THAT(chunked.head.fields, testing::Contains(Pair("X-A", "b")));
    const Reply empty = reply_to("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", piece);
    EXPECT_TRUE(empty.read && empty.done) << piece;
    const Reply until_end = reply_to("HTTP/1.0 404 no\r\n\r\nto the end", piece);
    ASSERT_TRUE(until_end.read && until_end.done) << piece;
    EXPECT_EQ(until_end.head.status, 404);
    EXPECT_EQ(until_end.body, "to the end");
    EXPECT_FALSE(until_end.head.keep_alive);
    const Reply none = reply_to("HTTP/1.1 204 none\r\n\r\n", piece);
    EXPECT_TRUE(none.read && none.done) << piece;
    EXPECT_EQ(none.head.status, 204);
  }
}

TEST(HttpReplyReader, WhatIsCutOffIsNoReply) {
  for (const char* text : {"", "HTTP", "HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nab", "HTTP/1.1 099 OK\r\n\r\n",
                           "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"})
    EXPECT_FALSE(reply_to(text, 1000).read) << text;
}

TEST(HttpReplyReader, NothingInAReplyIsWithoutLimit) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string much(1 << 20, 'x');
  for (const size_t piece : {size_t{1000}, 2 * much.size()}) {
    for (const std::string& text : {"HTTP/1.1 200 " + much, "HTTP/1.1 200 OK\r\nX: " + much, chunked + "1;x=" + much,
                                    chunked + "0\r\nX: " + much}) {
      const Reply reply = reply_to(text, piece);
      EXPECT_FALSE(reply.read) << text.substr(0, 80);
      EXPECT_LT(reply.fed, piece + (size_t{100} << 10)) << text.substr(0, 80);
    }
    EXPECT_FALSE(reply_to("HTTP/1.1 200 OK\r\n\r\n" + much, piece).read);
    EXPECT_FALSE(reply_to(chunked + "fffffffffffffff\r\n" + much, piece).read);
  }
}

TEST(HttpReplyReader, WhoTakesTheBodyMayRefuseIt) {
  const Reply reply =
      reply_to("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", 1000, 1000, Error("the disk is full"));
  ASSERT_FALSE(reply.read);
  EXPECT_TRUE(reply.refused);
  EXPECT_EQ(reply.read.error().what, "the disk is full");
}

}  // namespace
}  // namespace sunup
