# Writes the tables and round keys from the definition of AES, so that the reference, which computes its S box itself, checks them.
import struct
def xtime(a): return ((a << 1) ^ (0x11b if a & 0x80 else 0)) & 0xff
def mul(a, b):
    r = 0
    while b:
        if b & 1: r ^= a
        a, b = xtime(a), b >> 1
    return r
inverse = [0] + [next(b for b in range(256) if mul(a, b) == 1) for a in range(1, 256)]
def rotl8(x, n): return ((x << n) | (x >> (8 - n))) & 0xff
S = [x ^ rotl8(x, 1) ^ rotl8(x, 2) ^ rotl8(x, 3) ^ rotl8(x, 4) ^ 0x63 for x in inverse]
assert S[:4] == [0x63, 0x7c, 0x77, 0x7b]
t0 = [mul(2, s) << 24 | s << 16 | s << 8 | mul(3, s) for s in S]
assert t0[:2] == [0xc66363a5, 0xf87c7c84]
t4 = [s * 0x01010101 for s in S]
key = [0x2b7e1516, 0x28aed2a6, 0xabf71588, 0x09cf4f3c]
w, rcon = list(key), 1
for i in range(4, 44):
    t = w[i - 1]
    if i % 4 == 0:
        t = ((t << 8) | (t >> 24)) & 0xffffffff
        t = S[t >> 24] << 24 | S[t >> 16 & 255] << 16 | S[t >> 8 & 255] << 8 | S[t & 255]
        t ^= rcon << 24; rcon = xtime(rcon)
    w.append(w[i - 4] ^ t)
assert w[43] == 0xb6630ca6                     # FIPS 197, appendix A.1
for name, list_ in (("round_keys", w), ("t0", t0), ("t4", t4)):
    open(name + ".raw", "wb").write(struct.pack("<%dI" % len(list_), *list_))
print(key)
