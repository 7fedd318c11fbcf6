# Fails when a co_await expression of ROOM holds braces or a lambda that captures by value, or stands behind && or ||:
# g++ 12 destroys what they hold twice (src/host/task.h says more). Run by the build, once for each room.
cmake_minimum_required(VERSION 3.25)
file(GLOB files "${SRC}/${ROOM}/*.h" "${SRC}/${ROOM}/*.cc")
set(wrong "")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  # f({...}), f(x, {...}), Type{...}, [x] {...}, [x = y](...) {...}; not `if (co_await f()) {` and not [&] or [];
  # `a && co_await f()`; not `if (a && b) co_await f()`.
  foreach(pattern "co_await[^\;{}]*[(,=] *{" "co_await[^\;{}]*[A-Za-z0-9_>]{" "co_await[^\;{}]*[(,] *\\[[^]&][^]]*\\] *[({]"
          "(&&|[|][|])[^\;{})]*co_await")
    string(REGEX MATCH "${pattern}" found "${text}")
    if(found)
      file(RELATIVE_PATH shown "${SRC}/.." "${file}")
      string(APPEND wrong "\n  ${shown}: ${found}...")
    endif()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "name it before the co_await and move it in (src/host/task.h, pitfalls):${wrong}")
endif()
