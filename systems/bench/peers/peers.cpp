// Peers in C++ for the benchmark of visual synchronisation. Built with g++ -O3 -march=native -std=c++17 -pthread.
//
//   seed.chase     the algorithm of the Emergence devlog as published: one struct per object, every object visited, the visual pose chases the logical
//                  one, acos/sin slerp
//   cpp.blend      the same two-sample blend as Tandem's, over plain arrays, by hand with AVX-512 or AVX2 intrinsics (the best that the processor has)
//   floor          what the memory asks for: read 80 bytes, write 40, per entity
//   ....2threads   the same in two halves, the second by a thread that waits for it awake while such a figure is measured
//
// Each line on standard input, a size or nothing for all, is answered with one round of "name.size nanoseconds-per-entity" lines and "end".
#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Pose { // as Tandem's: position, rotation (w, x, y, z), scale
  float f[10];
};
static_assert(sizeof(Pose) == 40, "forty bytes");

double nanoseconds() {
  using namespace std::chrono;
  return duration<double, std::nano>(steady_clock::now().time_since_epoch()).count();
}

template <class T> T *column(size_t n, size_t skew) { // skewed, so that columns do not share cache sets
  size_t bytes = (n * sizeof(T) + skew + 8191) / 4096 * 4096;
  char *p = static_cast<char *>(std::aligned_alloc(4096, bytes));
  std::memset(p, 0, bytes);
  return reinterpret_cast<T *>(p + skew);
}

// Slerp without trigonometry; the constants are Tandem's.
struct Curve {
  float t, c1, c2, c3;
  explicit Curve(double t) : t(float(t)) {
    double s = t - 0.5, z = s * s, k = s * (z - 0.25);
    c1 = float(k * (0.68374997 + z * (-0.06132597 + z * 0.75047732)));
    c2 = float(k * (0.06664478 + z * (0.66724177 - z * 2.91494655)));
    c3 = float(k * (0.10921768 + z * (0.19937133 + z * 3.38322934)));
  }
};

void blendOne(const Pose &a, const Pose &b, Pose &o, const Curve &c) {
  float d = 0;
  for (int k = 3; k < 7; k++) d += a.f[k] * b.f[k];
  float x = 1 - std::fabs(d), wb = c.t + x * (c.c1 + x * (c.c2 + x * c.c3)), wa = 1 - wb;
  float r = 1 / std::sqrt(1 - 2 * wa * wb * x);
  wa *= r;
  wb = std::copysign(wb * r, d);
  for (int k = 0; k < 10; k++) o.f[k] = k >= 3 && k < 7 ? wa * a.f[k] + wb * b.f[k] : a.f[k] + (b.f[k] - a.f[k]) * c.t;
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)
const char *const vectors = "avx512";

// Sixteen poses a turn: four quaternions to a register, dot products by shuffles, ten flat registers of linear blends, the quaternions stored over them.
__m512 quats(const Pose *p, int k) { // of poses k, k+4, k+8, k+12
  __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(p[k].f + 3));
  v = _mm512_insertf32x4(v, _mm_loadu_ps(p[k + 4].f + 3), 1);
  v = _mm512_insertf32x4(v, _mm_loadu_ps(p[k + 8].f + 3), 2);
  return _mm512_insertf32x4(v, _mm_loadu_ps(p[k + 12].f + 3), 3);
}

