# The page of `sunup serve` (src/service/page): its files become three texts, which page_routes.cc contains. The scripts are
# pieces of one module, in this order.
set(page_sources "${PROJECT_SOURCE_DIR}/src/service/page")
set(page_folder "${PROJECT_BINARY_DIR}/page")
set(page_scripts dom.js access.js text.js editor.js findings.js fields.js plan.js size.js diff.js main.js)
list(TRANSFORM page_scripts PREPEND "${page_sources}/")
set(page_parts "${page_folder}/page.html" "${page_folder}/page.css" "${page_folder}/page.js")
file(GLOB page_examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/node/*" "${PROJECT_SOURCE_DIR}/examples/fleet/*")
add_custom_command(
  OUTPUT ${page_parts}
  COMMAND ${CMAKE_COMMAND} -E make_directory "${page_folder}"
  COMMAND ${CMAKE_COMMAND} -E copy "${page_sources}/page.html" "${page_sources}/page.css" "${page_folder}"
  COMMAND ${CMAKE_COMMAND} "-DSCRIPTS=${page_scripts}" "-DEXAMPLES=${PROJECT_SOURCE_DIR}/examples" "-DOUT=${page_folder}/page.js"
          -P "${PROJECT_SOURCE_DIR}/cmake/page_script.cmake"
  DEPENDS "${page_sources}/page.html" "${page_sources}/page.css" ${page_scripts} ${page_examples}
          "${PROJECT_SOURCE_DIR}/cmake/page_script.cmake" VERBATIM)
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/service/page_routes.cc" PROPERTIES
  OBJECT_DEPENDS "${page_parts}" COMPILE_DEFINITIONS "SUNUP_PAGE_FOLDER=\"${page_folder}\"")
target_sources(service PRIVATE ${page_parts})
