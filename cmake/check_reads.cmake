# Fails if a source of ROOM drops the error of a read: a file that cannot be read must not be treated as absent (src/host/files.h). The
# build runs this once for each room.
cmake_minimum_required(VERSION 3.25)
file(GLOB files "${SRC}/${ROOM}/*.h" "${SRC}/${ROOM}/*.cc")
set(wrong "")
set(object "[A-Za-z_.>()-]*files_?[.]")
foreach(file IN LISTS files)
  # gather.cc reads through its own object, which keeps the error.
  if(file MATCHES "plan/gather[.]cc$")
    continue()
  endif()
  file(READ "${file}" text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  foreach(pattern
          # files.read(path).value_or("")
          "${object}(read|info|list|read_link)\\([^\;]*\\)[.]value_or"
          # if (auto text = files.read(path)) ...: without an else, absence and failure are not distinguished
          "if \\((const )?auto&? [a-z_]+ = ${object}(read|info|list|read_link)\\([^\;]*\\)\\)[^\;]*\;"
          # if (files.exists(path)), !files.exists(path): tests whether the result is known, not whether the file exists
          "(if \\(|&& |[|][|] |!|= !)${object}exists\\("
          "EXPECT_(TRUE|FALSE)\\(${object}exists\\(")
    if(file MATCHES "_test[.]cc$" AND NOT pattern MATCHES "exists")
      continue()
    endif()
    string(REGEX MATCH "${pattern}" found "${text}")
    if(found)
      file(RELATIVE_PATH shown "${SRC}/.." "${file}")
      string(APPEND wrong "\n  ${shown}: ${found}")
    endif()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "use read_if_there() and its kin, and look at the error (src/host/files.h):${wrong}")
endif()
