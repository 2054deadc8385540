# SPDX-License-Identifier: Apache-2.0
# One home per library: yajl in runtime/base, OpenSSL and nghttp2 in runtime/proxy, protobuf-c in shim/proto, libmd in shim/bootstrap.
# libseccomp is the measure of a unit test.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(YAJL REQUIRED IMPORTED_TARGET yajl)
pkg_check_modules(PROTOBUFC REQUIRED IMPORTED_TARGET libprotobuf-c)
pkg_check_modules(OPENSSL REQUIRED IMPORTED_TARGET libssl libcrypto)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(MD REQUIRED IMPORTED_TARGET libmd)
include(GNUInstallDirs)
find_program(PROTOC_C protoc-c REQUIRED)
if(SANDLOCK_TESTS)
	pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
endif()

# A runtime without a loader starts in four fifths of the time, for every verb, and each of
# its forks has fewer pages of its own. Still position independent. Needs the archives that
# Debian's -dev packages bring along; where they are missing it is linked as usual.
option(SANDLOCK_STATIC "link the runtime from archives where they are there" ON)
set(SANDLOCK_LINK_STATIC OFF)
if(SANDLOCK_STATIC AND NOT (SANDLOCK_SANITIZE OR SANDLOCK_FUZZ OR SANDLOCK_FAULT OR SANDLOCK_COVERAGE))
	include(CheckCSourceCompiles)
	find_library(SANDLOCK_YAJL_ARCHIVE libyajl_s.a HINTS ${YAJL_LIBRARY_DIRS})
	find_library(SANDLOCK_PROTOBUFC_ARCHIVE libprotobuf-c.a HINTS ${PROTOBUFC_LIBRARY_DIRS})
	find_library(SANDLOCK_MD_ARCHIVE libmd.a HINTS ${MD_LIBRARY_DIRS})
	set(CMAKE_REQUIRED_FLAGS -fPIE)
	set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie)
	check_c_source_compiles("int main(void) { return 0; }" SANDLOCK_HAS_STATIC_PIE)
	unset(CMAKE_REQUIRED_FLAGS)
	unset(CMAKE_REQUIRED_LINK_OPTIONS)
	if(SANDLOCK_HAS_STATIC_PIE AND SANDLOCK_YAJL_ARCHIVE AND SANDLOCK_PROTOBUFC_ARCHIVE AND
		SANDLOCK_MD_ARCHIVE)
		foreach(library IN ITEMS YAJL PROTOBUFC MD)
			set_property(TARGET PkgConfig::${library} PROPERTY
				INTERFACE_LINK_LIBRARIES ${SANDLOCK_${library}_ARCHIVE})
		endforeach()
		set(SANDLOCK_LINK_STATIC ON)
	endif()
endif()
