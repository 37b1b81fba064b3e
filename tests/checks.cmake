# Checks of the sources and of what is made from them, run by ctest like any other test; and the
# planning benchmark.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_test(NAME checks/includes
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/check_layers.py --only includes)
add_test(NAME checks/proofs
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/check_proofs.py)
# The headers are compiled with the definitions that all targets get.
get_directory_property(definitions DIRECTORY ${CMAKE_SOURCE_DIR} COMPILE_DEFINITIONS)
list(TRANSFORM definitions PREPEND -D)
add_test(NAME checks/headers
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/check_layers.py --only headers
          --compiler ${CMAKE_C_COMPILER} -- ${definitions})

# Files that repeat what the program prints must say the same: documents, and the DDL and the
# VSchema, whatever their white space and without comments.
function(same_ddl file option)
  add_test(NAME checks/${file}
    COMMAND bash -c "diff -uwB <(grep -v '^-- ' ${file}) <('$<TARGET_FILE:mqgate>' schema ${option})"
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/deploy/schema)
endfunction()
if(TARGET mqgate)
  add_test(NAME checks/docs
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/docs --check --mqgate $<TARGET_FILE:mqgate>)
  same_ddl(legacy.sql --legacy)
  same_ddl(tenant.sql --tenant)
  same_ddl(tenant_vindex.sql --vindex-table)
  same_ddl(vschema.json --vschema)
endif()

add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/bench)
