#include "semihost.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gyre::host {
namespace {

enum Operation : std::uint64_t {
  kOpen = 0x01, kClose = 0x02, kWriteC = 0x03, kWrite0 = 0x04, kWrite = 0x05, kRead = 0x06, kReadC = 0x07,
  kIsError = 0x08, kIsTty = 0x09, kSeek = 0x0A, kFlen = 0x0C, kTmpnam = 0x0D, kRemove = 0x0E, kRename = 0x0F,
  kClock = 0x10, kTime = 0x11, kSystem = 0x12, kErrno = 0x13, kGetCommandLine = 0x15, kHeapInfo = 0x16,
  kExit = 0x18, kExitExtended = 0x20, kElapsed = 0x30, kTickFrequency = 0x31,
};

constexpr std::uint64_t kError = ~std::uint64_t{0};
constexpr std::uint64_t kApplicationExit = 0x20026;
constexpr std::size_t kChunk = 64 * 1024;
constexpr std::size_t kNameLimit = 4096;
constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

class Console : public GuestFile {
 public:
  Console(std::deque<char>& in, const std::function<void(std::string_view)>& out) : in_(in), out_(out) {}
  std::int64_t read(void* data, std::size_t bytes) override {
    const std::size_t count = std::min(bytes, in_.size());
    std::copy_n(in_.begin(), count, static_cast<char*>(data));
    in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(count));
    return static_cast<std::int64_t>(count);
  }
  std::int64_t write(const void* data, std::size_t bytes) override {
    if (out_) out_(std::string_view(static_cast<const char*>(data), bytes));
    return static_cast<std::int64_t>(bytes);
  }
  int seek(std::uint64_t) override { return ESPIPE; }
  std::int64_t length() override { return 0; }
  bool is_terminal() const override { return true; }

 private:
  std::deque<char>& in_;
  const std::function<void(std::string_view)>& out_;
};

// ":semihosting-features": SYS_EXIT_EXTENDED is there, and stdout and stderr are distinct.
class Features : public GuestFile {
 public:
  std::int64_t read(void* data, std::size_t bytes) override {
    static const char content[] = {'S', 'H', 'F', 'B', 3};
    const std::size_t count = position_ >= sizeof content ? 0 : std::min(bytes, sizeof content - position_);
    std::memcpy(data, content + std::min(position_, sizeof content), count);
    position_ += count;
    return static_cast<std::int64_t>(count);
  }
  std::int64_t write(const void*, std::size_t) override { return -EBADF; }
  int seek(std::uint64_t position) override {
    position_ = static_cast<std::size_t>(std::min<std::uint64_t>(position, 5));
    return 0;
  }
  std::int64_t length() override { return 5; }

 private:
  std::size_t position_ = 0;
};

}  // namespace

std::uint64_t Semihost::fail(int error) {
  errno_ = error;
  return kError;
}

bool Semihost::arguments(std::uint64_t address, unsigned count, Arguments& out) {
  out.fill(0);
  return machine_.read_guest(address, out.data(), count * sizeof(std::uint64_t));
}

GuestFile* Semihost::file(std::uint64_t handle) {
  return handle >= 1 && handle <= kMaxFiles ? open_[handle - 1].get() : nullptr;
}

bool Semihost::guest_string(std::uint64_t address, std::uint64_t length, std::string& out) {
  if (length > kNameLimit) return false;
  out.resize(length);
  return length == 0 || machine_.read_guest(address, out.data(), length);
}

void Semihost::print(std::string_view text) {
  if (console_out) console_out(text);
}

