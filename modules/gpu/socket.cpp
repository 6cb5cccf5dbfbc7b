#include "socket.h"

#include <string>

namespace gyre::gpu {

Socket::Socket(sc_core::sc_module_name name, kernel::Context& ctx, om::OutputMerger& om, unsigned index,
               unsigned global_index)
    : sc_module(name),
      router("router", kmu::RouterLevel::kSocket, ctx.config.gpu),
      tex("tex", ctx, global_index),
      steer("steer", ctx, &om, index) {
  for (unsigned i = 0; i < ctx.config.gpu.cores; ++i) {
    cores.push_back(std::make_unique<core::SimtCore>(("core" + std::to_string(i)).c_str(), ctx,
                                                     global_index * ctx.config.gpu.cores + i));
    core::SimtCore& core = *cores.back();
    router.out.bind(core);
    core.tex.bind(tex);
    core.memory.socket.bind(steer.target);
  }
}

}  // namespace gyre::gpu
