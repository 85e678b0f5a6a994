"""Reads and compares pictures written by the program. Standard library only."""

import struct
import zlib

from program import expect


def picture(path):
    """Width, height, rows of RGB bytes and the texts of a PNG file as the program writes it."""
    return decoded(path, (8, 2), 3)


def alpha_picture(path):
    """Width, height, rows of (red, green, blue, alpha) from 0 to 1, and the texts of a transparent PNG file."""
    width, height, rows, texts = decoded(path, (16, 6), 8)
    values = [struct.unpack(f">{4 * width}H", row) for row in rows]
    return width, height, [[tuple(v / 65535 for v in row[4 * x:4 * x + 4]) for x in range(width)] for row in values], texts


def head(path, form=(8, 2)):
    """Width, height and texts of a PNG file, and what its rows are packed in; form: depth and colour type."""
    with open(path, "rb") as f:
        data = f.read()
    expect(data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG")
    at, packed, texts = 8, b"", {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            expect((depth, colour) == form, f"depth and colour type are {depth, colour}, not {form}")
        elif kind == b"IDAT":
            packed += body
        elif kind == b"tEXt":
            key, text = body.split(b"\0", 1)
            texts[key.decode()] = text.decode("latin-1")
        elif kind == b"zTXt":
            key, text = body.split(b"\0", 1)
            texts[key.decode()] = zlib.decompress(text[1:]).decode("latin-1")
        at += length + 12
    return width, height, texts, packed


def decoded(path, form, size):
    """size: bytes of a pixel."""
    width, height, texts, packed = head(path, form)
    raw, stride, rows, before = zlib.decompress(packed), width * size + 1, [], bytearray(width * size)
    for y in range(height):
        kind, row = raw[y * stride], bytearray(raw[y * stride + 1:(y + 1) * stride])
        for i in range(len(row)):
            a = row[i - size] if i >= size else 0
            b = before[i]
            c = before[i - size] if i >= size else 0
            if kind == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                guess = a if pa <= pb and pa <= pc else b if pb <= pc else c
            else:
                guess = (0, a, b, (a + b) // 2)[kind]
            row[i] = (row[i] + guess) & 255
        rows.append(row)
        before = row
    return width, height, rows, texts


def share_lit(rows, x0, x1, y0, y1, over=90):
    lit = sum(max(rows[y][3 * x:3 * x + 3]) > over for y in range(y0, y1) for x in range(x0, x1))
    return lit / ((x1 - x0) * (y1 - y0))


def farthest(one, other):
    """The largest difference of two pictures between the panels and above the colour bar, in steps of 255. Light is
    added in 16-bit floats, and what is large is added in no fixed order: pictures of one scene differ by a step or two."""
    return max(abs(p - q) for a, b in zip(one[:600], other[:600]) for p, q in zip(a[900:2760], b[900:2760]))
