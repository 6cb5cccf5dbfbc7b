#include "device_space.h"

#include "cp.h"
#include "device_map.h"
#include "log.h"
#include "page_table.h"

namespace gyre::cp {
namespace {

constexpr std::uint64_t kPage = memory::kPageBytes;
constexpr std::uint64_t kSpaceEnd = std::uint64_t{1} << 32;

}  // namespace

unsigned DeviceSpace::translate(std::uint64_t virtual_address, Place* place) {
  *place = {virtual_address, 0, 0, {}};
  std::uint64_t root = 0;
  if (!vm_ || !memory::satp_root(satp_, wide_, &root) || memory::untranslated(virtual_address)) return GYRE_CP_ERR_OK;
  const auto read = [&](std::uint64_t at, unsigned bytes, std::uint64_t* entry) {
    place->entry[place->levels++] = at;
    place->entry_bytes = bytes;
    return port_.read(at, entry, bytes);
  };
  if (memory::walk(wide_ ? memory::kSv39 : memory::kSv32, root, virtual_address, read, &place->address))
    return GYRE_CP_ERR_OK;
  return GYRE_CP_ERR_VM_FAULT;
}

Place DeviceSpace::place(std::uint64_t address, bool physical) {
  Place place{address, 0, 0, {}};
  if (!physical) translate(address, &place);
  return place;
}

template <class Access>
unsigned DeviceSpace::each_page(std::uint64_t address, std::uint64_t bytes, bool physical, Access access) {
  if (address >= kSpaceEnd || bytes > kSpaceEnd - address) return GYRE_CP_ERR_ADDR_FAULT;
  std::uint64_t done = 0;
  while (done < bytes) {
    const std::uint64_t at = address + done;
    const unsigned part = static_cast<unsigned>(std::min(bytes - done, kPage - at % kPage));
    Place place{at, 0, 0, {}};
    if (const unsigned code = physical ? unsigned{GYRE_CP_ERR_OK} : translate(at, &place)) {
      if (!compat_) return code;
      kernel::log_warn(port_.name(), "no translation for {:#x}: the address is used unchanged", at);
    }
    if (!access(place.address, done, part)) return GYRE_CP_ERR_ADDR_FAULT;
    done += part;
  }
  return GYRE_CP_ERR_OK;
}

unsigned DeviceSpace::read(std::uint64_t address, void* data, std::uint64_t bytes, bool physical) {
  return each_page(address, bytes, physical, [&](std::uint64_t target, std::uint64_t done, unsigned part) {
    if (watch_ != nullptr && !old_read_)
      old_read_ = watch_->read_below(static_cast<std::uint32_t>(target), part, old_at_);
    return port_.read(target, static_cast<std::uint8_t*>(data) + done, part);
  });
}

unsigned DeviceSpace::write(std::uint64_t address, const void* data, std::uint64_t bytes, bool physical) {
  return each_page(address, bytes, physical, [&](std::uint64_t target, std::uint64_t done, unsigned part) {
    if (!port_.write(target, static_cast<const std::uint8_t*>(data) + done, part)) return false;
    if (watch_ != nullptr) watch_->written(static_cast<std::uint32_t>(target), part);
    return true;
  });
}

}  // namespace gyre::cp
