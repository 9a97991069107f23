/** The known servers by the names people use: indexed, however many names are looked up. Pure. */

import { isGlob } from '../../../shared/glob.ts'
import { nearest } from '../../../shared/nearest.ts'

export type NameBook = {
  /** Hostnames, sorted, each once. */
  readonly names: readonly string[]
  has(hostname: string): boolean
  /**
   * The hostname that somebody means: the same name; else the only known one that differs only in case; else the only server
   * with this display name, ignoring case. The name itself if it matches none or several, and for a glob.
   */
  meant(name: string): string
  /** "Did you mean": at most three known names close to this one, the likeliest first; `others` count as known too. */
  similar(name: string, others?: readonly string[]): readonly string[]
}

const similarMax = 3

/** `shown`: display names that differ from the hostname. */
export function openNameBook(
  hostnames: readonly string[],
  shown: readonly { readonly name: string; readonly hostname: string }[],
): NameBook {
  const known = new Set(hostnames)
  const names = [...known].sort()
  const byCase = grouped(names.map((name) => ({ name, hostname: name })))
  const byDisplay = grouped(shown)
  const displayed = (name: string) => [...(byDisplay.get(name.toLowerCase()) ?? [])]

  return {
    names,
    has: (hostname) => known.has(hostname),
    meant: (typed) => {
      const name = typed.trim()
      if (isGlob(name) || known.has(name)) return name
      const [only = name, ...others] = byCase.get(name.toLowerCase()) ?? displayed(name)
      return others.length === 0 ? only : name
    },
    similar: (name, others = []) => {
      // Several servers share this display name: suggest their hostnames instead.
      const found = displayed(name)
      if (found.length > 1) return found.slice(0, similarMax)
      return nearest(name, [...others, ...names, ...shown.map((one) => one.name)], similarMax)
    },
  }
}

/** Grouped by name, ignoring case. */
function grouped(
  pairs: readonly { readonly name: string; readonly hostname: string }[],
): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  for (const { name, hostname } of pairs) {
    const key = name.toLowerCase()
    const group = groups.get(key)
    if (group === undefined) groups.set(key, new Set([hostname]))
    else group.add(hostname)
  }
  return groups
}
