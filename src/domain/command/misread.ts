/** What was typed does not fit: wrong syntax, too long or too short, or no command at all. */

const cameCharsMax = 200

export type Misread =
  | { readonly why: 'unknown_command'; readonly command: string; readonly similar: readonly string[] }
  /** `topic`: the command whose help explains the syntax. */
  | { readonly why: 'too_long'; readonly maxMs: number; readonly topic?: string }
  | { readonly why: 'too_short'; readonly minMs: number; readonly topic?: string }
  | { readonly why: 'invalid'; readonly expected: string; readonly came: string; readonly topic?: string }

/** `came` may be anything that somebody typed; it is shortened. */
export function invalid(expected: string, came: string): Misread {
  const isLong = came.length > cameCharsMax
  return { why: 'invalid', expected, came: isLong ? `${came.slice(0, cameCharsMax).toWellFormed()}…` : came }
}
