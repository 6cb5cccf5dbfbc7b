/* The stages of one draw before the rasterizer (frontend.md §1, §10, §11): vertex expansion, triangle setup, binning.
 * A stage is a list of phases with a CTA barrier between two of them. The kernels run the phases on every thread at
 * once, the host runs them thread by thread: same source, same buffers. */
#ifndef GYRE_FIRMWARE_FRONTEND_STAGES_H
#define GYRE_FIRMWARE_FRONTEND_STAGES_H

#include "setup.h"

#define GYRE_BIN_HEADER_WORDS 3u
#define GYRE_META_STATUS_PIDS 1u
#define GYRE_META_STATUS_KEYS 2u

/* Primitives a draw may have: pids are 16 bits, and the buffers hold two a triangle. The rare triangle that leaves three
 * lives on the many that leave one. */
SIMT_INLINE uint32_t gyre_max_prims(uint32_t num_tris) {
  return simt_sel(num_tris < GYRE_MAX_PRIMS / 2, 2 * num_tris, GYRE_MAX_PRIMS);
}

/* Place of a thread in its launch. */
typedef struct gyre_place_in_grid {
  uint32_t thread, threads; /* in the CTA */
  uint32_t cta, ctas;       /* in the grid */
} gyre_place_in_grid;

/* Grid-strided loop over [0, count): the bounds are uniform, the body runs for the lanes that have an index. */
#define GYRE_FOR_GRID(index, count, at)                                                                         \
  for (uint32_t gyre_base_ = (at)->cta * (at)->threads; gyre_base_ < (count); /* uniform: launch geometry */    \
       gyre_base_ += (at)->ctas * (at)->threads) {                                                              \
    const uint32_t index = gyre_base_ + (at)->thread;                                                           \
    SIMT_IF(index < (count))
#define GYRE_END_FOR \
  SIMT_END           \
  }

SIMT_INLINE uint32_t gyre_stage_phases(uint32_t stage) {
  return stage == GYRE_STAGE_SCAN || stage == GYRE_STAGE_BSCAN || stage == GYRE_STAGE_BBASE ? 3
         : stage == GYRE_STAGE_BHIST || stage == GYRE_STAGE_BSCATTER                        ? 2
                                                                                            : 1;
}

/* ---- exclusive scan by one CTA: chunk sums, scan of the sums by thread 0, prefixes ------------------------------------ */
SIMT_INLINE uint32_t gyre_chunk(uint32_t count, uint32_t threads) { return (count + threads - 1) / threads; }

/* Phase 0: sums[thread] = sum of the thread's chunk of values[0, count). */
SIMT_INLINE void gyre_scan_sums(const uint32_t* values, uint32_t count, uint32_t* sums, const gyre_place_in_grid* at) {
  const uint32_t chunk = gyre_chunk(count, at->threads);
  const uint32_t first = at->thread * chunk;
  uint32_t sum = 0;
  for (uint32_t j = 0; j < chunk; j++) { /* uniform: chunk is */
    SIMT_IF(first + j < count)
      sum += values[first + j];
    SIMT_END
  }
  sums[at->thread] = sum;
}

/* Phase 1, thread 0: sums become exclusive prefixes; returns the total. */
SIMT_INLINE uint32_t gyre_scan_totals(uint32_t* sums, const gyre_place_in_grid* at) {
  uint32_t total = 0;
  for (uint32_t t = 0; t < at->threads; t++) { /* uniform: launch geometry */
    const uint32_t sum = sums[t];
    sums[t] = total;
    total += sum;
  }
  return total;
}

/* Phase 2: prefixes[i] = sum of values[0, i). */
SIMT_INLINE void gyre_scan_prefixes(const uint32_t* values, uint32_t count, const uint32_t* sums, uint32_t* prefixes,
                                    const gyre_place_in_grid* at) {
  const uint32_t chunk = gyre_chunk(count, at->threads);
  const uint32_t first = at->thread * chunk;
  uint32_t sum = sums[at->thread];
  for (uint32_t j = 0; j < chunk; j++) { /* uniform: chunk is */
    SIMT_IF(first + j < count)
      prefixes[first + j] = sum;
      sum += values[first + j];
    SIMT_END
  }
}

