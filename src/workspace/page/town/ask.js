/**
 * Asks this server for JSON. What goes wrong comes back as a value, with words for the person.
 *
 * @typedef {{ ok: true, body: any } | { ok: false, error: string, detail: string }} Answer The body is of our own making.
 */

const answerWithinMs = 8_000

/**
 * @param {string} path on this server
 * @param {{ method?: 'GET' | 'POST' | 'DELETE', body?: object | undefined }} [options]
 * @returns {Promise<Answer>}
 */
export async function ask(path, { method = 'GET', body } = {}) {
  try {
    const answer = await fetch(path, {
      method,
      signal: AbortSignal.timeout(answerWithinMs),
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const told = await answer.json()
    if (answer.ok && told.ok !== false) return { ok: true, body: told }
    const { error = `http_${answer.status}`, detail = `The answer was an error (${answer.status}).` } = told
    return { ok: false, error, detail }
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    const detail = isLate
      ? `Nothing came within ${answerWithinMs / 1_000} seconds.`
      : 'The workspace cannot be reached. It may have stopped.'
    return { ok: false, error: 'unreachable', detail }
  }
}
