/** What passes the gates of one bot, told in signs: `memory asked commit`, `memory did claim`, `call asked chat.update`; see `town.ts`. */
import type { Sender } from '../../support/tcp-gate.ts'

/** What is asked of Postgres, by the words of its statements. A longer text may hold several: the first counts. */
const asks: readonly (readonly [name: string, words: RegExp])[] = [
  ['taking', /update leader set holder/],
  ['renewal', /update leader set beat/],
  ['freeing', /update leader set free/],
  ['claim', /update "cards" set "state" = \$1, "sending_ms" = /],
  ['begin', /begin; set local/],
  // As a statement of its own, with the end that the protocol gives it.
  ['commit', /commit\0/],
]

type Piece = (from: Sender, piece: Buffer, connection: number) => Buffer

/** `did` comes when the answer is here, and the bot knows nothing of it yet. */
export function signsOfMemory(tell: (sign: string) => void): Piece {
  const waiting = new Map<number, string>()
  return (from, piece, connection) => {
    if (from === 'client') {
      const text = piece.toString('latin1')
      const name = asks.find(([, words]) => words.test(text))?.[0]
      if (name !== undefined) {
        waiting.set(connection, name)
        tell(`memory asked ${name}`)
      }
    } else {
      const name = waiting.get(connection)
      waiting.delete(connection)
      if (name !== undefined) tell(`memory did ${name}`)
    }
    return piece
  }
}

/**
 * What the workspace says of its own address is said of the gate's, so that sockets and answers come through it too. Both ports
 * have five digits: no length changes.
 */
export function signsOfSlack(tell: (sign: string) => void, port: number, gatePort: () => number): Piece {
  const own = Buffer.from(`127.0.0.1:${port}`)
  return (from, piece) => {
    if (from === 'client') {
      const method = /^POST \/api\/([\w.]+)/.exec(piece.toString('latin1', 0, methodBytesMax))?.[1]
      if (method !== undefined) tell(`call asked ${method}`)
      return piece
    }
    const through = Buffer.from(`127.0.0.1:${gatePort()}`)
    for (let at = piece.indexOf(own); at >= 0; at = piece.indexOf(own, at)) through.copy(piece, at)
    return piece
  }
}

const methodBytesMax = 100

/** Texts that only the request of a claim, of a renewal, or of a commit, contains. */
export const claimText = '"sending_ms" = $2, "first_sending_ms" = $3'
export const renewalText = 'update leader set beat'
export const commitText = 'commit\0'
