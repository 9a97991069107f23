/** Every known way in which the monitoring API misbehaves, and what the bot says about it. */
import type { Fault } from '../../src/service/control/faults.ts'

export type FaultRow = {
  readonly what: string
  readonly fault: Partial<Fault>
  /** The error of the poll; null if the answer can be read in spite of it. */
  readonly why: RegExp | null
}

const daySeconds = 86_400
const noResults = /^the monitoring API gave an answer without results$/

export const faultRows: readonly FaultRow[] = [
  ...[400, 404, 409, 418, 422, 429, 500, 502, 503, 504].map((status) => ({
    what: `a ${status}`,
    fault: { status },
    why: new RegExp(`^the monitoring API returned HTTP ${status}: ordered fault ${status}$`),
  })),
  { what: 'a 401', fault: { status: 401 }, why: /^the API key was refused$/ },
  { what: 'a 403', fault: { status: 403 }, why: /^the API key was refused$/ },
  { what: 'a 403 with a page', fault: { status: 403, body: 'html' }, why: /HTTP 403 with an HTML page$/ },
  { what: 'a 429 for a minute', fault: { status: 429, retryAfterSeconds: 60 }, why: /HTTP 429: / },
  {
    what: 'a redirect',
    fault: { status: 302, body: 'empty' },
    why: /302, a redirect, which is not followed$/,
  },
  { what: 'a 502 with a page', fault: { status: 502, body: 'html' }, why: /HTTP 502$/ },
  { what: 'a 503 without a body', fault: { status: 503, body: 'empty' }, why: /HTTP 503$/ },
  { what: 'a page for an answer', fault: { status: 200, body: 'html' }, why: /200 with an HTML page$/ },
  { what: 'half of JSON', fault: { status: 200, body: 'garbage' }, why: /200 with a body that is not JSON$/ },
  { what: 'an empty answer', fault: { status: 200, body: 'empty' }, why: noResults },
  {
    what: 'a gigabyte',
    fault: { status: 200, body: 'gigabyte' },
    // Where the machine is busy, the time for an answer may be over before so much of it has come.
    why: /(?:answered with more than 5242880 bytes|timed out)$/,
  },
  { what: 'a body that is cut', fault: { cut: true }, why: /gave no whole answer \([A-Z_]+\)$/ },
  { what: 'a reset', fault: { reset: true }, why: /gave no whole answer \([A-Z_]+\)$/ },
  { what: 'no answer ever', fault: { hang: true }, why: /timed out$/ },
  { what: 'a byte a second', fault: { drip: true }, why: /timed out$/ },
  { what: 'no list', fault: { wrong: 'no_results' }, why: noResults },
  { what: 'null for a list', fault: { wrong: 'null_results' }, why: noResults },
  { what: 'a hash for a list', fault: { wrong: 'object_results' }, why: noResults },
  { what: 'a text for a list', fault: { wrong: 'text_results' }, why: noResults },
  { what: 'a list and no hash around it', fault: { wrong: 'list' }, why: noResults },
  {
    what: 'numbers for alerts',
    fault: { wrong: 'number_results' },
    why: /gave a list without a single alert in it$/,
  },
  { what: 'lists in lists, 100,000 deep', fault: { wrong: 'nested' }, why: null },
  { what: 'missing and absurd fields', fault: { wrong: 'fields' }, why: null },
  { what: 'records without an id', fault: { wrong: 'no_ids' }, why: null },
  { what: 'ids beyond 2^53', fault: { wrong: 'ids' }, why: null },
  { what: 'ids that come twice, with another title', fault: { wrong: 'duplicates' }, why: null },
  { what: 'records in no order', fault: { wrong: 'unordered' }, why: null },
  { what: 'fields called __proto__', fault: { wrong: 'proto' }, why: null },
  { what: 'times a day ahead', fault: { shiftSeconds: daySeconds }, why: null },
  { what: 'times a year ahead', fault: { shiftSeconds: 365 * daySeconds }, why: null },
  { what: 'times in 2099', fault: { shiftSeconds: 73 * 366 * daySeconds }, why: null },
  { what: 'times in 1970', fault: { shiftSeconds: -56 * 365 * daySeconds }, why: null },
]