/* ---- expansion (frontend.md §3) ------------------------------------------------------------------------------------------ */
/* Byte offset of lane l of [u,v,r,g,b,a,w0..w5] inside a setup vertex. */
SIMT_INLINE uint32_t gyre_lane_offset(uint32_t lane) {
  return lane < 2 ? 32 + 4 * lane : lane < 6 ? 8 + 4 * lane : 16 + 4 * lane;
}

SIMT_INLINE void gyre_expand_run(const gyre_expand_arg* arg, const gyre_place_in_grid* at) {
  const uint32_t num_verts = arg->num_verts;
  GYRE_FOR_GRID(i, num_verts, at) /* uniform: launch geometry */
    const uint32_t* record = GYRE_PTR(const uint32_t, arg->vsrec + (uint64_t)i * arg->vstride);
    uint32_t* out = GYRE_PTR(uint32_t, arg->verts + (uint64_t)i * sizeof(gyre_setup_vertex));
    const uint32_t x = record[0], y = record[1], z = record[2], w = record[3];
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
    uint32_t lane = 0;
    for (uint32_t k = 0; k < arg->num_varyings && k < 16; k++) {              /* uniform: kernel argument */
      for (uint32_t j = 0; j < arg->varying_comps[k] && lane < GYRE_LANES; j++) { /* uniform: kernel argument */
        out[gyre_lane_offset(lane) / 4] = record[4 + 4 * k + (j & 3)];
        lane++;
      }
    }
    for (; lane < GYRE_LANES; lane++) { /* uniform: kernel argument */
      out[gyre_lane_offset(lane) / 4] = lane >= 2 && lane < 6 ? 0x3F800000u : 0u; /* uniform: lane number */
    }
  GYRE_END_FOR
}

/* ---- setup ------------------------------------------------------------------------------------------------------------------ */
SIMT_INLINE void gyre_stage_setup(const gyre_pipe_arg* arg, const gyre_place_in_grid* at) {
  gyre_setup_config config;
  gyre_setup_configure(&config, arg);
  const gyre_setup_vertex* verts = GYRE_PTR(const gyre_setup_vertex, arg->verts);
  uint32_t* keep = GYRE_PTR(uint32_t, arg->keep);
  const uint32_t num_tris = arg->num_tris;
  GYRE_FOR_GRID(i, num_tris, at) /* uniform: launch geometry */
    keep[i] = gyre_setup_count(&config, verts + 3 * i);
  GYRE_END_FOR
}

SIMT_INLINE void gyre_stage_scan(const gyre_pipe_arg* arg, const gyre_place_in_grid* at, uint32_t phase) {
  const uint32_t* keep = GYRE_PTR(const uint32_t, arg->keep);
  uint32_t* sums = GYRE_PTR(uint32_t, arg->tsum);
  uint32_t* offset = GYRE_PTR(uint32_t, arg->offset);
  uint32_t* meta = GYRE_PTR(uint32_t, arg->meta);
  if (phase == 0) { /* uniform: phase */
    gyre_scan_sums(keep, arg->num_tris, sums, at);
  } else if (phase == 1) { /* uniform: phase */
    SIMT_IF(at->thread == 0)
      const uint32_t total = gyre_scan_totals(sums, at);
      const uint32_t limit = gyre_max_prims(arg->num_tris);
      const uint32_t too_many = total > limit;
      offset[arg->num_tris] = total;
      meta[GYRE_META_PRIMS] = simt_sel(too_many, limit, total);
      meta[GYRE_META_KEYS] = 0;
      meta[GYRE_META_BINS] = 0;
      meta[GYRE_META_STATUS] = simt_sel(too_many, GYRE_META_STATUS_PIDS, 0);
    SIMT_END
  } else {
    gyre_scan_prefixes(keep, arg->num_tris, sums, offset, at);
  }
}

SIMT_INLINE void gyre_stage_emit(const gyre_pipe_arg* arg, const gyre_place_in_grid* at) {
  gyre_setup_config config;
  gyre_setup_configure(&config, arg);
  const gyre_setup_vertex* verts = GYRE_PTR(const gyre_setup_vertex, arg->verts);
  const uint32_t* keep = GYRE_PTR(const uint32_t, arg->keep);
  const uint32_t* offset = GYRE_PTR(const uint32_t, arg->offset);
  gyre_prim* prims = GYRE_PTR(gyre_prim, arg->prim);
  gyre_bbox* boxes = GYRE_PTR(gyre_bbox, arg->bbox);
  uint32_t* flats = GYRE_PTR(uint32_t, arg->flat);
  const uint32_t limit = GYRE_PTR(const uint32_t, arg->meta)[GYRE_META_PRIMS];
  const uint32_t num_tris = arg->num_tris;
  GYRE_FOR_GRID(i, num_tris, at) /* uniform: launch geometry */
    const uint32_t at_prim = offset[i];
    SIMT_IF((keep[i] != 0) & (at_prim < limit))
      uint32_t* flat = 0;
      if (flats) flat = flats + GYRE_LANES * at_prim; /* uniform: kernel argument */
      gyre_setup_emit(&config, verts + 3 * i, limit - at_prim, prims + at_prim, boxes + at_prim, flat);
    SIMT_END
  GYRE_END_FOR
}

