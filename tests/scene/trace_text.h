// Writes small traces for tests, with any field replaced.
#pragma once

#include <map>
#include <string>

namespace gyre::test {

struct TraceText {
  std::map<std::string, std::string> states;  // replaces the value of a state
  std::string texture_id = "7";
  std::string texture;  // the <second> of texture 7; empty: no texture
  std::string viewport_near = "0", viewport_far = "1";

  std::string str() const {
    const auto state = [&](const char* name, const char* value) {
      const auto found = states.find(name);
      return "<" + std::string(name) + ">" + (found == states.end() ? value : found->second) + "</" + name + ">\n";
    };
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\" ?>\n<!DOCTYPE boost_serialization>\n"
        "<boost_serialization signature=\"serialization::archive\" version=\"15\">\n"
        "<cgltrace class_id=\"0\" tracking_level=\"0\" version=\"1\">\n"
        "<drawcalls class_id=\"1\"><count>1</count><item_version>0</item_version><item><states>\n";
    out += state("color_enabled", "1") + state("color_format", "5") + state("color_writemask", "4294967295");
    out += state("depth_test", "0") + state("depth_writemask", "1") + state("depth_format", "14");
    out += state("depth_func", "1") + state("stencil_test", "0") + state("stencil_func", "7");
    out += state("stencil_zpass", "0") + state("stencil_zfail", "0") + state("stencil_fail", "0");
    out += state("stencil_ref", "0") + state("stencil_mask", "255") + state("stencil_writemask", "255");
    out += state("texture_enabled", "0");
    out += "<texture_envcolor><r>0</r><g>0</g><b>0</b><a>0</a></texture_envcolor>\n";
    out += state("texture_envmode", "3") + state("texture_minfilter", "1") + state("texture_magfilter", "2");
    out += state("texture_addressU", "0") + state("texture_addressV", "0");
    out += state("blend_enabled", "0") + state("blend_src", "4") + state("blend_dst", "5");
    out += "</states>\n<texture_id>" + texture_id + "</texture_id>\n";
    out += "<vertices><count>3</count><bucket_count>5</bucket_count><item_version>0</item_version>\n";
    const char* ids[] = {"9", "4", "1000000"};
    const char* xs[] = {"-5.0000000000e-01", "5.000000000e-01", "0"};
    for (int i = 0; i < 3; ++i)
      out += "<item><first>" + std::string(ids[i]) + "</first><second><pos><x>" + xs[i] +
             "</x><y>0.25</y><z>0.5</z><w>1</w></pos><color><r>1</r><g>0.5</g><b>0</b><a>1</a></color>"
             "<texcoord><u>2</u><v>3</v></texcoord></second></item>\n";
    out +=
        "</vertices>\n<primitives><count>1</count><item_version>0</item_version>"
        "<item><i0>4</i0><i1>9</i1><i2>1000000</i2></item></primitives>\n";
    out += "<viewport><left>0</left><right>800</right><top>0</top><bottom>600</bottom><near>" + viewport_near +
           "</near><far>" + viewport_far + "</far></viewport>\n</item></drawcalls>\n";
    out += "<textures><count>" + std::string(texture.empty() ? "0" : "1") +
           "</count><bucket_count>3</bucket_count><item_version>0</item_version>\n";
    if (!texture.empty()) out += "<item><first>7</first><second>" + texture + "</second></item>\n";
    return out + "</textures>\n</cgltrace>\n</boost_serialization>\n\n";
  }
};

}  // namespace gyre::test
