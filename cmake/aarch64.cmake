# SPDX-License-Identifier: Apache-2.0
# Debian's cross compiler, with the libraries that tests/images/arm64 has unpacked to
# SANDLOCK_ARM64_ROOT (environment). Tests run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $ENV{SANDLOCK_ARM64_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} $ENV{SANDLOCK_ARM64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
# Headers that differ between architectures stand beside those that do not.
set(CMAKE_C_FLAGS_INIT "-idirafter $ENV{SANDLOCK_ARM64_ROOT}/usr/include/aarch64-linux-gnu")
