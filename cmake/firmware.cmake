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

# gyre_device_image(NAME SOURCES files... [OPT -O2]): makes NAME.elf and NAME.vxbin in the current binary directory,
# target NAME_vxbin. The start code and the runtime are added; simtcheck findings fail the build.
function(gyre_device_image name)
  cmake_parse_arguments(arg "" "OPT" "SOURCES" ${ARGN})
  if(NOT arg_OPT)
    set(arg_OPT -O2)
  endif()
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  set(vxbin ${CMAKE_CURRENT_BINARY_DIR}/${name}.vxbin)
  file(GLOB runtime CONFIGURE_DEPENDS ${GYRE_DEVICE_DIR}/runtime/*.c)
  gyre_device_objects(objects ${name} ${arg_OPT} ${GYRE_DEVICE_DIR}/start.S ${arg_SOURCES} ${runtime})
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
