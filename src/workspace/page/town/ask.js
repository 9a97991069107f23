/**
 * Asks this server for JSON. What goes wrong comes back as a value, with words for the person.
 *
 * @typedef {{ ok: true, body: Record<string, unknown> } | { ok: false, error: string, detail: string }} Answer
 */
import { isFields } from './read-town.js'

const answerWithinMs = 8_000

/**
 * @param {string} path on this server
 * @param {{ method?: 'GET' | 'POST' | 'DELETE', body?: object }} [options]
 * @returns {Promise<Answer>}
 */
export async function ask(path, { method = 'GET', body } = {}) {
  try {
    const answer = await fetch(path, {
      method,
      signal: AbortSignal.timeout(answerWithinMs),
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const said = await answer.json()
    if (!isFields(said))
      return { ok: false, error: 'no_hash', detail: 'The answer is not what was expected.' }
    if (answer.ok && said.ok !== false) return { ok: true, body: said }
    const { error, detail } = said
    return {
      ok: false,
      error: typeof error === 'string' ? error : `http_${answer.status}`,
      detail: typeof detail === 'string' ? detail : `The answer was an error (${answer.status}).`,
    }
  } catch (error) {
    const late = error instanceof DOMException && error.name === 'TimeoutError'
    const detail = late
      ? `Nothing came within ${answerWithinMs / 1_000} seconds.`
      : 'The workspace cannot be reached. It may have stopped.'
    return { ok: false, error: 'unreachable', detail }
  }
}
