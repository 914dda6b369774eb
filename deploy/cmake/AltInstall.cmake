# What `cmake --install` puts where: the programs, the client library with the headers that its users
# see, and what find_package(alt) and pkg-config read.
#
#   bin/alt alt-server alt-worker alt-builder alt-runner      they find one another in their own folder
#   include/alt/tuning_client.h kernel.h          and below include/alt what these include
#   lib/alt/*.a  lib/cmake/alt  lib/pkgconfig/alt.pc

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The libraries of this project that `target` links, itself included, and those of others, users
# before what they use.
function(alt_link_closure target ours_out others_out)
  set(todo ${target})
  set(ours)
  set(others)
  while(todo)
    list(POP_FRONT todo name)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" name "${name}")
    list(REMOVE_ITEM ours ${name})
    list(REMOVE_ITEM others ${name})
    if(name MATCHES "^alt_" AND TARGET ${name})
      list(APPEND ours ${name})
      get_target_property(links ${name} INTERFACE_LINK_LIBRARIES)
      if(links)
        list(APPEND todo ${links})
      endif()
    elseif(NOT name MATCHES "BUILD_INTERFACE|^$")
      list(APPEND others ${name})
    endif()
  endwhile()
  set(${ours_out} ${ours} PARENT_SCOPE)
  set(${others_out} ${others} PARENT_SCOPE)
endfunction()

# The line of a pkg-config file that links `ours` and `others`: packages by name, the rest as flags.
function(alt_pkgconfig_links ours others packages_out flags_out)
  set(packages)
  set(flags -L\${libdir}/alt -Wl,--start-group)
  foreach(name ${ours})
    get_target_property(type ${name} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND flags -l${name})
    endif()
  endforeach()
  list(APPEND flags -Wl,--end-group)
  foreach(name ${others})
    if(name MATCHES "^absl::(.*)$")
      list(APPEND packages absl_${CMAKE_MATCH_1})
    elseif(name MATCHES "^PkgConfig::(.*)$")
      list(APPEND packages ${CMAKE_MATCH_1})
    elseif(name STREQUAL "OpenSSL::Crypto")
      list(APPEND packages libcrypto)
    elseif(name STREQUAL "spdlog::spdlog")
      list(APPEND packages spdlog)
    elseif(name STREQUAL "Threads::Threads")
      list(APPEND flags -pthread)
    elseif(name MATCHES "^/")
      list(APPEND flags ${name})
    elseif(NOT name MATCHES "::")
      list(APPEND flags -l${name})
    else()
      message(FATAL_ERROR "AltInstall.cmake: what is ${name} called in pkg-config?")
    endif()
  endforeach()
  string(REPLACE ";" " " packages "${packages}")
  string(REPLACE ";" " " flags "${flags}")
  set(${packages_out} "${packages}" PARENT_SCOPE)
  set(${flags_out} "${flags}" PARENT_SCOPE)
endfunction()

set(alt_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/alt)
alt_link_closure(alt_client alt_installed alt_foreign)
set_target_properties(alt_client PROPERTIES EXPORT_NAME client)
target_include_directories(alt_client PUBLIC
  # include/alt itself is for what the headers of the library include.
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/alt>)
install(TARGETS alt alt-server alt-worker alt-builder alt-runner
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${alt_installed} EXPORT altTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/alt)
install(EXPORT altTargets NAMESPACE alt:: DESTINATION ${alt_cmake_dir})
install(CODE "set(ALT_SOURCE_DIR ${CMAKE_SOURCE_DIR})\nset(ALT_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/altConfig.cmake.in
  ${CMAKE_BINARY_DIR}/altConfig.cmake INSTALL_DESTINATION ${alt_cmake_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/altConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/altConfig.cmake ${CMAKE_BINARY_DIR}/altConfigVersion.cmake
        DESTINATION ${alt_cmake_dir})

alt_pkgconfig_links("${alt_installed}" "${alt_foreign}" ALT_PC_PACKAGES ALT_PC_FLAGS)
# By its own place, so that a folder that is moved, or installed with --prefix, still works.
file(RELATIVE_PATH ALT_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/alt.pc.in ${CMAKE_BINARY_DIR}/alt.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/alt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
