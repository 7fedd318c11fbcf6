// The forms of custom data. custom_data.h reads all of them, alone and nested.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "azure/custom_data.h"

namespace sunup::azure {

// Reads a boothook: the files that a script writes from here-documents. The script is not run. Everything else in it
// must be one of the few commands that the boothook of a node contains (making directories, log lines, starting the
// controller). A script with other commands can only be run by a shell and is not accepted here.
// An error if a here-document has no end or its content is damaged.
Result<CustomData> read_boothook(std::string_view script);

// Reads a cloud-config: the files of its write_files, in every encoding that cloud-init supports. All other members
// must have no effect on the node (final_message, a runcmd that only prints or starts the controller).
Result<CustomData> read_cloud_config(std::string_view yaml);

// Reads an Ignition config: its files with inline content (data URLs). All other members must be empty, or the unit
// that starts the controller.
Result<CustomData> read_ignition(std::string_view text);

// The parts of a multipart MIME message, as mail programs and cloud-init read it: headers in any case and order, folded
// lines, line ends LF or CRLF, bodies plain, base64 or quoted-printable. A message without its end is an error.
struct MimePart {
  std::string type;  // lower case, without parameters; "text/plain" if none is given
  std::string body;  // decoded
};

// A message that is not multipart has one part.
Result<std::vector<MimePart>> mime_parts(std::string_view message);

}  // namespace sunup::azure
