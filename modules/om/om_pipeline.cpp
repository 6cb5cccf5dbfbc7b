#include "om_pipeline.h"

#include <algorithm>

#include "output_merger.h"

namespace gyre::om {

using kernel::Cycle;

OmPipeline::OmPipeline(sc_core::sc_module_name module_name, kernel::AtClient& memory, kernel::Picoseconds period,
                       unsigned credits, kernel::BusyTree& busy)
    : sc_module(module_name),
      memory_(memory),
      period_(period),
      credits_(std::max(1u, credits)),
      busy_(busy),
      node_(busy.add_node(name())) {
  memory_.taken = [this] { step_at(now()); };
}

void OmPipeline::push(const FragmentWork& work) {
  busy_.take(node_);
  queue_.push_back(work);
  if (queue_.size() == 1) step_at(work.arrive);
}

// False: something has to come first that calls step() again. Otherwise `at` becomes the cycle of the issue.
bool OmPipeline::may_issue(const FragmentWork& work, Cycle& at) {
  at = std::max(work.arrive, issue_free_);
  const Bucket& bucket = buckets_[work.bucket];
  const bool held = !work.bypass && (bucket.busy || bucket.free > at);
  reason_ = held ? kernel::Doing::kOutput : kernel::Doing::kMemory;
  if (work.bypass) return memory_.waiting() < credits_;
  if (bucket.busy || memory_.waiting() >= 2 * credits_) return false;
  at = std::max(at, bucket.free);
  while (!leaving_.empty() && leaving_.front() <= at) leaving_.pop_front();
  if (reading_ + leaving_.size() < credits_) return true;
  if (leaving_.empty()) return false;
  at = std::max(at, leaving_.front());
  return true;
}

void OmPipeline::step() {
  const Cycle today = now();
  Cycle at = 0;
  bool moved = false;
  while (!queue_.empty() && may_issue(queue_.front(), at)) {
    if (at > today) {
      step_at(at);
      break;
    }
    const FragmentWork work = queue_.front();
    queue_.pop_front();
    moved = true;
    *stalls_ += at - work.arrive;
    ledger_.wait_for_input(work.arrive);
    ledger_.spend(reason_, at);
    ledger_.spend(kernel::Doing::kBusy, at + 1);
    issue_free_ = at + 1;
    issue(work, at);
  }
  if (moved && space) space();
}

void OmPipeline::issue(const FragmentWork& work, Cycle at) {
  const Cycle wanted = at + 1 + OutputMerger::kAddress;
  if (work.bypass) {
    memory_.write(work.write, 1, wanted, [this](Cycle accepted) { finish(accepted); });
    return;
  }
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<unsigned>(issued_.size()));
    issued_.emplace_back();
  }
  const unsigned slot = free_slots_.back();
  free_slots_.pop_back();
  issued_[slot] = work;
  issued_[slot].arrive = wanted;
  buckets_[work.bucket].busy = true;
  ++reading_;
  if (work.reads == 0) return read_done(slot, wanted - 1);
  memory_.read(work.read, work.reads, wanted, [this, slot](Cycle last) { read_done(slot, last); });
}

void OmPipeline::read_done(unsigned slot, Cycle last) {
  const FragmentWork work = issued_[slot];
  free_slots_.push_back(slot);
  const Cycle data = last + 1, computed = data + work.compute;
  *read_latency_ += (data - work.arrive) * work.reads;
  --reading_;
  leaving_.push_back(data - 1);  // the next one takes its place in the request buffer a cycle after it issues
  Bucket& bucket = buckets_[work.bucket];
  bucket.busy = false;
  if (work.writes == 0) {
    bucket.free = computed + 1;
    finish(computed);
  } else {
    bucket.free = computed + 2;
    memory_.write(work.write, work.writes, computed + 1 + OutputMerger::kAddress,
                  [this](Cycle accepted) { finish(accepted); });
  }
  step_at(now());
}

}  // namespace gyre::om
