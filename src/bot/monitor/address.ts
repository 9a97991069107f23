/** Builds request paths: exactly the intended segments, below the API's own address. */
import { OutsideFailure } from '../domain/base/failure.ts'

/** No real hostname or key is longer; servers refuse long request lines in ways that are hard to interpret. */
const segmentCharactersMax = 1_000

export type Address = {
  /** Scheme, host and port of the API. */
  readonly origin: string
  /** The base address as it may appear in texts: origin and path prefix, no trailing slash. */
  readonly base: string
  /**
   * Path and query for the segments, each percent-encoded. A segment that is invalid in a path is refused with a
   * `rejected` failure: `encodeURIComponent('..')` is `..`, and `DELETE servers/..` would reach the account.
   */
  pathTo(segments: readonly string[], query?: URLSearchParams): string
}

/**
 * Reads `{base_url}` (a path prefix and trailing slashes are fine) and checks that the key can be one path segment.
 * Failures never quote either, because the first may contain credentials and the second is one.
 */
export function addressOf(baseUrl: string, apiKey: string): Address {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '') {
    const came = base === null ? 'something that is no address' : `one with ${base.protocol}// or credentials`
    throw new OutsideFailure(
      'rejected',
      `the monitoring API's address: expected http:// or https:// without credentials; came ${came}`,
    )
  }
  if (base.search !== '' || base.hash !== '') {
    throw new OutsideFailure(
      'rejected',
      "the monitoring API's address: expected no query and no fragment; came one",
    )
  }
  if (!/^[\x21-\x7e]*$/.test(apiKey)) {
    throw new OutsideFailure('rejected', 'the API key: expected visible ASCII characters only; came others')
  }
  assertSegment(apiKey, 'the API key')
  const prefix = base.pathname.replace(/\/+$/, '')
  return {
    origin: base.origin,
    base: base.origin + prefix,
    pathTo(segments, query) {
      const meant = ['api', 'v2', apiKey, ...segments]
      const path = `${prefix}/${meant.map(encodeURIComponent).join('/')}`
      const final = new URL(base.origin + path)
      const reached = final.pathname.slice(prefix.length + 1).split('/')
      const asMeant =
        final.origin === base.origin &&
        final.pathname === path &&
        reached.length === meant.length &&
        reached.every((segment, at) => decodeURIComponent(segment) === meant[at])
      if (!asMeant)
        throw new OutsideFailure('rejected', 'the request would reach another path than was meant')
      return query === undefined ? path : `${path}?${query}`
    },
  }
}

/** Throws if it cannot be one path segment; `what` names it in the message ("a hostname"). */
export function assertSegment(segment: string, what: string): void {
  if (segment === '' || segment === '.' || segment === '..') {
    throw new OutsideFailure(
      'rejected',
      `${what} must not be empty, "." or ".."; came ${JSON.stringify(segment)}`,
    )
  }
  if (!segment.isWellFormed()) {
    throw new OutsideFailure('rejected', `${what} must be well-formed Unicode; came half a character`)
  }
  if (segment.length > segmentCharactersMax) {
    throw new OutsideFailure(
      'rejected',
      `${what} may have at most ${segmentCharactersMax} characters; came ${segment.length}`,
    )
  }
}
