# Fails when a source of ROOM drops the error of a read: what cannot be read must not be taken for what is not there
# (src/host/files.h). Run by the build, once for each room.
cmake_minimum_required(VERSION 3.25)
file(GLOB files "${SRC}/${ROOM}/*.h" "${SRC}/${ROOM}/*.cc")
set(wrong "")
set(object "[A-Za-z_.>()-]*files_?[.]")
foreach(file IN LISTS files)
  # gather.cc reads through an object of its own, which keeps the error.
  if(file MATCHES "plan/gather[.]cc$")
    continue()
  endif()
  file(READ "${file}" text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  foreach(pattern
          # files.read(path).value_or("")
          "${object}(read|info|list|read_link)\\([^\;]*\\)[.]value_or"
          # if (auto text = files.read(path)) ...: without an else, absence and a failure are the same
          "if \\((const )?auto&? [a-z_]+ = ${object}(read|info|list|read_link)\\([^\;]*\\)\\)[^\;]*\;"
          # if (files.exists(path)), !files.exists(path): is it known, not is it there
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
