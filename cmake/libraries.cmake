# SPDX-License-Identifier: Apache-2.0
# One home per library: yajl in runtime/base, libseccomp and libcap in runtime/confine.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(YAJL REQUIRED IMPORTED_TARGET yajl)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(CAP REQUIRED IMPORTED_TARGET libcap)
