// Questions about the target: features, threads, documents, monitor commands.
#include <algorithm>

#include "session.h"

namespace gyre::debug {

void Session::query(std::string_view packet) {
  if (take(packet, "qSupported")) {
    reports_points_ = packet.find("swbreak+") != std::string_view::npos;
    return reply("PacketSize=" + hex_text(kMaxPacket) +
                 ";qXfer:features:read+;qXfer:threads:read+;vContSupported+;QStartNoAckMode+;swbreak+;hwbreak+");
  }
  if (packet == "QStartNoAckMode") {
    reply("OK");
    acknowledge_ = false;
    return;
  }
  if (packet == "qC") return reply("QC" + hex_text(general()));
  if (take(packet, "qAttached")) return reply("1");
  if (take(packet, "qSymbol:")) return reply("OK");
  if (packet == "qfThreadInfo") {
    target_.presented();
    std::string ids;
    for (const ThreadInfo& thread : target_.threads()) ids += (ids.empty() ? "m" : ",") + hex_text(thread.id);
    return reply(ids);
  }
  if (packet == "qsThreadInfo") return reply("l");
  if (take(packet, "qThreadExtraInfo,")) {
    ThreadId id = 0;
    bool any = false;
    if (take_thread(packet, id, any) && !any)
      for (const ThreadInfo& thread : target_.threads())
        if (thread.id == id) return reply(to_hex(thread.name + " (" + thread.state + ")"));
    return error(3);
  }
  if (take(packet, "qXfer:")) return transfer(packet);
  if (take(packet, "qRcmd,")) return monitor(packet);
  reply("");
}

// qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH
void Session::transfer(std::string_view packet) {
  const std::string object(take_until(packet, ':'));
  const std::string_view verb = take_until(packet, ':'), annex = take_until(packet, ':');
  std::uint64_t offset = 0, length = 0;
  if (verb != "read") return reply("");
  if (!take_hex(packet, offset) || !take(packet, ",") || !take_hex(packet, length)) return error(1);
  if (object == "features") {
    if (annex != "target.xml") return reply("E00");
  } else if (object != "threads") {
    return reply("");
  }
  if (offset == 0 || object != document_name_) {
    document_name_ = object;
    document_ = object == "features" ? target_description(target_) : thread_list(target_.threads());
    if (object == "threads") target_.presented();
  }
  if (offset >= document_.size()) return reply("l");
  // Escapes may double the size.
  const std::size_t most = std::min<std::uint64_t>(length, kMaxPacket / 2 - 8);
  const std::string piece = document_.substr(offset, most);
  reply((offset + piece.size() < document_.size() ? "m" : "l") + piece);
}

void Session::monitor(std::string_view hex) {
  std::string command;
  if (!from_hex(hex, command)) return error(1);
  say(target_.monitor(command, general()));
  reply("OK");
}

}  // namespace gyre::debug
