/** An expected refusal: the request cannot be fulfilled, with a message for the caller. */

/**
 * Becomes an answer with this status and `{message}`; anything else that is thrown is a bug and becomes a 500. 502 to 504 mean
 * that the system behind the service (a Prometheus) was unavailable.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: 401 | 403 | 404 | 405 | 413 | 415 | 422 | 502 | 503 | 504

  constructor(status: Refusal['status'], message: string) {
    super(message)
    this.status = status
  }
}

const shownCharsMax = 80

/** How a received value appears in a message: quoted, cut, or the word "nothing". */
export function quoted(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'nothing'
  if (typeof value !== 'string') return typeof value === 'object' ? 'a structure' : String(value)
  return JSON.stringify(value.length > shownCharsMax ? `${value.slice(0, shownCharsMax)}…` : value)
}
