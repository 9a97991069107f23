/** Packs points for the disk: chunks of equally wide buckets, and the minutes that are in no chunk yet. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Merged samples of one time span; two buckets of the same span can be merged. */
export type Bucket = {
  readonly atMs: number
  readonly min: number
  readonly mean: number
  readonly max: number
  readonly count: number
}

/** The bucket widths on disk, narrowest first, each kept for as long as the durations of `metrics.json` need it. */
export const widths = [
  { stepMs: minuteMs, ageMaxMs: 26 * hourMs },
  { stepMs: 30 * minuteMs, ageMaxMs: 15 * dayMs },
  { stepMs: 2 * hourMs, ageMaxMs: 400 * dayMs },
] as const

/** 288 buckets of 14 bytes and their row just fill one page of 4,096 bytes. */
const bucketsPerChunk = 288
const bucketBytes = 14
export const chunkBytes = bucketsPerChunk * bucketBytes

/** The time span of one chunk; chunks start at multiples of it. */
export function chunkMs(stepMs: number): number {
  return stepMs * bucketsPerChunk
}

export function chunkStartMs(stepMs: number, atMs: number): number {
  return Math.floor(atMs / chunkMs(stepMs)) * chunkMs(stepMs)
}

function mergedBucket(a: Bucket, b: Bucket): Bucket {
  const count = a.count + b.count
  return {
    atMs: a.atMs,
    min: Math.min(a.min, b.min),
    mean: a.mean + (b.mean - a.mean) * (b.count / count),
    max: Math.max(a.max, b.max),
    count,
  }
}

/**
 * Adds these buckets to the chunk, merging those of the same time; makes a new chunk if there is none. Little endian:
 * lowest, mean and highest value as float32, the number of samples as uint16, 0 if nothing was measured.
 */
export function withBuckets(body: Uint8Array | null, stepMs: number, buckets: readonly Bucket[]): Uint8Array {
  const packed = new Uint8Array(chunkBytes)
  // An incomplete chunk, which only another program can have written, has no points.
  if (body?.length === chunkBytes) packed.set(body)
  const view = viewOf(packed)
  for (const bucket of buckets) {
    const slot = Math.floor(bucket.atMs / stepMs) % bucketsPerChunk
    const known = bucketAt(view, slot, bucket.atMs)
    setBucket(view, slot * bucketBytes, known === null ? bucket : mergedBucket(known, bucket))
  }
  return packed
}

/** Receives buckets one by one, as plain numbers: a query over a year reads hundreds of thousands of them. */
export type Take = (atMs: number, min: number, mean: number, max: number, count: number) => void

/** The buckets of a chunk that starts at `startMs`, oldest first. */
export function eachBucket(body: Uint8Array, startMs: number, stepMs: number, take: Take): void {
  if (body.length !== chunkBytes) return
  const view = viewOf(body)
  for (let slot = 0; slot < bucketsPerChunk; slot += 1) {
    const at = slot * bucketBytes
    const count = view.getUint16(at + 12, true)
    if (count === 0) continue
    const mean = view.getFloat32(at + 4, true)
    take(startMs + slot * stepMs, view.getFloat32(at, true), mean, view.getFloat32(at + 8, true), count)
  }
}

export function bucketsOf(body: Uint8Array, startMs: number, stepMs: number): Bucket[] {
  const buckets: Bucket[] = []
  eachBucket(body, startMs, stepMs, (atMs, min, mean, max, count) => {
    buckets.push({ atMs, min, mean, max, count })
  })
  return buckets
}

/** A minute of one series. */
export type Minute = { readonly seriesId: number; readonly bucket: Bucket }

const minuteBytes = 8 + bucketBytes

export function packMinutes(minutes: readonly Minute[]): Uint8Array {
  const packed = new Uint8Array(minutes.length * minuteBytes)
  const view = viewOf(packed)
  for (const [at, { seriesId, bucket }] of minutes.entries()) {
    view.setUint32(at * minuteBytes, seriesId, true)
    view.setUint32(at * minuteBytes + 4, bucket.atMs / minuteMs, true)
    setBucket(view, at * minuteBytes + 8, bucket)
  }
  return packed
}

export function* minutesOf(body: Uint8Array): Generator<Minute> {
  const view = viewOf(body)
  for (let at = 0; at + minuteBytes <= body.length; at += minuteBytes) {
    const atMs = view.getUint32(at + 4, true) * minuteMs
    const bucket = readBucket(view, at + 8, atMs)
    if (bucket !== null) yield { seriesId: view.getUint32(at, true), bucket }
  }
}

function bucketAt(view: DataView, slot: number, atMs: number): Bucket | null {
  return readBucket(view, slot * bucketBytes, atMs)
}

function readBucket(view: DataView, at: number, atMs: number): Bucket | null {
  const count = view.getUint16(at + 12, true)
  if (count === 0) return null
  const min = view.getFloat32(at, true)
  const mean = view.getFloat32(at + 4, true)
  return { atMs, min, mean, max: view.getFloat32(at + 8, true), count }
}

const countMax = 65_535
const float32Max = 3.4e38

function setBucket(view: DataView, at: number, { min, mean, max, count }: Bucket): void {
  for (const [nth, value] of [min, mean, max].entries()) {
    view.setFloat32(at + nth * 4, Math.max(-float32Max, Math.min(float32Max, value)), true)
  }
  // Counts beyond uint16 are capped.
  view.setUint16(at + 12, Math.min(countMax, count), true)
}

function viewOf(packed: Uint8Array): DataView {
  return new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
}