/* One phase of one setup stage on one thread. */
SIMT_INLINE void gyre_setup_phase(const gyre_pipe_arg* arg, const gyre_place_in_grid* at, uint32_t stage,
                                  uint32_t phase) {
  if (stage == GYRE_STAGE_SETUP) gyre_stage_setup(arg, at); /* uniform: kernel argument */
  if (stage == GYRE_STAGE_SCAN) gyre_stage_scan(arg, at, phase); /* uniform: kernel argument */
  if (stage == GYRE_STAGE_EMIT) gyre_stage_emit(arg, at); /* uniform: kernel argument */
}

/* ---- binning (frontend.md §10) ------------------------------------------------------------------------------------------------ */
typedef struct gyre_bin_range {
  uint32_t left, right, top, bottom; /* bins, inclusive */
} gyre_bin_range;

SIMT_INLINE gyre_bin_range gyre_bins(const gyre_bbox* box, uint32_t bin_log) {
  gyre_bin_range r;
  r.left = box->left >> bin_log;
  r.right = (box->right - 1) >> bin_log;
  r.top = box->top >> bin_log;
  r.bottom = (box->bottom - 1) >> bin_log;
  return r;
}

SIMT_INLINE void gyre_stage_bcount(const gyre_pipe_arg* arg, const gyre_place_in_grid* at) {
  const gyre_bbox* boxes = GYRE_PTR(const gyre_bbox, arg->bbox);
  uint32_t* bcount = GYRE_PTR(uint32_t, arg->bcount);
  const uint32_t prims = GYRE_PTR(const uint32_t, arg->meta)[GYRE_META_PRIMS];
  const uint32_t bin_log = gyre_bin_log(arg);
  GYRE_FOR_GRID(i, prims, at) /* uniform: launch geometry */
    const gyre_bin_range r = gyre_bins(&boxes[i], bin_log);
    bcount[i] = (r.right - r.left + 1) * (r.bottom - r.top + 1);
  GYRE_END_FOR
}

SIMT_INLINE void gyre_stage_bscan(const gyre_pipe_arg* arg, const gyre_place_in_grid* at, uint32_t phase) {
  const uint32_t* bcount = GYRE_PTR(const uint32_t, arg->bcount);
  uint32_t* sums = GYRE_PTR(uint32_t, arg->btsum);
  uint32_t* boffset = GYRE_PTR(uint32_t, arg->boffset);
  uint32_t* meta = GYRE_PTR(uint32_t, arg->meta);
  const uint32_t prims = meta[GYRE_META_PRIMS];
  if (phase == 0) { /* uniform: phase */
    gyre_scan_sums(bcount, prims, sums, at);
  } else if (phase == 1) { /* uniform: phase */
    SIMT_IF(at->thread == 0)
      const uint32_t total = gyre_scan_totals(sums, at);
      const uint32_t over = (arg->keys_cap != 0) & (total > arg->keys_cap);
      const uint32_t wanted = simt_sel(total > 0x3FFFFFFFu, 0x3FFFFFFFu, total);
      boffset[prims] = total;
      meta[GYRE_META_KEYS] = simt_sel(over, 0, total);
      meta[GYRE_META_STATUS] |= simt_sel(over, GYRE_META_STATUS_KEYS | wanted << 2, 0);
    SIMT_END
  } else {
    gyre_scan_prefixes(bcount, prims, sums, boffset, at);
  }
}

