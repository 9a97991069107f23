/** Compares names as people count: `web-2` before `web-10`. */

/** Made once, and not before it is needed: to make one takes long. */
let collator: Intl.Collator | null = null

/** For `sort`; texts that differ are never equal. */
export function byName(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true })
  return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
}