void blend(const Pose *a, const Pose *b, Pose *o, size_t n, const Curve &c) {
  const __m512 t = _mm512_set1_ps(c.t), one = _mm512_set1_ps(1), sign = _mm512_set1_ps(-0.0f);
  const __m512 c1 = _mm512_set1_ps(c.c1), c2 = _mm512_set1_ps(c.c2), c3 = _mm512_set1_ps(c.c3);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m512 qa[4], qb[4], m[4];
    for (int k = 0; k < 4; k++) {
      qa[k] = quats(a + i, k);
      qb[k] = quats(b + i, k);
      m[k] = _mm512_mul_ps(qa[k], qb[k]);
    }
    __m512 u = _mm512_add_ps(_mm512_unpacklo_ps(m[0], m[1]), _mm512_unpackhi_ps(m[0], m[1]));
    __m512 v = _mm512_add_ps(_mm512_unpacklo_ps(m[2], m[3]), _mm512_unpackhi_ps(m[2], m[3]));
    __m512 d = _mm512_add_ps(_mm512_shuffle_ps(u, v, 0x44), _mm512_shuffle_ps(u, v, 0xEE));
    __m512 x = _mm512_sub_ps(one, _mm512_andnot_ps(sign, d));
    __m512 wb = _mm512_fmadd_ps(x, _mm512_fmadd_ps(x, _mm512_fmadd_ps(x, c3, c2), c1), t), wa = _mm512_sub_ps(one, wb);
    __m512 r = _mm512_div_ps(one, _mm512_sqrt_ps(_mm512_fnmadd_ps(_mm512_mul_ps(_mm512_add_ps(wa, wa), wb), x, one)));
    wa = _mm512_mul_ps(wa, r);
    wb = _mm512_xor_ps(_mm512_mul_ps(wb, r), _mm512_and_ps(d, sign));
    const float *fa = a[i].f, *fb = b[i].f;
    float *fo = o[i].f;
    for (int k = 0; k < 160; k += 16) {
      __m512 p = _mm512_loadu_ps(fa + k);
      _mm512_storeu_ps(fo + k, _mm512_fmadd_ps(_mm512_sub_ps(_mm512_loadu_ps(fb + k), p), t, p));
    }
    auto store = [&](int k, __m512 wak, __m512 wbk) {
      __m512 q = _mm512_fmadd_ps(qb[k], wbk, _mm512_mul_ps(qa[k], wak));
      _mm_storeu_ps(o[i + k].f + 3, _mm512_castps512_ps128(q));
      _mm_storeu_ps(o[i + k + 4].f + 3, _mm512_extractf32x4_ps(q, 1));
      _mm_storeu_ps(o[i + k + 8].f + 3, _mm512_extractf32x4_ps(q, 2));
      _mm_storeu_ps(o[i + k + 12].f + 3, _mm512_extractf32x4_ps(q, 3));
    };
    store(0, _mm512_permute_ps(wa, 0x00), _mm512_permute_ps(wb, 0x00));
    store(1, _mm512_permute_ps(wa, 0x55), _mm512_permute_ps(wb, 0x55));
    store(2, _mm512_permute_ps(wa, 0xAA), _mm512_permute_ps(wb, 0xAA));
    store(3, _mm512_permute_ps(wa, 0xFF), _mm512_permute_ps(wb, 0xFF));
  }
  for (; i < n; i++) blendOne(a[i], b[i], o[i], c);
}
#elif defined(__AVX2__) && defined(__FMA__)
const char *const vectors = "avx2";

__m256 quats(const Pose *p, int k) { // of poses k and k+4
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p[k].f + 3)), _mm_loadu_ps(p[k + 4].f + 3), 1);
}

void blend(const Pose *a, const Pose *b, Pose *o, size_t n, const Curve &c) {
  const __m256 t = _mm256_set1_ps(c.t), one = _mm256_set1_ps(1), sign = _mm256_set1_ps(-0.0f);
  const __m256 c1 = _mm256_set1_ps(c.c1), c2 = _mm256_set1_ps(c.c2), c3 = _mm256_set1_ps(c.c3);
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256 qa[4], qb[4], m[4];
    for (int k = 0; k < 4; k++) {
      qa[k] = quats(a + i, k);
      qb[k] = quats(b + i, k);
      m[k] = _mm256_mul_ps(qa[k], qb[k]);
    }
    __m256 u = _mm256_add_ps(_mm256_unpacklo_ps(m[0], m[1]), _mm256_unpackhi_ps(m[0], m[1]));
    __m256 v = _mm256_add_ps(_mm256_unpacklo_ps(m[2], m[3]), _mm256_unpackhi_ps(m[2], m[3]));
    __m256 d = _mm256_add_ps(_mm256_shuffle_ps(u, v, 0x44), _mm256_shuffle_ps(u, v, 0xEE));
    __m256 x = _mm256_sub_ps(one, _mm256_andnot_ps(sign, d));
    __m256 wb = _mm256_fmadd_ps(x, _mm256_fmadd_ps(x, _mm256_fmadd_ps(x, c3, c2), c1), t), wa = _mm256_sub_ps(one, wb);
    __m256 r = _mm256_div_ps(one, _mm256_sqrt_ps(_mm256_fnmadd_ps(_mm256_mul_ps(_mm256_add_ps(wa, wa), wb), x, one)));
    wa = _mm256_mul_ps(wa, r);
    wb = _mm256_xor_ps(_mm256_mul_ps(wb, r), _mm256_and_ps(d, sign));
    const float *fa = a[i].f, *fb = b[i].f;
    float *fo = o[i].f;
    for (int k = 0; k < 80; k += 8) {
      __m256 p = _mm256_loadu_ps(fa + k);
      _mm256_storeu_ps(fo + k, _mm256_fmadd_ps(_mm256_sub_ps(_mm256_loadu_ps(fb + k), p), t, p));
    }
    auto store = [&](int k, __m256 wak, __m256 wbk) {
      __m256 q = _mm256_fmadd_ps(qb[k], wbk, _mm256_mul_ps(qa[k], wak));
      _mm_storeu_ps(o[i + k].f + 3, _mm256_castps256_ps128(q));
      _mm_storeu_ps(o[i + k + 4].f + 3, _mm256_extractf128_ps(q, 1));
    };
    store(0, _mm256_permute_ps(wa, 0x00), _mm256_permute_ps(wb, 0x00));
    store(1, _mm256_permute_ps(wa, 0x55), _mm256_permute_ps(wb, 0x55));
    store(2, _mm256_permute_ps(wa, 0xAA), _mm256_permute_ps(wb, 0xAA));
    store(3, _mm256_permute_ps(wa, 0xFF), _mm256_permute_ps(wb, 0xFF));
  }
  for (; i < n; i++) blendOne(a[i], b[i], o[i], c);
}
#else
const char *const vectors = "scalar";