SIMT_INLINE void gyre_stage_bemit(const gyre_pipe_arg* arg, const gyre_place_in_grid* at) {
  const gyre_bbox* boxes = GYRE_PTR(const gyre_bbox, arg->bbox);
  const uint32_t* boffset = GYRE_PTR(const uint32_t, arg->boffset);
  uint32_t* keys = GYRE_PTR(uint32_t, arg->keys);
  const uint32_t* meta = GYRE_PTR(const uint32_t, arg->meta);
  const uint32_t prims = simt_sel(meta[GYRE_META_KEYS] != 0, meta[GYRE_META_PRIMS], 0);
  const uint32_t bin_log = gyre_bin_log(arg);
  const uint32_t bin_cols = arg->bin_cols;
  GYRE_FOR_GRID(i, prims, at) /* uniform: launch geometry */
    const gyre_bin_range r = gyre_bins(&boxes[i], bin_log);
    uint32_t* out = keys + boffset[i];
    const uint32_t row = (r.left << GYRE_KEY_PID_BITS) | i;
    const uint32_t last_step = (r.right - r.left) << GYRE_KEY_PID_BITS;
    const uint32_t next_row = bin_cols << GYRE_KEY_PID_BITS;
    uint32_t start = row + r.top * next_row;
    uint32_t key = start;
    uint32_t left = (r.right - r.left + 1) * (r.bottom - r.top + 1);
    SIMT_WHILE(left != 0)
      const uint32_t row_done = key - start == last_step;
      *out++ = key;
      start = simt_sel(row_done, start + next_row, start);
      key = simt_sel(row_done, start, key + (1u << GYRE_KEY_PID_BITS));
      left--;
    SIMT_END_WHILE
  GYRE_END_FOR
}

/* Bins [first, first + count) belong to this CTA. */
SIMT_INLINE uint32_t gyre_stripe(const gyre_pipe_arg* arg, const gyre_place_in_grid* at, uint32_t* first) {
  const uint32_t begin = at->cta * arg->bin_stripe;
  const uint32_t left = simt_sel(begin < arg->num_bins, arg->num_bins - begin, 0);
  *first = begin;
  return simt_sel(left < arg->bin_stripe, left, arg->bin_stripe);
}

SIMT_INLINE void gyre_stage_bhist(const gyre_pipe_arg* arg, const gyre_place_in_grid* at, uint32_t phase) {
  const uint32_t* keys = GYRE_PTR(const uint32_t, arg->keys);
  uint32_t* thist = GYRE_PTR(uint32_t, arg->thist);
  uint32_t* bincount = GYRE_PTR(uint32_t, arg->bincount);
  const uint32_t num_keys = GYRE_PTR(const uint32_t, arg->meta)[GYRE_META_KEYS];
  const uint32_t num_bins = arg->num_bins;
  uint32_t first;
  const uint32_t bins = gyre_stripe(arg, at, &first);
  if (phase == 0) { /* uniform: phase */
    uint32_t* mine = thist + at->thread * num_bins + first;
    for (uint32_t b = 0; b < bins; b++) mine[b] = 0; /* uniform: launch geometry */
    const uint32_t chunk = gyre_chunk(num_keys, at->threads);
    const uint32_t* key = keys + at->thread * chunk;
    const uint32_t* end = keys + num_keys;
    for (uint32_t j = 0; j < chunk; j++, key++) { /* uniform: chunk is */
      SIMT_IF(key < end)
        const uint32_t bin = (*key >> GYRE_KEY_PID_BITS) - first;
        SIMT_IF(bin < bins)
          mine[bin]++;
        SIMT_END
      SIMT_END
    }
  } else {
    for (uint32_t base = 0; base < bins; base += at->threads) { /* uniform: launch geometry */
      const uint32_t b = base + at->thread;
      SIMT_IF(b < bins)
        const uint32_t* count = thist + first + b;
        uint32_t sum = 0;
        for (uint32_t t = 0; t < at->threads; t++) { /* uniform: launch geometry */
          sum += *count;
          count += num_bins;
        }
        bincount[first + b] = sum;
      SIMT_END
    }
  }
}

