# SPDX-License-Identifier: Apache-2.0
# Every warning that breaks the build is named here, one per line, so that adding or
# dropping one is a reviewed decision.
set(SANDLOCK_WARNINGS
	-Wall
	-Wconversion
	-Wextra
	-Werror
	-Wformat=2
	-Wformat-signedness
	-Wimplicit-fallthrough
	-Wmissing-prototypes
	-Wmissing-declarations
	-Wno-sign-conversion # part of -Wconversion with GCC; the kernel's RTA_NEXT() mixes signs
	-Wnull-dereference
	-Wold-style-definition
	-Wpointer-arith
	-Wshadow
	-Wstrict-prototypes
	-Wswitch-enum
	-Wundef
	-Wvla
	-Wwrite-strings)
if(CMAKE_C_COMPILER_ID MATCHES Clang)
	# Some of them are GCC's alone.
	list(APPEND SANDLOCK_WARNINGS -Wno-unknown-warning-option)
endif()

add_library(sandlock_flags INTERFACE)
target_compile_options(sandlock_flags INTERFACE
	${SANDLOCK_WARNINGS} -fPIE -fstack-protector-strong -fno-common -fvisibility=hidden)
target_compile_definitions(sandlock_flags INTERFACE _GNU_SOURCE
	SANDLOCK_VERSION="${PROJECT_VERSION}")
target_include_directories(sandlock_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/gen)
# A target that has the property SANDLOCK_STATIC needs no loader; see libraries.cmake.
target_link_options(sandlock_flags INTERFACE
	$<IF:$<BOOL:$<TARGET_PROPERTY:SANDLOCK_STATIC>>,-static-pie,-pie>
	-Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
	# Fortify needs the optimiser; the sanitizers replace it.
	target_compile_options(sandlock_flags INTERFACE
		-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-clash-protection)
	if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
		target_compile_options(sandlock_flags INTERFACE -fcf-protection)
	endif()
	# Clang before 16 has it behind a second flag.
	if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
		target_compile_options(sandlock_flags INTERFACE -ftrivial-auto-var-init=zero)
	endif()
endif()
if(SANDLOCK_SANITIZE)
	target_compile_options(sandlock_flags INTERFACE
		-fsanitize=${SANDLOCK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
	target_link_options(sandlock_flags INTERFACE -fsanitize=${SANDLOCK_SANITIZE})
endif()
if(SANDLOCK_FUZZ)
	# Coverage feedback from every room; only the targets in tests/fuzz get a main.
	target_compile_options(sandlock_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SANDLOCK_COVERAGE)
	target_compile_options(sandlock_flags INTERFACE --coverage)
	target_link_options(sandlock_flags INTERFACE --coverage)
endif()

# sandlock_room(NAME SOURCES … LINKS …): one room of the house as a static library. It
# links only what its floor allows (docs/house.md); tests/lint checks the includes.
function(sandlock_room name)
	cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS" ${ARGN})
	add_library(${name} STATIC ${ROOM_SOURCES})
	target_link_libraries(${name} PUBLIC sandlock_flags ${ROOM_LINKS})
endfunction()
