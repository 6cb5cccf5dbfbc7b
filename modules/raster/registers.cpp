#include "registers.h"

#include "early_z.h"

namespace gyre::raster {

const std::array<Registers::Entry, 13> Registers::kEntries = {{
    {GYRE_DCR_STARTUP_ADDR0, false},
    {GYRE_DCR_RASTER_TBUF_ADDR, false},
    {GYRE_DCR_RASTER_TILE_COUNT, false},
    {GYRE_DCR_RASTER_PBUF_ADDR, false},
    {GYRE_DCR_RASTER_PBUF_STRIDE, false},
    {GYRE_DCR_RASTER_SCISSOR_X, false},
    {GYRE_DCR_RASTER_SCISSOR_Y, false},
    {GYRE_DCR_RASTER_FRAG_ENTRY_LO, false},
    {GYRE_DCR_RASTER_FRAG_PARAM_LO, false},
    {GYRE_DCR_OM_EARLYZ_SAFE, true},
    {GYRE_DCR_OM_ZBUF_ADDR, true},
    {GYRE_DCR_OM_ZBUF_PITCH, true},
    {GYRE_DCR_OM_DEPTH_FUNC, true},
}};

void Registers::write(std::uint32_t number, std::uint32_t value) {
  if (number >= kSize) return;
  values_[number] = value;
  written_[number] = true;
}

DrawState Registers::draw_state(bool early_z) const {
  DrawState draw;
  draw.tile_buffer = std::uint64_t{values_[GYRE_DCR_RASTER_TBUF_ADDR]} << 6;
  draw.tile_count = values_[GYRE_DCR_RASTER_TILE_COUNT];
  draw.prim_buffer = std::uint64_t{values_[GYRE_DCR_RASTER_PBUF_ADDR]} << 6;
  draw.prim_stride = values_[GYRE_DCR_RASTER_PBUF_STRIDE];
  draw.window = Scissor::from_registers(values_[GYRE_DCR_RASTER_SCISSOR_X], values_[GYRE_DCR_RASTER_SCISSOR_Y]);
  draw.pc = values_[GYRE_DCR_STARTUP_ADDR0];
  draw.entry = values_[GYRE_DCR_RASTER_FRAG_ENTRY_LO];
  draw.param = values_[GYRE_DCR_RASTER_FRAG_PARAM_LO];
  draw.depth_buffer = std::uint64_t{values_[GYRE_DCR_OM_ZBUF_ADDR]} << 6;
  draw.depth_pitch = values_[GYRE_DCR_OM_ZBUF_PITCH];
  draw.depth_func = values_[GYRE_DCR_OM_DEPTH_FUNC];
  draw.early_z = early_z && (values_[GYRE_DCR_OM_EARLYZ_SAFE] & 1) != 0 && can_cull(draw.depth_func);
  return draw;
}

}  // namespace gyre::raster