SIMT_INLINE void gyre_stage_bbase(const gyre_pipe_arg* arg, const gyre_place_in_grid* at, uint32_t phase) {
  const uint32_t* bincount = GYRE_PTR(const uint32_t, arg->bincount);
  uint32_t* binbase = GYRE_PTR(uint32_t, arg->binbase);
  uint32_t* sums = GYRE_PTR(uint32_t, arg->btsum);
  gyre_bin_header* headers = GYRE_PTR(gyre_bin_header, arg->tilebuf);
  const uint32_t num_bins = arg->num_bins;
  const uint32_t bin_cols = arg->bin_cols;
  const uint32_t chunk = gyre_chunk(num_bins, at->threads);
  const uint32_t first = at->thread * chunk;
  if (phase == 0) { /* uniform: phase */
    gyre_scan_sums(bincount, num_bins, sums, at);
  } else if (phase == 1) { /* uniform: phase */
    SIMT_IF(at->thread == 0)
      gyre_scan_totals(sums, at);
      uint32_t filled = 0;
      for (uint32_t b = 0; b < num_bins; b++) filled += bincount[b] != 0; /* uniform: kernel argument */
      GYRE_PTR(uint32_t, arg->meta)[GYRE_META_BINS] = filled;
    SIMT_END
  } else {
    uint32_t sum = sums[at->thread];
    for (uint32_t j = 0; j < chunk; j++) { /* uniform: chunk is */
      const uint32_t b = first + j;
      SIMT_IF(b < num_bins)
        const uint32_t count = bincount[b];
        const uint32_t row = b / bin_cols;
        binbase[b] = sum;
        headers[b].bin_xy = row << 16 | (b - row * bin_cols);
        headers[b].pids_offset = sum;
        headers[b].pids_count = count;
        sum += count;
      SIMT_END
    }
  }
}

SIMT_INLINE void gyre_stage_bscatter(const gyre_pipe_arg* arg, const gyre_place_in_grid* at, uint32_t phase) {
  const uint32_t* keys = GYRE_PTR(const uint32_t, arg->keys);
  uint32_t* thist = GYRE_PTR(uint32_t, arg->thist);
  const uint32_t* binbase = GYRE_PTR(const uint32_t, arg->binbase);
  const uint32_t num_keys = GYRE_PTR(const uint32_t, arg->meta)[GYRE_META_KEYS];
  const uint32_t num_bins = arg->num_bins;
  uint32_t first;
  const uint32_t bins = gyre_stripe(arg, at, &first);
  if (phase == 0) { /* uniform: phase */
    for (uint32_t base = 0; base < bins; base += at->threads) { /* uniform: launch geometry */
      const uint32_t b = base + at->thread;
      SIMT_IF(b < bins)
        uint32_t* count = thist + first + b;
        uint32_t run = binbase[first + b];
        for (uint32_t t = 0; t < at->threads; t++) { /* uniform: launch geometry */
          const uint32_t n = *count;
          *count = run;
          run += n;
          count += num_bins;
        }
      SIMT_END
    }
  } else {
    uint32_t* pids = GYRE_PTR(uint32_t, arg->tilebuf) + GYRE_BIN_HEADER_WORDS * num_bins;
    uint32_t* mine = thist + at->thread * num_bins + first;
    const uint32_t chunk = gyre_chunk(num_keys, at->threads);
    const uint32_t* key = keys + at->thread * chunk;
    const uint32_t* end = keys + num_keys;
    for (uint32_t j = 0; j < chunk; j++, key++) { /* uniform: chunk is */
      SIMT_IF(key < end)
        const uint32_t k = *key;
        const uint32_t bin = (k >> GYRE_KEY_PID_BITS) - first;
        SIMT_IF(bin < bins)
          pids[mine[bin]++] = k & ((1u << GYRE_KEY_PID_BITS) - 1);
        SIMT_END
      SIMT_END
    }
  }
}

/* One phase of one binning stage on one thread. */
SIMT_INLINE void gyre_binning_phase(const gyre_pipe_arg* arg, const gyre_place_in_grid* at, uint32_t stage,
                                    uint32_t phase) {
  if (stage == GYRE_STAGE_BCOUNT) gyre_stage_bcount(arg, at);               /* uniform: kernel argument */
  if (stage == GYRE_STAGE_BSCAN) gyre_stage_bscan(arg, at, phase);          /* uniform: kernel argument */
  if (stage == GYRE_STAGE_BEMIT) gyre_stage_bemit(arg, at);                 /* uniform: kernel argument */
  if (stage == GYRE_STAGE_BHIST) gyre_stage_bhist(arg, at, phase);          /* uniform: kernel argument */
  if (stage == GYRE_STAGE_BBASE) gyre_stage_bbase(arg, at, phase);          /* uniform: kernel argument */
  if (stage == GYRE_STAGE_BSCATTER) gyre_stage_bscatter(arg, at, phase);    /* uniform: kernel argument */
}

#endif
