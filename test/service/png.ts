/** Reads a PNG far enough to know its size and what colours are in it, after checking every chunk's checksum. */
import { crc32, inflateSync } from 'node:zlib'

export type Png = {
  readonly width: number
  readonly height: number
  /** Pixels by colour, `#rrggbb`. */
  readonly colors: ReadonlyMap<string, number>
}

/** Throws where the bytes are no whole PNG of eight-bit RGBA. */
export function readPng(bytes: Buffer): Png {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') throw new Error('no PNG signature')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const data = bytes.subarray(at + 8, at + 8 + length)
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== bytes.readUInt32BE(at + 8 + length)) {
      throw new Error(`the checksum of ${type} is wrong`)
    }
    chunks.set(type, Buffer.concat([chunks.get(type) ?? Buffer.alloc(0), data]))
    at += 12 + length
  }
  const head = chunks.get('IHDR')
  const data = chunks.get('IDAT')
  if (head === undefined || data === undefined || !chunks.has('IEND')) throw new Error('a chunk is missing')
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  if (head[8] !== 8 || head[9] !== 6) throw new Error('expected eight-bit RGBA')
  return { width, height, colors: countColors(inflateSync(data), width, height) }
}

// Pixels by the million: a colour is a number here, and gets its name at the end.
function countColors(rows: Buffer, width: number, height: number): Map<string, number> {
  const counts = new Map<number, number>()
  const stride = width * 4
  let above = new Uint8Array(stride)
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1)
    const row = unfilter(rows[start] ?? 0, rows.subarray(start + 1, start + 1 + stride), above)
    for (let x = 0; x < stride; x += 4) {
      const color = ((row[x] ?? 0) << 16) | ((row[x + 1] ?? 0) << 8) | (row[x + 2] ?? 0)
      counts.set(color, (counts.get(color) ?? 0) + 1)
    }
    above = row
  }
  return new Map([...counts].map(([color, count]) => [`#${color.toString(16).padStart(6, '0')}`, count]))
}

/** The five filters of the PNG specification, section 9. */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(row.length)
  for (let at = 0; at < row.length; at += 1) {
    const left = at < 4 ? 0 : (out[at - 4] ?? 0)
    const up = above[at] ?? 0
    const corner = at < 4 ? 0 : (above[at - 4] ?? 0)
    out[at] = (row[at] ?? 0) + guess(filter, left, up, corner)
  }
  return out
}

function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  return filter === 3 ? (left + up) >> 1 : paeth(left, up, corner)
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner
  const a = Math.abs(estimate - left)
  const b = Math.abs(estimate - up)
  const c = Math.abs(estimate - corner)
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}