std::uint64_t Semihost::call(std::uint64_t operation, std::uint64_t argument) {
  Arguments a;
  switch (operation) {
    case kOpen: return arguments(argument, 3, a) ? open(a) : fail(EFAULT);
    case kClose: return arguments(argument, 1, a) ? close(a) : fail(EFAULT);
    case kWrite: return arguments(argument, 3, a) ? transfer(a, true) : fail(EFAULT);
    case kRead: return arguments(argument, 3, a) ? transfer(a, false) : fail(EFAULT);
    case kWrite0: return write0(argument);
    case kWriteC: {
      char c;
      if (!machine_.read_guest(argument, &c, 1)) return fail(EFAULT);
      print(std::string_view(&c, 1));
      return 0;
    }
    case kReadC: {
      if (console_in.empty()) return kError;
      const auto c = static_cast<unsigned char>(console_in.front());
      console_in.pop_front();
      return c;
    }
    case kIsError: return arguments(argument, 1, a) && static_cast<std::int64_t>(a[0]) >= 0 ? 0 : 1;
    case kIsTty: {
      if (!arguments(argument, 1, a)) return fail(EFAULT);
      GuestFile* handle = file(a[0]);
      return handle == nullptr ? fail(EBADF) : handle->is_terminal() ? 1 : 0;
    }
    case kSeek: {
      if (!arguments(argument, 2, a)) return fail(EFAULT);
      GuestFile* handle = file(a[0]);
      if (handle == nullptr) return fail(EBADF);
      const int error = handle->seek(a[1]);
      return error == 0 ? 0 : fail(error);
    }
    case kFlen: {
      if (!arguments(argument, 1, a)) return fail(EFAULT);
      GuestFile* handle = file(a[0]);
      if (handle == nullptr) return fail(EBADF);
      const std::int64_t length = handle->length();
      return length >= 0 ? static_cast<std::uint64_t>(length) : fail(static_cast<int>(-length));
    }
    case kClock: return machine_.time_ps() / (kPicosecondsPerSecond / 100);
    case kTime: return epoch_seconds + machine_.time_ps() / kPicosecondsPerSecond;
    case kErrno: return static_cast<std::uint64_t>(errno_);
    case kGetCommandLine: return arguments(argument, 2, a) ? get_command_line(argument, a) : fail(EFAULT);
    case kHeapInfo: {
      // Zeros: "use what you were linked with".
      const Arguments unknown{};
      const bool ok = arguments(argument, 1, a) && machine_.write_guest(a[0], unknown.data(), sizeof unknown);
      return ok ? 0 : fail(EFAULT);
    }
    case kExit: case kExitExtended: return arguments(argument, 2, a) ? exit(a) : fail(EFAULT);
    case kElapsed: {
      const auto ticks = static_cast<std::uint64_t>(static_cast<unsigned __int128>(machine_.time_ps()) * tick_hz /
                                                    kPicosecondsPerSecond);
      return machine_.write_guest(argument, &ticks, sizeof ticks) ? 0 : fail(EFAULT);
    }
    case kTickFrequency: return tick_hz;
    case kRemove: case kRename: case kTmpnam: return fail(EACCES);
    default: return fail(ENOSYS);
  }
}

std::uint64_t Semihost::open(const Arguments& a) {
  std::string name;
  if (a[2] > kNameLimit) return fail(ENAMETOOLONG);
  if (a[1] > 11) return fail(EINVAL);
  if (!guest_string(a[0], a[2], name)) return fail(EFAULT);
  const auto slot = std::find(open_.begin(), open_.end(), nullptr);
  if (slot == open_.end()) return fail(EMFILE);
  int error = 0;
  if (name == ":tt") *slot = std::make_unique<Console>(console_in, console_out);
  else if (name == ":semihosting-features" && a[1] < 4) *slot = std::make_unique<Features>();
  else *slot = files.open(name, OpenMode::from_semihosting(static_cast<unsigned>(a[1])), error);
  return *slot ? static_cast<std::uint64_t>(slot - open_.begin()) + 1 : fail(error);
}

std::uint64_t Semihost::close(const Arguments& a) {
  if (file(a[0]) == nullptr) return fail(EBADF);
  open_[a[0] - 1].reset();
  return 0;
}

// Between guest memory and a file; returns the number of bytes that were not transferred.
std::uint64_t Semihost::transfer(const Arguments& a, bool to_file) {
  GuestFile* handle = file(a[0]);
  std::uint64_t left = a[2];
  if (handle == nullptr) errno_ = EBADF;
  std::vector<std::uint8_t> buffer(std::min<std::uint64_t>(left, kChunk));
  for (std::uint64_t at = a[1]; handle != nullptr && left > 0;) {
    // Also for a read: whether the guest has room is asked before bytes are taken out of the file.
    const std::uint64_t part = std::min<std::uint64_t>(left, kChunk);
    if (!machine_.read_guest(at, buffer.data(), part)) {
      errno_ = EFAULT;
      break;
    }
    const std::int64_t done = to_file ? handle->write(buffer.data(), part) : handle->read(buffer.data(), part);
    if (done < 0) errno_ = static_cast<int>(-done);
    if (done == 0 && to_file) errno_ = EIO;
    if (done <= 0) break;
    if (!to_file && !machine_.write_guest(at, buffer.data(), static_cast<std::uint64_t>(done))) {
      errno_ = EFAULT;
      break;
    }
    at += static_cast<std::uint64_t>(done);
    left -= static_cast<std::uint64_t>(done);
  }
  return left;
}

std::uint64_t Semihost::write0(std::uint64_t address) {
  std::string text;
  char c;
  while (machine_.read_guest(address++, &c, 1)) {
    if (c != 0) text.push_back(c);
    if (c == 0 || text.size() == kChunk) {
      print(text);
      text.clear();
    }
    if (c == 0) return 0;
  }
  print(text);
  return fail(EFAULT);
}

std::uint64_t Semihost::get_command_line(std::uint64_t block, const Arguments& a) {
  const std::uint64_t size = command_line.size();
  if (a[1] < size + 1) return fail(E2BIG);
  if (!machine_.write_guest(a[0], command_line.c_str(), size + 1) ||
      !machine_.write_guest(block + sizeof(std::uint64_t), &size, sizeof size))
    return fail(EFAULT);
  return 0;
}

std::uint64_t Semihost::exit(const Arguments& a) {
  if (a[0] == kApplicationExit) machine_.exit_guest(static_cast<int>(a[1] & 0xFF), "semihosting exit");
  else machine_.exit_guest(1, "semihosting stop, reason " + std::to_string(a[0]));
  return 0;
}

}  // namespace gyre::host
