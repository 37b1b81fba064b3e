# Other people's libraries, all found by pkg-config, and the rule that makes ours.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(crypto REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(event REQUIRED IMPORTED_TARGET libevent_core)
# MariaDB Connector/C or MySQL's own; both offer the same calls.
pkg_search_module(mysqlclient REQUIRED IMPORTED_TARGET mysqlclient libmariadb mariadb)

# mq_library(folder dependencies…): a static library of folder/*.c.
function(mq_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name}/*.c)
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARGN})
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARGN})
endfunction()
