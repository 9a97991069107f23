/** What the bot and Slack said to each other, as rows for the town's log: oldest first, bounded, without any secret. */
import type { Emitted, Happening } from '../state/events.ts'
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'

/** Rows in one answer; older ones are left out. */
const rowsMax = 500
const textCharsMax = 200

const loggedTypes: ReadonlySet<Happening['type']> = new Set([
  'api_call',
  'interaction',
  'event_sent',
  'event_acked',
  'event_missed',
  'event_lost',
  'socket_opened',
  'socket_closed',
  'socket_refused',
  'socket_told',
  'fault_set',
  'fault_used',
  'fault_cleared',
  'token_revoked',
])

/** What looks like a token of Slack's, wherever it stands: a caller chooses the names of methods and channels. */
const tokenShape = /\bxox[a-z]-[\w-]*|\bxapp-[\w-]*/gi

/** `newest` is the last event of any kind, from which a reader asks the next time; another `epoch` counts from the start. */
export function logSince(
  state: State,
  since: number,
): { epoch: string; newest: number; rows: readonly Fields[] } {
  const all = state.events.since(0)
  const secrets = [state.tokens.bot, state.tokens.app]
  return {
    epoch: state.epoch,
    newest: all.at(-1)?.seq ?? 0,
    rows: all
      .filter(({ seq, event }) => seq > since && loggedTypes.has(event.type))
      .slice(-rowsMax)
      .map((one) => rowOf(one, secrets)),
  }
}

function rowOf({ seq, atMs, event }: Emitted, secrets: readonly string[]): Fields {
  const fields = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'string' ? blanked(value, secrets) : value,
  ])
  return { seq, atMs, event: Object.fromEntries(fields) }
}

/** No event is to hold a secret; should one all the same, it does not get as far as a screen. */
function blanked(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  const blank = known.replace(tokenShape, '[secret]')
  return blank.length > textCharsMax ? `${blank.slice(0, textCharsMax)}…` : blank
}
