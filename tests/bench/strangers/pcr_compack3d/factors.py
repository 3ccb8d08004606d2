# The factors of parallel cyclic reduction (localFactTri of Compack3D_tri.cpp) for rows 1/3, 5/3, 1/3: 8 levels of 256 rows.
import struct
n = 256
l, d, u = [0.0] + [1 / 3] * (n - 1), [5 / 3] * n, [1 / 3] * (n - 1) + [0.0]
prev, curr, nxt = [], [], []
s = 1
while s < n:
    a, b, c = [], [], []
    for i in range(n):
        p, q = i - s >= 0, i + s < n
        b.append(1 / (d[i] - (l[i] * u[i - s] / d[i - s] if p else 0) - (u[i] * l[i + s] / d[i + s] if q else 0)))
        a.append(-l[i] * b[i] / d[i - s] if p else 0.0)
        c.append(-u[i] * b[i] / d[i + s] if q else 0.0)
    l, d, u = ([a[i] * l[i - s] if i >= s else 0.0 for i in range(n)],
               [b[i] * d[i] + (a[i] * u[i - s] if i >= s else 0) + (c[i] * l[i + s] if i + s < n else 0) for i in range(n)],
               [c[i] * u[i + s] if i + s < n else 0.0 for i in range(n)])
    prev += a; curr += b; nxt += c
    s *= 2
for name, v in ("prev", prev), ("curr", curr), ("next", nxt):
    open(name + ".raw", "wb").write(struct.pack("%dd" % len(v), *v))
