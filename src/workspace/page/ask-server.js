/** Asks the workspace's server. What it refuses is an `ActError` with words for a person. */

/** The bot has 3 seconds to acknowledge; this leaves room for a busy machine. */
const answerWithinMs = 15_000

export class ActError extends Error {}

/** @type {Readonly<Record<string, string>>} */
const wordsByCode = {
  operation_timeout: 'The app did not answer in time (operation_timeout).',
  dispatch_failed: 'The app is not connected (dispatch_failed).',
  message_not_found: 'This message is gone (message_not_found).',
  view_not_found: 'This dialog is no longer open (view_not_found).',
}

/** What the server answered, which is of this page's own making; a POST with a body.  @type {(path: string, body?: object) => Promise<any>} */
export async function ask(path, body) {
  const posted = body && {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  }
  const signal = AbortSignal.timeout(answerWithinMs)
  const answer = await fetch(path, { signal, ...posted }).catch(() => {
    throw new ActError('The workspace cannot be reached.')
  })
  /** @type {any} */
  const told = await answer.json().catch(() => ({ error: `http_${answer.status}` }))
  if (answer.ok && told.ok !== false) return told
  const { error: code = `http_${answer.status}`, detail } = told
  const known = code === 'service' ? detail : wordsByCode[code]
  throw new ActError(known ?? `That did not work (${code})${detail === undefined ? '' : `: ${detail}`}.`)
}

/** The words of what went wrong, for a person; throws what is a bug.  @type {(error: unknown) => string} */
export function wordsOf(error) {
  if (error instanceof ActError) return error.message
  throw error
}
