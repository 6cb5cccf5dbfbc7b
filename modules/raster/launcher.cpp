#include "launcher.h"

namespace gyre::raster {

static_assert(kMaxWaveQuads == kernel::kMaxQuads);

void Launcher::start(const DrawState& draw, std::uint8_t ctx_id) {
  message_.kind = kernel::LaunchKind::kFragment;
  message_.eop = true;
  message_.pc = draw.pc;
  message_.entry = draw.entry;
  message_.param = draw.param;
  message_.ctx_id = ctx_id;
  message_.aligned_lmem = 0;
}

void Launcher::launch(const Wave& wave, Cycle at, kernel::LaunchSink& sink) {
  message_.dest = cluster_ * ctx_.config.gpu.cores_per_cluster() + wave.owner;
  message_.fragment.count = wave.count;
  for (unsigned i = 0; i < wave.count; ++i) {
    const Quad& quad = wave.quads[i];
    message_.fragment.quads[i] = {quad.x, quad.y, quad.mask, quad.pid};
  }

  clock_.advance_to(at + 1);  // wave built -> message offered
  const Cycle offered = clock_.now();
  ledger_.wait_for_input(offered - 1);
  ledger_.spend(kernel::Doing::kBusy, offered);
  bool refused = false;
  clock_.wait_until(sink.space_event(), [&] {
    if (refused) clock_.advance_to(sink.space_stamp());
    if (sink.try_put(message_, clock_.now())) return true;
    refused = true;
    return false;
  });
  counters_.stalls += clock_.now() - offered;
  ledger_.spend(kernel::Doing::kOutput, clock_.now());
  ++counters_.waves;
  counters_.lanes_filled += 4 * wave.count;
  ++ctx_.progress;
}

}  // namespace gyre::raster
