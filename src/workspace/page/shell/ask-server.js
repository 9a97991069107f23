/**
 * Asks the workspace's control API. What it refuses is an `ActError` with Slack's code and words for a person; a server
 * that cannot be reached is one with the code `unreachable`.
 *
 * @typedef {Record<string, unknown>} Fields
 */

/** The bot has 3 seconds to acknowledge; this leaves room for a busy machine. */
const answerWithinMs = 15_000

export class ActError extends Error {
  /**
   * @param {string} code
   * @param {string} words
   */
  constructor(code, words) {
    super(words)
    this.name = 'ActError'
    this.code = code
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
  unreachable: 'The workspace cannot be reached.',
}

/**
 * @param {string} path `/control/state`
 * @returns {Promise<any>} What the server answered, which is of this page's own making.
 */
export async function getJson(path) {
  return read(await send(path, {}))
}

/**
 * Does one of the acts of `control/acts.ts`; answers what it answered.
 *
 * @param {string} name
 * @param {Fields} ask
 * @returns {Promise<Fields>}
 */
export async function act(name, ask) {
  const answer = await send(`/control/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ask),
  })
  return read(answer)
}

/** @type {(path: string, init: RequestInit) => Promise<Response>} */
async function send(path, init) {
  try {
    return await fetch(path, { ...init, signal: AbortSignal.timeout(answerWithinMs) })
  } catch {
    throw new ActError('unreachable', wordsByCode.unreachable ?? '')
  }
}

/** @type {(answer: Response) => Promise<any>} */
async function read(answer) {
  /** @type {any} */
  let body
  try {
    body = await answer.json()
  } catch {
    throw new ActError('unreadable', `The workspace answered ${answer.status}, and not in JSON.`)
  }
  if (answer.ok && body.ok !== false) return body
  const code = typeof body.error === 'string' ? body.error : `http_${answer.status}`
  const detail = typeof body.detail === 'string' ? `: ${body.detail}` : ''
  throw new ActError(code, wordsByCode[code] ?? `That did not work (${code})${detail}.`)
}
