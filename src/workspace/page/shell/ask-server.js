/**
 * Asks the workspace's server. What it refuses is an `ActError` with Slack's code and words for a person; a server that
 * cannot be reached is one with the code `unreachable`.
 *
 * @typedef {Record<string, unknown>} Fields
 * @typedef {{ method?: 'GET' | 'POST' | 'DELETE', body?: object | undefined }} How
 * @typedef {{ ok: true, body: any } | { ok: false, error: string, detail: string }} Answer
 */

/** The bot has 3 seconds to acknowledge; this leaves room for a busy machine. */
const answerWithinMs = 15_000

export class ActError extends Error {
  /**
   * @param {string} code
   * @param {string} words
   * @param {string} [detail] What the server said, where it said more than the code.
   */
  constructor(code, words, detail = words) {
    super(words)
    this.name = 'ActError'
    this.code = code
    this.detail = detail
  }
}

/** @type {Readonly<Record<string, string>>} */
const wordsByCode = {
  operation_timeout: 'The app did not answer in time (operation_timeout).',
  dispatch_failed: 'The app is not connected (dispatch_failed).',
  message_not_found: 'This message is gone (message_not_found).',
  view_not_found: 'This dialog is no longer open (view_not_found).',
  not_in_channel: 'You are not in this channel (not_in_channel).',
  is_archived: 'This channel is archived (is_archived).',
}

/**
 * @param {string} path `/control/state`
 * @returns {Promise<any>} What the server answered, which is of this page's own making.
 */
export function getJson(path) {
  return send(path, {})
}

/**
 * Does one of the acts of `control/acts.ts`; answers what it answered.
 *
 * @param {string} name
 * @param {Fields} body
 * @returns {Promise<Fields>}
 */
export function act(name, body) {
  return send(`/control/${name}`, { method: 'POST', body })
}

/** The same for the demo controls, where what goes wrong is a value with words for the person.  @type {(path: string, how?: How) => Promise<Answer>} */
export async function ask(path, how = {}) {
  try {
    return { ok: true, body: await send(path, how) }
  } catch (error) {
    if (!(error instanceof ActError)) throw error
    return { ok: false, error: error.code, detail: error.detail }
  }
}

/** @type {(path: string, how: How) => Promise<any>} */
async function send(path, { method = 'GET', body }) {
  const answer = await fetch(path, {
    method,
    signal: AbortSignal.timeout(answerWithinMs),
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch((error) => {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    const words = isLate ? `did not answer within ${answerWithinMs / 1_000} seconds` : 'cannot be reached'
    throw new ActError('unreachable', `The workspace ${words}.`)
  })
  /** @type {any} */
  let told
  try {
    told = await answer.json()
  } catch {
    throw new ActError('unreadable', `The workspace answered ${answer.status}, and not in JSON.`)
  }
  if (answer.ok && told.ok !== false) return told
  const { error: code = `http_${answer.status}`, detail } = told
  const words = detail === undefined ? '' : `: ${detail}`
  throw new ActError(code, wordsByCode[code] ?? `That did not work (${code})${words}.`, detail)
}
