/** What somebody did, in one line: for the audit and the handoff in Slack, and for the timeline in a file. */
import { date, escape, person } from '../../view/words.ts'
import type { Act, ActKind } from '../../world/types.ts'

/** How names, times and foreign text are written: Slack's way, or in a file. */
export type Writing = {
  person(id: string): string
  time(ms: number): string
  text(text: string): string
}
export const inSlack: Writing = { person, time: date, text: escape }

/** What was done, and what somebody only tried to do. `{}` is the subject. */
const words: Readonly<Record<ActKind, readonly [done: string, todo: string]>> = {
  opened: ['{} opened', 'open {}'],
  closed: ['{} closed', 'close {}'],
  reopened: ['{} opened again', 'open {} again'],
  critical: ['{} became critical', 'make {} critical'],
  acknowledge: ['acknowledged {}', 'acknowledge {}'],
  take_over: ['took over {}', 'take over {}'],
  hand_back: ['handed back {}', 'hand back {}'],
  hand: ['handed {}', 'hand {}'],
  still_on: ['is still on {}', 'stay on {}'],
  mute: ['muted {}', 'mute {}'],
  unmute: ['unmuted {}', 'unmute {}'],
  extend: ['extended the mute of {}', 'extend the mute of {}'],
  plan: ['planned a mute of {}', 'plan a mute of {}'],
  skip: ['skipped a planned mute of {}', 'skip a planned mute of {}'],
  cancel_plan: ['canceled the planned mute of {}', 'cancel the planned mute of {}'],
  mute_ended: ['The mute of {} ended', 'end the mute of {}'],
  end_silence: ['ended the silence {}', 'end the silence {}'],
  note: ['noted on {}', 'note something on {}'],
  add_roles: ['added roles to {}', 'add roles to {}'],
  marker: ['dropped a marker', 'drop a marker'],
  no_data: ['set who hears when {} sends no data', 'set who hears when {} sends no data'],
  delete_server: ['deleted {}', 'delete {}'],
  delete_metric: ['deleted {}', 'delete {}'],
  close: ['closed {}', 'close {}'],
  paged: ['paged somebody about {}', 'page somebody about {}'],
  refused: ['changed {}', 'change {}'],
  outage: ["The monitoring couldn't be read", 'read the monitoring'],
  restore: ['restored a backup', 'restore a backup'],
}
/** Their sentence begins with the thing: nobody did it. */
const byNobody: ReadonlySet<ActKind> = new Set([
  'opened',
  'closed',
  'reopened',
  'critical',
  'mute_ended',
  'outage',
])

export function isByNobody({ kind }: Act): boolean {
  return byNobody.has(kind)
}

export function actWords(act: Act, writing: Writing = inSlack): string {
  const { kind, outcome, data } = act
  const [done, todo] = words[kind]
  const isDone = outcome === 'done' || outcome === 'unknown' || outcome === 'asked'
  const thing = (phrase: string) => phrase.replace('{}', () => writing.text(act.subject))
  const tail = `${detailsOf(act, writing)}${outcomeOf(act, writing)}`
  if (isByNobody(act)) return `${thing(done)}${tail}`
  const by = ['monbot', 'policy'].includes(act.by) ? act.by : writing.person(act.by)
  const verb = isDone ? thing(done) : `tried to ${thing(todo)}`
  const why = data.why ?? (kind === 'note' ? undefined : data.text)
  const reason = isDone && why ? ` — ${writing.text(why)}` : ''
  return `${by} ${verb}${tail}${reason}`
}

function detailsOf({ kind, data }: Act, writing: Writing): string {
  const { to, from, roles, untilMs, text } = data
  if (kind === 'hand' && to !== undefined) return ` to ${writing.person(to)}`
  if (kind === 'take_over' && from !== undefined) return ` from ${writing.person(from)}`
  if (kind === 'add_roles' && roles !== undefined) return `: ${writing.text(roles.join(', '))}`
  if (kind === 'note' && text !== undefined) return `: ${writing.text(text)}`
  if (['mute', 'extend', 'plan'].includes(kind) && typeof untilMs === 'number')
    return ` until ${writing.time(untilMs)}`
  return ''
}

function outcomeOf({ outcome, data }: Act, writing: Writing): string {
  if (outcome === 'refused') return ` — not allowed${data.why ? `: ${writing.text(data.why)}` : ''}`
  if (outcome === 'failed') return ` — failed${data.why ? `: ${writing.text(data.why)}` : ''}`
  return outcome === 'unknown' ? ' (never confirmed)' : ''
}
