#include "at_target.h"

namespace gyre::kernel {

AtTarget::AtTarget(unsigned depth, Serve serve, AtResponses::Backward backward)
    : depth_(depth == 0 ? 1 : depth),
      serve_(std::move(serve)),
      service_(std::move(backward), [this](Payload& payload) { return accepts(payload); }, [this](Payload&) { left(); }) {}

bool AtTarget::accepts(Payload& payload) {
  if (inside_ >= depth_) {
    waiting_ = &payload;
    return false;
  }
  serve(payload);
  return true;
}

void AtTarget::serve(Payload& payload) {
  ++inside_;
  sc_core::sc_time delay;
  serve_(payload, delay);
  answers_.push(kernel_now() + delay.value(), &payload);
  alarm_.set(answers_.next());
}

void AtTarget::answers_due() {
  while (answers_.next() <= kernel_now()) service_.ready(*answers_.pop());
  if (!answers_.empty()) alarm_.set(answers_.next());
}

void AtTarget::left() {
  --inside_;
  if (waiting_ == nullptr) return;
  Payload& next = *waiting_;
  waiting_ = nullptr;
  serve(next);
  service_.accept(next);
}

}  // namespace gyre::kernel
