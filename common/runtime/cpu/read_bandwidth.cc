#include "common/runtime/cpu/read_bandwidth.h"

#include <algorithm>
#include <cstring>

#include "common/runtime/cpu/huge_buffer.h"
#include "common/runtime/cpu/steady_clock.h"

namespace alt::runtime {
namespace {

constexpr int64_t kBlockBytes = 1024;

#if defined(__x86_64__)

// Bare loads, into registers in turn: nothing waits for anything.
#define ALT_READ(load, v, offset, n) load " " #offset "(%[p]), %%" v #n "\n\t"
#define ALT_READ_256(load, v, base, step) \
  ALT_READ(load, v, base, 0)              \
  ALT_READ(load, v, base + step, 1)       \
  ALT_READ(load, v, base + 2 * step, 2) ALT_READ(load, v, base + 3 * step, 3)
#define ALT_CLOBBERS "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3"

void ReadAvx512(const char* p, int64_t blocks) {
  asm volatile(
      "1:\n\t" ALT_READ_256("vmovaps", "zmm", 0, 64) ALT_READ_256("vmovaps", "zmm", 256, 64)
          ALT_READ_256("vmovaps", "zmm", 512, 64) ALT_READ_256("vmovaps", "zmm", 768, 64)
      "add $1024, %[p]\n\t"
      "dec %[blocks]\n\t"
      "jnz 1b\n\t"
      "vzeroupper\n\t"
      : [p] "+r"(p), [blocks] "+r"(blocks)
      :
      : ALT_CLOBBERS);
}

void ReadAvx2(const char* p, int64_t blocks) {
  blocks *= 2;  // of 512 bytes
  asm volatile(
      "1:\n\t" ALT_READ_256("vmovaps", "ymm", 0, 32) ALT_READ_256("vmovaps", "ymm", 128, 32)
          ALT_READ_256("vmovaps", "ymm", 256, 32) ALT_READ_256("vmovaps", "ymm", 384, 32)
      "add $512, %[p]\n\t"
      "dec %[blocks]\n\t"
      "jnz 1b\n\t"
      "vzeroupper\n\t"
      : [p] "+r"(p), [blocks] "+r"(blocks)
      :
      : ALT_CLOBBERS);
}

void ReadSse(const char* p, int64_t blocks) {
  blocks *= 4;  // of 256 bytes
  asm volatile(
      "1:\n\t" ALT_READ_256("movaps", "xmm", 0, 16) ALT_READ_256("movaps", "xmm", 64, 16)
          ALT_READ_256("movaps", "xmm", 128, 16) ALT_READ_256("movaps", "xmm", 192, 16)
      "add $256, %[p]\n\t"
      "dec %[blocks]\n\t"
      "jnz 1b\n\t"
      : [p] "+r"(p), [blocks] "+r"(blocks)
      :
      : ALT_CLOBBERS);
}

#endif  // __x86_64__

void ReadPortable(const char* p, int64_t blocks) {
  double sum[4] = {};
  for (const char* end = p + blocks * kBlockBytes; p < end; p += 32) {
    const auto* d = reinterpret_cast<const double*>(p);
    for (int i = 0; i < 4; ++i) sum[i] += d[i];
  }
  asm volatile("" : : "m"(sum));
}

struct Way {
  int streams;
  int64_t ahead;
};
// Which is the best differs between machines, and between caches and memory.
constexpr Way kWays[] = {{1, 0}, {4, 0}, {4, 4 << 10}, {8, 2 << 10}, {1, 4 << 10}};
constexpr int kNumWays = sizeof(kWays) / sizeof(kWays[0]);

// One thread's buffer and what came of it.
struct alignas(64) Reader {
  VectorKind kind;
  Way way = kWays[0];
  HugeBuffer buffer;
  double run_ns = 0;
  double gbs = 0;
};

void RunReader(Reader& reader) {
  const auto bytes = static_cast<int64_t>(reader.buffer.bytes());
  if (reader.run_ns == 0) {
    // First touch by the thread that reads: its memory node.
    memset(reader.buffer.data(), 0, reader.buffer.bytes());
    return;
  }
  const double start = NowNs();
  int64_t times = 0;
  // Small buffers several times between looks at the clock.
  const int64_t burst = std::max<int64_t>(1, (1 << 19) / bytes);
  double elapsed = 0;
  do {
    for (int64_t i = 0; i < burst; ++i) {
      ReadInStreams(reader.kind, reader.buffer.data(), bytes, reader.way.streams, reader.way.ahead);
    }
    times += burst;
    elapsed = NowNs() - start;
  } while (elapsed < reader.run_ns);
  reader.gbs = static_cast<double>(times) * static_cast<double>(bytes) / elapsed;
}

double RunAll(PinnedPool& pool, std::vector<Reader>& readers) {
  const auto body = [](void* context, int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) RunReader(static_cast<Reader*>(context)[i]);
  };
  pool.get()->parallel_for(pool.get(), body, readers.data(), pool.threads());
  double sum = 0;
  for (const Reader& reader : readers) sum += reader.gbs;
  return sum;
}

}  // namespace

void ReadAllOnce(VectorKind kind, const void* data, int64_t bytes) {
  const auto* p = static_cast<const char*>(data);
  const int64_t blocks = bytes / kBlockBytes;
  if (blocks == 0) return;
  switch (kind) {
#if defined(__x86_64__)
    case VectorKind::kAvx512:
      return ReadAvx512(p, blocks);
    case VectorKind::kAvx2:
      return ReadAvx2(p, blocks);
    case VectorKind::kSse:
      return ReadSse(p, blocks);
#endif
    default:
      return ReadPortable(p, blocks);
  }
}

void ReadInStreams(VectorKind kind, const void* data, int64_t bytes, int streams, int64_t ahead) {
  const int64_t part = bytes / kBlockBytes / streams * kBlockBytes;
  if (streams == 1 && ahead == 0) return ReadAllOnce(kind, data, bytes);
  for (int64_t at = 0; at < part; at += kBlockBytes) {
    for (int s = 0; s < streams; ++s) {
      const char* const block = static_cast<const char*>(data) + s * part + at;
      for (int64_t line = 0; ahead > 0 && line < kBlockBytes; line += 64) {
        __builtin_prefetch(block + ahead + line);
      }
      ReadAllOnce(kind, block, kBlockBytes);
    }
  }
  const int64_t rest = bytes - part * streams;
  ReadAllOnce(kind, static_cast<const char*>(data) + part * streams, rest);
}

double MeasureReadGbs(PinnedPool& pool, VectorKind kind, int64_t bytes_each, double run_ns,
                      int runs) {
  const int64_t bytes = std::max(kBlockBytes, bytes_each / kBlockBytes * kBlockBytes);
  std::vector<Reader> readers(static_cast<size_t>(pool.threads()));
  for (Reader& reader : readers) {
    reader.kind = kind;
    reader.buffer = HugeBuffer(static_cast<size_t>(bytes));
    if (reader.buffer.data() == nullptr) return 0;
  }
  RunAll(pool, readers);  // touches
  for (Reader& reader : readers) reader.run_ns = run_ns;
  double best = 0;
  for (int i = 0; i < runs; ++i) {
    for (Reader& reader : readers) reader.way = kWays[i % kNumWays];
    best = std::max(best, RunAll(pool, readers));
  }
  return best;
}

}  // namespace alt::runtime
