/** Names as people count: web-2 before web-10. */

const natural = new Intl.Collator('en', { numeric: true })

/** @type {(a: { hostname: string }, b: { hostname: string }) => number} */
export const byName = (a, b) => natural.compare(a.hostname, b.hostname)
