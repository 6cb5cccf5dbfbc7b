#include "draw_state.h"

#include "dcr.h"

namespace gyre::reference {

std::uint32_t aperture_bits(std::uint32_t size) {
  std::uint32_t bits = 0;
  while ((1u << bits) < size) ++bits;
  return bits;
}

namespace {

void program_om(om::OmState& om, const gyre_pkg_draw& d, std::uint32_t width, std::uint32_t height) {
  om.write(GYRE_DCR_OM_RT_SELECT, 0);
  om.write(GYRE_DCR_OM_CBUF_PITCH, 4 * width);
  om.write(GYRE_DCR_OM_CBUF_WRITEMASK, d.color_writemask);
  om.write(GYRE_DCR_OM_ZBUF_PITCH, 4 * width);
  om.write(GYRE_DCR_OM_DEPTH_FUNC, d.depth_func);
  om.write(GYRE_DCR_OM_DEPTH_WRITEMASK, d.depth_writemask);
  om.write(GYRE_DCR_OM_STENCIL_FUNC, d.stencil_func);
  om.write(GYRE_DCR_OM_STENCIL_ZPASS, d.stencil_zpass);
  om.write(GYRE_DCR_OM_STENCIL_ZFAIL, d.stencil_zfail);
  om.write(GYRE_DCR_OM_STENCIL_FAIL, d.stencil_fail);
  om.write(GYRE_DCR_OM_STENCIL_REF, d.stencil_ref);
  om.write(GYRE_DCR_OM_STENCIL_MASK, d.stencil_mask);
  om.write(GYRE_DCR_OM_STENCIL_WRITEMASK, d.stencil_writemask);
  om.write(GYRE_DCR_OM_BLEND_MODE, d.blend_mode);
  om.write(GYRE_DCR_OM_BLEND_FUNC, d.blend_func);
  om.write(GYRE_DCR_OM_BLEND_CONST, d.blend_const);
  om.write(GYRE_DCR_OM_LOGIC_OP, d.logic_op);
  om.write(GYRE_DCR_OM_EARLYZ_SAFE, d.earlyz_safe);
  om.write(GYRE_DCR_OM_APERTURE_XBITS, aperture_bits(width));
  om.write(GYRE_DCR_OM_APERTURE_YBITS, aperture_bits(height));
  om.write(GYRE_DCR_OM_APERTURE_RECORD_SHIFT, 3);
  om.write(GYRE_DCR_OM_APERTURE_DEPTH_ONLY, 0);
}

void program_tex(tex::TexState& tex, const gyre_pkg_draw& d, const gyre_pkg_texture& t) {
  for (std::uint32_t stage = 0; stage < GYRE_TEX_STAGES; ++stage) {
    tex.write(GYRE_DCR_TEX_STAGE, stage);
    tex.write(GYRE_DCR_TEX_ADDR, 0);
    tex.write(GYRE_DCR_TEX_LOGDIM, t.logdim);
    tex.write(GYRE_DCR_TEX_FORMAT, t.format);
    tex.write(GYRE_DCR_TEX_FILTER, stage == 0 ? d.tex_filter : d.tex_filter_min);
    tex.write(GYRE_DCR_TEX_WRAP, d.tex_wrap);
    for (std::uint32_t l = 0; l < GYRE_TEX_LEVELS; ++l) tex.write(GYRE_DCR_TEX_MIPOFF0 + l, t.mip_offset[l]);
    tex.write(GYRE_DCR_TEX_BORDER, d.tex_border);
  }
}

}  // namespace

DrawState make_draw_state(const scene::PackageView& package, std::size_t draw) {
  const gyre_pkg_draw& d = package.draws()[draw];
  DrawState s;
  program_om(s.om, d, package.width(), package.height());
  if (d.texture != GYRE_PKG_NONE) {
    const gyre_pkg_texture& t = package.textures()[d.texture];
    program_tex(s.tex, d, t);
    s.texels = package.texture_data(d.texture);
    s.texel_bytes = t.data_bytes;
    for (std::uint32_t stage = 0; stage < GYRE_TEX_STAGES; ++stage) {
      s.desc[stage].logdim = t.logdim;
      s.desc[stage].filter = stage == 0 ? d.tex_filter : d.tex_filter_min;
      s.desc[stage].levels = d.tex_levels;
    }
  }
  for (int i = 0; i < 4; ++i) s.uniform[i] = d.flat_color[i];
  s.uniform[4] = d.lod_value;
  FrontEndState& f = s.front_end;
  f.width = package.width();
  f.height = package.height();
  f.cull_mode = d.cull_mode;
  f.vp_sx = d.vp_sx;
  f.vp_tx = d.vp_tx;
  f.vp_sy = d.vp_sy;
  f.vp_ty = d.vp_ty;
  f.vp_minz = d.vp_minz;
  f.vp_maxz = d.vp_maxz;
  f.vp_halfz = d.vp_halfz;
  return s;
}

}  // namespace gyre::reference
