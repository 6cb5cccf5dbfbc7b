#include "file_space.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "error.h"

namespace gyre::host {
namespace {

constexpr std::size_t kMemoryFileLimit = std::size_t{1} << 30;

class HostFile : public GuestFile {
 public:
  explicit HostFile(int fd) : fd_(fd) {}
  ~HostFile() override { close(fd_); }
  std::int64_t read(void* data, std::size_t bytes) override { return result(::read(fd_, data, bytes)); }
  std::int64_t write(const void* data, std::size_t bytes) override { return result(::write(fd_, data, bytes)); }
  int seek(std::uint64_t position) override {
    if (position > static_cast<std::uint64_t>(INT64_MAX)) return EINVAL;
    return lseek(fd_, static_cast<off_t>(position), SEEK_SET) < 0 ? errno : 0;
  }
  std::int64_t length() override {
    struct stat status;
    return fstat(fd_, &status) < 0 ? -errno : status.st_size;
  }

 private:
  static std::int64_t result(ssize_t done) { return done < 0 ? -errno : done; }
  int fd_;
};

class MemoryHandle : public GuestFile {
 public:
  MemoryHandle(FileSpace::MemoryFile& file, OpenMode mode) : file_(file), mode_(mode) {}
  std::int64_t read(void* data, std::size_t bytes) override {
    if (!mode_.read) return -EBADF;
    if (position_ >= file_.bytes.size()) return 0;
    const std::size_t count = std::min(bytes, file_.bytes.size() - position_);
    std::memcpy(data, file_.bytes.data() + position_, count);
    position_ += count;
    return static_cast<std::int64_t>(count);
  }
  std::int64_t write(const void* data, std::size_t bytes) override {
    if (!mode_.write) return -EBADF;
    if (mode_.append) position_ = file_.bytes.size();
    if (bytes > kMemoryFileLimit || position_ > kMemoryFileLimit - bytes) return -ENOSPC;
    if (position_ + bytes > file_.bytes.size()) file_.bytes.resize(position_ + bytes);
    std::memcpy(file_.bytes.data() + position_, data, bytes);
    position_ += bytes;
    return static_cast<std::int64_t>(bytes);
  }
  int seek(std::uint64_t position) override {
    if (position > kMemoryFileLimit) return EINVAL;
    position_ = position;
    return 0;
  }
  std::int64_t length() override { return static_cast<std::int64_t>(file_.bytes.size()); }

 private:
  FileSpace::MemoryFile& file_;
  OpenMode mode_;
  std::size_t position_ = 0;
};

std::string joined(std::string path, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) path += "/" + part;
  return path;
}

// The parts of a relative name; false if it climbs above where it starts.
bool split(const std::string& name, std::vector<std::string>& parts) {
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (parts.empty()) return false;
      parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  return true;
}

}  // namespace

OpenMode OpenMode::from_semihosting(unsigned mode) {
  const unsigned kind = mode / 4;
  const bool plus = (mode & 2) != 0;
  OpenMode result;
  result.read = kind == 0 || plus;
  result.write = kind != 0 || plus;
  result.truncate = kind == 1;
  result.append = kind == 2;
  result.create = kind != 0;
  return result;
}

FileSpace::~FileSpace() {
  for (const Directory& directory : directories_) close(directory.fd);
}

void FileSpace::add_directory(const std::string& text) {
  std::string path = text;
  bool writable = true;
  if (path.size() > 3 && path.compare(path.size() - 3, 3, ":ro") == 0) {
    path.resize(path.size() - 3);
    writable = false;
  }
  char canonical[PATH_MAX];
  const int fd = realpath(path.c_str(), canonical) == nullptr
                     ? -1
                     : ::open(canonical, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) user_error("--fs {}: {}: name an existing directory, as DIR or DIR:ro", text, std::strerror(errno));
  directories_.push_back({canonical, fd, writable});
}

void FileSpace::add_input(const std::string& name, std::vector<std::uint8_t> bytes) {
  memory_[name] = {std::move(bytes), false};
}

