// The files firmware can see: named directories of the person who runs it, and files that live in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gyre::host {

// An open file. Errors are errno values, 0 = none.
class GuestFile {
 public:
  virtual ~GuestFile() = default;
  virtual std::int64_t read(void* data, std::size_t bytes) = 0;         // bytes read, or -errno
  virtual std::int64_t write(const void* data, std::size_t bytes) = 0;  // bytes written, or -errno
  virtual int seek(std::uint64_t position) = 0;
  virtual std::int64_t length() = 0;
  virtual bool is_terminal() const { return false; }
};

// How a file is opened: C's fopen modes.
struct OpenMode {
  bool read = false, write = false, truncate = false, append = false, create = false;
  static OpenMode from_semihosting(unsigned mode);  // 0..11: r rb r+ r+b w wb w+ w+b a ab a+ a+b
};

// Names are looked up among the memory files first (exact match), then below the directories, in the order they
// were added; a new file goes to the first writable one. An absolute name must begin with a directory's own path.
// Names that leave their directory, name a symbolic link or anything that is not a plain file, or write where that
// is not allowed: EACCES. Links are never followed, so a directory's content cannot lead out of it.
class FileSpace {
 public:
  FileSpace() = default;
  ~FileSpace();
  FileSpace(const FileSpace&) = delete;
  FileSpace& operator=(const FileSpace&) = delete;

  // `text` is DIR or DIR:ro. Throws UserError if it is not a directory that can be opened.
  void add_directory(const std::string& text);
  void add_input(const std::string& name, std::vector<std::uint8_t> bytes);  // read-only
  void add_output(const std::string& name);                                  // empty, writable
  // What firmware left in an output; empty if it wrote nothing. The name must have been added.
  const std::vector<std::uint8_t>& output(const std::string& name) const;

  std::unique_ptr<GuestFile> open(const std::string& name, OpenMode mode, int& error);

  // Called with name and reason when an open is refused with EACCES, so that the run can say so.
  std::function<void(const std::string& name, const char* why)> on_refused;

  // Called with the path of every file below a directory that has been opened to be read.
  std::function<void(const std::string& path)> on_read;

  struct MemoryFile {
    std::vector<std::uint8_t> bytes;
    bool writable = false;
  };

 private:
  struct Directory {
    std::string path;  // absolute, canonical
    int fd;
    bool writable;
  };

  int open_in(const Directory& directory, const std::vector<std::string>& parts, OpenMode mode, bool create,
              int& error);
  std::unique_ptr<GuestFile> open_below(const std::string& name, OpenMode mode, int& error);
  int refuse(const std::string& name, const char* why) const;

  std::vector<Directory> directories_;
  std::map<std::string, MemoryFile> memory_;
};

}  // namespace gyre::host
