// Makes the scene, its hierarchy in the authors' layout (compact_bvh_node: rt/cuda/base.h) and the rays of a camera.
// g++ -O2 scene.cpp -o /tmp/scene && /tmp/scene
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>
#include <random>
#include <cstring>
struct V { float x, y, z, w; };
struct T { unsigned a, b, c, m; };
static std::vector<V> v; static std::vector<T> t;
static V sub(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z, 0}; }
static V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0}; }
static V unit(V a) { float l = std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z); return {a.x / l, a.y / l, a.z / l, 0}; }
static float hill(float x, float z) { return 0.4f * std::sin(0.7f * x) * std::cos(0.9f * z) + 0.1f * std::sin(3 * x + 2 * z); }
static void ball(float x, float y, float z, float r, int n)
{
    unsigned first = v.size();
    for (int i = 0; i <= n; i++) for (int j = 0; j < 2 * n; j++) {
        float a = M_PI * i / n, b = M_PI * j / n;
        v.push_back({x + r * std::sin(a) * std::cos(b), y + r * std::cos(a), z + r * std::sin(a) * std::sin(b), 1});
    }
    for (int i = 0; i < n; i++) for (int j = 0; j < 2 * n; j++) {
        unsigned p = first + i * 2 * n + j, q = first + i * 2 * n + (j + 1) % (2 * n), s = p + 2 * n, u = q + 2 * n;
        if (i) t.push_back({p, q, s, 0});
        if (i < n - 1) t.push_back({q, u, s, 0});
    }
}
struct B { float lo[3] = {1e30f, 1e30f, 1e30f}, hi[3] = {-1e30f, -1e30f, -1e30f};
    void add(const B &o) { for (int k = 0; k < 3; k++) lo[k] = std::min(lo[k], o.lo[k]), hi[k] = std::max(hi[k], o.hi[k]); }
    float area() const { float a = hi[0] - lo[0], b = hi[1] - lo[1], c = hi[2] - lo[2]; return a < 0 ? 0 : a * b + b * c + c * a; } };
struct N { float d[12]; int child[4]; };
static std::vector<N> nodes; static std::vector<unsigned> ix; static std::vector<B> box; static int deepest;
static B around(int l, int r) { B b; for (int i = l; i < r; i++) b.add(box[ix[i]]); return b; }
// returns the number of the node; leaf: negative
static int build(int l, int r, int depth)
{
    int me = nodes.size();
    deepest = std::max(deepest, depth);
    nodes.push_back({});
    if (r - l <= 4) { nodes[me].child[0] = -l; nodes[me].child[1] = -(r - l); return -me; }
    int axis = -1, cut = 0; float best = 1e30f; B cb;
    for (int i = l; i < r; i++) for (int k = 0; k < 3; k++) { float c = box[ix[i]].lo[k] + box[ix[i]].hi[k]; cb.lo[k] = std::min(cb.lo[k], c); cb.hi[k] = std::max(cb.hi[k], c); }
    auto bin = [&](int i, int k) { return std::min(15, (int)(16 * (box[i].lo[k] + box[i].hi[k] - cb.lo[k]) / (cb.hi[k] - cb.lo[k]))); };
    for (int k = 0; k < 3; k++) if (cb.hi[k] > cb.lo[k]) {
        B b[16]; int n[16] = {};
        for (int i = l; i < r; i++) { int j = bin(ix[i], k); b[j].add(box[ix[i]]); n[j]++; }
        for (int c = 1; c < 16; c++) { B x, y; int p = 0, q = 0; for (int j = 0; j < 16; j++) if (j < c) x.add(b[j]), p += n[j]; else y.add(b[j]), q += n[j];
            float cost = x.area() * p + y.area() * q; if (p && q && cost < best) best = cost, axis = k, cut = c; }
    }
    int m = axis < 0 ? (l + r) / 2 : std::partition(ix.begin() + l, ix.begin() + r, [&](unsigned i) { return bin(i, axis) < cut; }) - ix.begin();
    B x = around(l, m), y = around(m, r);
    int c0 = build(l, m, depth + 1), c1 = build(m, r, depth + 1);
    N n = {{x.lo[0], x.hi[0], x.lo[1], x.hi[1], y.lo[0], y.hi[0], y.lo[1], y.hi[1], x.lo[2], x.hi[2], y.lo[2], y.hi[2]}, {c0, c1, 0, 0}};
    nodes[me] = n;
    return me;
}
template <class X> static void put(const char *name, const std::vector<X> &x) { FILE *f = fopen(name, "wb"); fwrite(x.data(), sizeof(X), x.size(), f); fclose(f); printf("%s: %zu of %zu bytes\n", name, x.size(), sizeof(X)); }
int main()
{
    std::mt19937 g(7); std::uniform_real_distribution<float> u(0, 1);
    const int n = 160;
    for (int i = 0; i <= n; i++) for (int j = 0; j <= n; j++) { float x = 20.0f * i / n - 10, z = 20.0f * j / n - 10; v.push_back({x, hill(x, z), z, 1}); }
    for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < n; j++) { unsigned p = i * (n + 1) + j, q = p + n + 1; t.push_back({p, p + 1, q, 0}); t.push_back({p + 1, q + 1, q, 0}); }
    for (int i = 0; i < 120; i++) { float x = 18 * u(g) - 9, z = 18 * u(g) - 9, r = 0.1f + 0.5f * u(g) * u(g); ball(x, hill(x, z) + r + 1.5f * u(g) * u(g), z, r, 12 + 12 * r); }
    for (auto &x : t) { B b; for (unsigned i : {x.a, x.b, x.c}) { B p; p.lo[0] = p.hi[0] = v[i].x; p.lo[1] = p.hi[1] = v[i].y; p.lo[2] = p.hi[2] = v[i].z; b.add(p); } box.push_back(b); }
    for (unsigned i = 0; i < t.size(); i++) ix.push_back(i);
    build(0, t.size(), 0);
    printf("deepest %d\n", deepest);
    std::vector<V> rays; const int W = 1024, H = 768;
    V o = {-9, 3.5f, -8, 0}, f = unit({1, -0.35f, 0.9f, 0}), s = unit(cross(f, {0, 1, 0, 0})), up = cross(s, f);
    for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) {
        float a = (2 * (x + u(g)) / W - 1) * 0.8f, b = (1 - 2 * (y + u(g)) / H) * 0.6f;
        V d = unit({f.x + a * s.x + b * up.x, f.y + a * s.y + b * up.y, f.z + a * s.z + b * up.z, 0});
        rays.push_back({o.x, o.y, o.z, 0}); rays.push_back({d.x, d.y, d.z, 3.402823466e38f});
    }
    put("vertices.raw", v); put("triangles.raw", t); put("index.raw", ix); put("nodes.raw", nodes); put("rays.raw", rays);
}