void blend(const Pose *a, const Pose *b, Pose *o, size_t n, const Curve &c) {
  for (size_t i = 0; i < n; i++) blendOne(a[i], b[i], o[i], c);
}
#endif

// The devlog's transform and its synchroniser.
struct Transform {
  Pose logical, visual;
  uint64_t revision, observed, observedAt, syncedAt;
  bool needed;
};

void slerp(float *o, const float *a, const float *b, float t) {
  float d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = 1;
  if (d < 0) d = -d, sign = -1;
  float wa = 1 - t, wb = t;
  if (d < 0.9995f) {
    float angle = std::acos(d), inverse = 1 / std::sin(angle);
    wa = std::sin((1 - t) * angle) * inverse;
    wb = std::sin(t * angle) * inverse;
  }
  for (int k = 0; k < 4; k++) o[k] = wa * a[k] + wb * sign * b[k];
}

__attribute__((noinline)) void chase(Transform *list, size_t n, uint64_t normal, uint64_t fixed) {
  for (size_t i = 0; i < n; i++) {
    Transform &x = list[i];
    if (!x.needed) continue;
    if (x.observed != x.revision) x.observed = x.revision, x.observedAt = fixed;
    if (x.syncedAt == 0) x.syncedAt = normal;
    uint64_t elapsed = normal - x.syncedAt, duration = x.observedAt - x.syncedAt;
    float t = std::clamp(float(elapsed) / float(duration), 0.0f, 1.0f);
    Pose v;
    for (int k : {0, 1, 2, 7, 8, 9}) v.f[k] = x.visual.f[k] + (x.logical.f[k] - x.visual.f[k]) * t;
    slerp(v.f + 3, x.visual.f + 3, x.logical.f + 3, t);
    x.visual = v;
    x.syncedAt = normal;
    x.needed = x.syncedAt < x.observedAt;
  }
}

__attribute__((noinline)) void touchMemory(const float *a, const float *b, float *o, size_t n) {
  for (size_t i = 0; i < n; i++) o[i] = a[i] + b[i];
}

// A second thread, which spins between the shares that it is given.
struct Second {
  std::atomic<const std::function<void()> *> share{nullptr};
  std::atomic<bool> quit{false};
  std::thread thread{[this] {
    while (!quit.load(std::memory_order_relaxed))
      if (auto *f = share.load(std::memory_order_acquire)) {
        (*f)();
        share.store(nullptr, std::memory_order_release);
      } else
        _mm_pause();
  }};
  ~Second() {
    quit = true;
    thread.join();
  }
};

struct Figure {
  std::string name;
  size_t n;
  std::function<void()> prepare, pass;
  std::function<void()> half; // of a second thread, at the same time as pass
};

double measure(const Figure &f) {
  double spent = 0;
  if (f.half) {
    Second second;
    auto both = [&] {
      second.share.store(&f.half, std::memory_order_release);
      f.pass();
      while (second.share.load(std::memory_order_acquire)) _mm_pause();
    };
    // A system that has put both threads on one processor notices within some milliseconds.
    for (double start = nanoseconds(); nanoseconds() - start < 25e6;) both();
    int count = 0;
    while (spent < 1e6 || count < 2) {
      double start = nanoseconds();
      both();
      spent += nanoseconds() - start;
      count++;
    }
    return spent / count / double(f.n);
  }
  int count = 0;
  while (spent < 1e6 || count < 2) {
    if (f.prepare) f.prepare();
    double start = nanoseconds();
    f.pass();
    spent += nanoseconds() - start;
    count++;
  }
  return spent / count / double(f.n);
}

} // namespace

