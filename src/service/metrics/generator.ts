/** Generates plausible server metrics for any time: the same seed and time always give the same number. */

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** The usual level of a metric. Its values stay within `base ± swing`. */
export type Level = { readonly base: number; readonly swing: number }

/** A number between `base - swing` and `base + swing`: a daily wave, with slow, medium and quick noise on it. */
export function generate(seed: number, level: Level, atMs: number): number {
  const daily = Math.sin((2 * Math.PI * atMs) / dayMs + (seed % 628) / 100)
  const noise =
    0.5 * smoothNoise(seed, atMs / (120 * minuteMs)) +
    0.3 * smoothNoise(seed ^ 0x9e3779b9, atMs / (5 * minuteMs)) +
    0.2 * smoothNoise(seed ^ 0x85ebca6b, atMs / (minuteMs / 3))
  return level.base + level.swing * (0.4 * daily + 0.6 * noise)
}

/** A stable number for a text (FNV-1a, 32 bits). */
export function hashOf(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return mix(hash)
}

/** Between -1 and 1, without jumps. */
function smoothNoise(seed: number, position: number): number {
  const before = Math.floor(position)
  const share = position - before
  const ease = share * share * (3 - 2 * share)
  return corner(seed, before) * (1 - ease) + corner(seed, before + 1) * ease
}

function corner(seed: number, index: number): number {
  return mix(seed ^ Math.imul(index | 0, 0x27d4eb2f)) / 0x7fffffff - 1
}

/** Spreads the bits of a number over 32 (murmur3's finaliser). */
function mix(value: number): number {
  let hash = value | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