void FileSpace::add_output(const std::string& name) { memory_[name] = {{}, true}; }

const std::vector<std::uint8_t>& FileSpace::output(const std::string& name) const { return memory_.at(name).bytes; }

int FileSpace::refuse(const std::string& name, const char* why) const {
  if (on_refused) on_refused(name, why);
  return EACCES;
}

std::unique_ptr<GuestFile> FileSpace::open(const std::string& name, OpenMode mode, int& error) {
  error = 0;
  if (name.empty() || name.find('\0') != std::string::npos) {
    error = EINVAL;
    return nullptr;
  }
  if (const auto file = memory_.find(name); file != memory_.end()) {
    if (mode.write && !file->second.writable) {
      error = refuse(name, "is an input");
      return nullptr;
    }
    if (mode.truncate) file->second.bytes.clear();
    return std::make_unique<MemoryHandle>(file->second, mode);
  }
  return open_below(name, mode, error);
}

std::unique_ptr<GuestFile> FileSpace::open_below(const std::string& name, OpenMode mode, int& error) {
  error = ENOENT;
  bool candidate = false;
  for (const bool creating : {false, true}) {
    if (creating && !mode.create) break;
    for (const Directory& directory : directories_) {
      std::string relative = name;
      if (name[0] == '/') {
        if (name.compare(0, directory.path.size(), directory.path) != 0 || name[directory.path.size()] != '/') continue;
        relative = name.substr(directory.path.size() + 1);
      }
      std::vector<std::string> parts;
      if (!split(relative, parts) || parts.empty()) continue;
      candidate = true;
      if (creating && !directory.writable) continue;
      int why = 0;
      const int fd = open_in(directory, parts, mode, creating, why);
      if (fd >= 0) {
        if (on_read && mode.read) on_read(joined(directory.path, parts));
        return std::make_unique<HostFile>(fd);
      }
      if (why == ENOENT) continue;
      error = why == EACCES ? refuse(name, "is a link, not a plain file, or read-only") : why;
      return nullptr;
    }
  }
  if (!candidate) error = refuse(name, "is outside the directories given with --fs");
  else if (mode.create && std::none_of(directories_.begin(), directories_.end(), [](auto& d) { return d.writable; }))
    error = refuse(name, "would have to be created, and every --fs directory is read-only");
  return nullptr;
}

// Walks down part by part, following no link. ENOENT: go on with the next directory.
int FileSpace::open_in(const Directory& directory, const std::vector<std::string>& parts, OpenMode mode, bool create,
                       int& error) {
  int at = dup(directory.fd);
  for (std::size_t i = 0; at >= 0 && i + 1 < parts.size(); ++i) {
    const int next = openat(at, parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    error = errno;
    struct stat status;
    if (next < 0 && fstatat(at, parts[i].c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode))
      error = EACCES;
    close(at);
    at = next;
  }
  if (at < 0) return -1;
  const char* leaf = parts.back().c_str();
  struct stat status;
  int fd = -1;
  if (fstatat(at, leaf, &status, AT_SYMLINK_NOFOLLOW) == 0 ? !S_ISREG(status.st_mode) : false) {
    error = EACCES;
  } else if (mode.write && !directory.writable) {
    error = fstatat(at, leaf, &status, AT_SYMLINK_NOFOLLOW) == 0 ? EACCES : errno;
  } else {
    int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    flags |= mode.read && mode.write ? O_RDWR : mode.write ? O_WRONLY : O_RDONLY;
    if (mode.append) flags |= O_APPEND;
    if (create) flags |= O_CREAT;
    fd = openat(at, leaf, flags, 0666);
    error = errno == ELOOP ? EACCES : errno;
    // What was opened decides, not what was there a moment ago; only then may it be emptied.
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
                    (mode.truncate && ftruncate(fd, 0) != 0))) {
      close(fd);
      fd = -1;
      error = EACCES;
    }
  }
  close(at);
  return fd;
}

}  // namespace gyre::host
