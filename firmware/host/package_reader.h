/* A draw package in host memory, checked (abi/package.h). */
#ifndef GYRE_FIRMWARE_PACKAGE_READER_H
#define GYRE_FIRMWARE_PACKAGE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "package.h"

typedef struct package {
  const uint8_t* data;
  const gyre_pkg_header* header;
  const gyre_pkg_texture* textures; /* header->num_textures */
  const gyre_pkg_draw* draws;       /* header->num_draws */
} package;

/* Checks every offset, size and code the player relies on. data: 8-byte aligned. NULL, or what is wrong. */
const char* package_open(package* out, const uint8_t* data, size_t bytes);

#endif
