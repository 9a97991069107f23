/** Where the monitoring service of the town is: an address on this machine, and no other. */

/** Says what was expected. The text itself is not repeated: it may hold a key. */
export class TownAddressError extends Error {}

/** Answers it without a slash at the end. Throws a `TownAddressError`. */
export function parseTownUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOurs =
    url !== null &&
    url.protocol === 'http:' &&
    ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === ''
  if (isOurs) return url.origin
  const came =
    url === null
      ? 'what is no address'
      : `one of ${url.protocol}//${url.hostname} with more or other than that`
  throw new TownAddressError(
    `the monitoring service's control address: expected http://127.0.0.1:PORT (or localhost) and nothing after it; came ${came}`,
  )
}
