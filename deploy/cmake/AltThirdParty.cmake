# Outside libraries. Each one is linked by the library that is its door (tests/lint/layers.txt);
# abseil is free everywhere.

find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PkgConfig REQUIRED)
if(ALT_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

# alt_llvm: the shared libLLVM of LLVM 19. Debian builds it with RTTI, so no special flags.
add_library(alt_llvm INTERFACE)
target_include_directories(alt_llvm SYSTEM INTERFACE /usr/lib/llvm-19/include)
target_link_libraries(alt_llvm INTERFACE /usr/lib/llvm-19/lib/libLLVM.so)

# alt_grpc: gRPC and protobuf. Debian's gRPC package for CMake asks for a protobuf package that
# Debian doesn't have, so by name.
find_program(ALT_PROTOC protoc REQUIRED)
find_program(ALT_PROTOC_GRPC grpc_cpp_plugin REQUIRED)
add_library(alt_grpc INTERFACE)
target_link_libraries(alt_grpc INTERFACE grpc++ grpc gpr protobuf Threads::Threads)