int main(int argc, char **argv) {
  std::vector<size_t> sizes;
  std::stringstream list(argc > 1 ? argv[1] : "1000,10000,100000,1000000");
  for (std::string s; std::getline(list, s, ',');) sizes.push_back(std::stoul(s));
  std::vector<Figure> figures;
  for (size_t n : sizes) {
    std::mt19937 rng(1);
    std::normal_distribution<float> gauss;
    std::uniform_real_distribution<float> uniform(0, 1);
    Pose *a = column<Pose>(n, 0), *b = column<Pose>(n, 256), *o = column<Pose>(n, 1024);
    for (size_t i = 0; i < n; i++) {
      float q[4], axis[3], len = 0, al = 0;
      for (float &v : q) v = gauss(rng), len += v * v;
      for (float &v : axis) v = gauss(rng), al += v * v;
      for (float &v : q) v /= std::sqrt(len);
      for (float &v : axis) v /= std::sqrt(al);
      float half = uniform(rng) * float(M_PI) / 4, w = std::cos(half), s = std::sin(half);
      float x = axis[0] * s, y = axis[1] * s, z = axis[2] * s, sign = i % 32 == 31 ? -1 : 1;
      float turned[4] = {w * q[0] - x * q[1] - y * q[2] - z * q[3], w * q[1] + x * q[0] + y * q[3] - z * q[2],
                         w * q[2] + y * q[0] + z * q[1] - x * q[3], w * q[3] + z * q[0] + x * q[2] - y * q[1]};
      for (int k = 0; k < 3; k++) {
        a[i].f[k] = 100 * gauss(rng), b[i].f[k] = a[i].f[k] + gauss(rng);
        a[i].f[7 + k] = 1 + uniform(rng), b[i].f[7 + k] = a[i].f[7 + k] * 1.01f;
      }
      for (int k = 0; k < 4; k++) a[i].f[3 + k] = q[k], b[i].f[3 + k] = sign * turned[k];
    }
    std::string size = "." + std::to_string(n);
    for (int pct : {100, 10, 1}) {
      Transform *tf = column<Transform>(n, 0);
      for (size_t i = 0; i < n; i++) tf[i].logical = tf[i].visual = a[i];
      auto movers = std::make_shared<std::vector<uint32_t>>();
      for (size_t i = 0; i < n; i++)
        if (pct == 100 || int(rng() % 100) < pct) movers->push_back(uint32_t(i));
      struct Clock {
        uint64_t fixed = 1000000000, normal = 1000000000 - 2083333;
        int phase = 0;
        bool forth = false;
      };
      auto c = std::make_shared<Clock>();
      figures.push_back({"seed.chase." + std::to_string(pct) + "pct" + size, n,
                         [=] { // four frames to a step, whose writes are not timed
                           if (c->phase++ % 4 == 0) {
                             c->fixed += 16666668;
                             c->forth = !c->forth;
                             const Pose *to = c->forth ? b : a;
                             for (uint32_t i : *movers) {
                               Transform &x = tf[i];
                               x.logical = to[i];
                               x.revision++;
                               if (!x.needed) x.syncedAt = 0, x.needed = true;
                             }
                           }
                           c->normal += 4166667;
                         },
                         [=] { chase(tf, n, c->normal, c->fixed); },
                         nullptr});
    }
    figures.push_back({"cpp.blend." + std::string(vectors) + size, n, nullptr, [=] { blend(a, b, o, n, Curve(0.37)); }, nullptr});
    figures.push_back({"floor" + size, n, nullptr, [=] { touchMemory(a->f, b->f, o->f, n * 10); }, nullptr});
    size_t h = n / 2 / 16 * 16;
    figures.push_back({"cpp.blend." + std::string(vectors) + ".2threads" + size, n, nullptr, [=] { blend(a, b, o, h, Curve(0.37)); },
                       [=] { blend(a + h, b + h, o + h, n - h, Curve(0.37)); }});
    figures.push_back({"floor.2threads" + size, n, nullptr, [=] { touchMemory(a->f, b->f, o->f, h * 10); },
                       [=] { touchMemory(a[h].f, b[h].f, o[h].f, (n - h) * 10); }});
  }
  for (std::string line; std::getline(std::cin, line);) {
    for (const Figure &f : figures)
      if (line.empty() || std::stoul(line) == f.n) std::printf("%s %.4f\n", f.name.c_str(), measure(f));
    std::printf("end\n");
    std::fflush(stdout);
  }
}
