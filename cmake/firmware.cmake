# Device images: C for the SIMT cores, checked and packed at build time (simt_c.md §4, §5).

find_program(GYRE_DEVICE_CC clang-19)
find_program(GYRE_DEVICE_LD ld.lld-19)
if(NOT GYRE_DEVICE_CC OR NOT GYRE_DEVICE_LD)
  message(FATAL_ERROR "clang-19 and ld.lld-19 are needed for device code: apt-get install clang-19 lld-19")
endif()

set(GYRE_DEVICE_DIR ${CMAKE_SOURCE_DIR}/firmware/device)
# -fdebug-compilation-dir and -ffile-prefix-map: the same image from every checkout.
set(GYRE_DEVICE_FLAGS
    --target=riscv32-unknown-elf -march=rv32imf_zicond -mabi=ilp32f -std=gnu11 -g
    -Xclang -fconvergent-functions -ffreestanding -fno-builtin -fno-math-errno -ffp-contract=off -fno-jump-tables
    -mno-relax -fomit-frame-pointer -ffunction-sections -fdata-sections -fno-unwind-tables
    -fno-asynchronous-unwind-tables -Wall -Wextra -Wdouble-promotion -Werror
    -fdebug-compilation-dir=. -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=
    -I${CMAKE_SOURCE_DIR}/abi -I${GYRE_DEVICE_DIR} -I${CMAKE_SOURCE_DIR}/firmware/shaders)

# gyre_device_objects(OUT PREFIX OPT SOURCES...): compiles device sources to object files.
function(gyre_device_objects out prefix opt)
  set(objects)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" flat ${name})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${prefix}.dir/${flat}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${GYRE_DEVICE_CC} ${GYRE_DEVICE_FLAGS} ${opt} -MMD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "Device ${opt} ${name}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${prefix}.dir)
  set(${out} ${objects} PARENT_SCOPE)
endfunction()

# gyre_device_image(NAME SOURCES files... [OPT -O2] [START start.S]): makes NAME.elf and NAME.vxbin in the current binary directory,
# target NAME_vxbin. The start code and the runtime are added; simtcheck findings fail the build.
function(gyre_device_image name)
  cmake_parse_arguments(arg "" "OPT;START" "SOURCES" ${ARGN})
  if(NOT arg_OPT)
    set(arg_OPT -O2)
  endif()
  if(NOT arg_START)
    set(arg_START start.S)
  endif()
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  set(vxbin ${CMAKE_CURRENT_BINARY_DIR}/${name}.vxbin)
  file(GLOB runtime CONFIGURE_DEPENDS ${GYRE_DEVICE_DIR}/runtime/*.c)
  gyre_device_objects(objects ${name} ${arg_OPT} ${GYRE_DEVICE_DIR}/${arg_START} ${arg_SOURCES} ${runtime})
  add_custom_command(
    OUTPUT ${vxbin}
    BYPRODUCTS ${elf}
    COMMAND ${GYRE_DEVICE_LD} -T ${GYRE_DEVICE_DIR}/device.ld --no-relax --gc-sections --discard-locals --fatal-warnings
            -o ${elf} ${objects}
    COMMAND simtcheck --source-root ${CMAKE_SOURCE_DIR} ${elf}
    COMMAND elf2vxbin ${elf} ${vxbin}
    DEPENDS ${objects} ${GYRE_DEVICE_DIR}/device.ld simtcheck elf2vxbin
    COMMENT "Device image ${name}.vxbin"
    VERBATIM)
  add_custom_target(${name}_vxbin ALL DEPENDS ${vxbin})
endfunction()

# ---- host firmware ----------------------------------------------------------------------------------------------------
find_program(GYRE_HOST_CC riscv64-unknown-elf-gcc)
if(NOT GYRE_HOST_CC OR NOT EXISTS /usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs)
  message(FATAL_ERROR "host firmware needs: apt-get install gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf")
endif()

set(GYRE_HOST_DIR ${CMAKE_SOURCE_DIR}/firmware/host)
# -misa-spec=2.2: CSR instructions and fence.i belong to "i" there, and the C library's rv64imac build is found.
set(GYRE_HOST_FLAGS
    -march=rv64imac -misa-spec=2.2 -mabi=lp64 -mcmodel=medany --specs=picolibc.specs -std=gnu11 -O2 -g
    -ffreestanding -ffunction-sections -fdata-sections -fno-common -Wall -Wextra -Werror
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -I${CMAKE_SOURCE_DIR}/abi -I${GYRE_HOST_DIR} -I${GYRE_DEVICE_DIR})

# gyre_host_firmware(NAME SOURCES files...): makes NAME.elf in the current binary directory, target NAME_firmware.
# Board support and libgyre are added.
function(gyre_host_firmware name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  set(objects)
  foreach(source IN LISTS arg_SOURCES ITEMS ${GYRE_HOST_DIR}/boot.S ${GYRE_HOST_DIR}/board.c
                                            ${GYRE_HOST_DIR}/semihost.c ${GYRE_HOST_DIR}/gyre_device.c
                                            ${GYRE_HOST_DIR}/gyre_memory.c ${GYRE_HOST_DIR}/gyre_commands.c)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET source FILENAME file)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}_firmware.dir/${file}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${GYRE_HOST_CC} ${GYRE_HOST_FLAGS} -MMD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "Host firmware ${name}: ${file}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}_firmware.dir)
  add_custom_command(
    OUTPUT ${elf}
    COMMAND ${GYRE_HOST_CC} ${GYRE_HOST_FLAGS} -nostartfiles -T ${GYRE_HOST_DIR}/host.ld -Wl,--gc-sections
            -Wl,--fatal-warnings -Wl,--no-warn-rwx-segments -o ${elf} ${objects}
    DEPENDS ${objects} ${GYRE_HOST_DIR}/host.ld
    COMMENT "Host firmware ${name}.elf"
    VERBATIM)
  add_custom_target(${name}_firmware ALL DEPENDS ${elf})
endfunction()
