/** Renders the overviews: status, handoff and report. */
import type { Button, KnownBlock } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import { formatDuration } from '../../../domain/base/duration.ts'
import { hiddenLast, isHidden, mutedElsewhere } from '../../../domain/mute/hiding.ts'
import { isInForce, isOfAccount } from '../../../domain/mute/mute.ts'
import type { Answer, Count, Flap, Handoff, Health, Status, Storm } from '../../../domain/request/answer.ts'
import type { AuditEntry } from '../../../domain/request/audit.ts'
import { handoffSpan } from '../../../domain/request/queries.ts'
import type { Report } from '../../../domain/request/report.ts'
import { auditCharsMin, auditLine } from '../actions/words.ts'
import { elsewhereParts } from '../text/elsewhere-words.ts'
import {
  doubtLines,
  isDoubtful,
  lastKnown,
  lastPollAgo,
  outageLines,
  slackWords,
  troublesOf,
  troubleTitle,
  unknownLines,
} from '../text/health-words.ts'
import { alertCharsMin, alertLine, mutedLines } from '../text/list-lines.ts'
import {
  actionsBlock,
  askButton,
  context,
  fitted,
  type Room,
  section,
  sectionsOf,
} from '../text/message-parts.ts'
import { onCallLine } from '../text/on-call-words.ts'
import { counted, fromTo, inBlocks, listed, mutedParts, mutedThing, name, sentence } from '../text/phrases.ts'
import { beforeWords, happenedLines, noisyLines, ruleLines } from '../text/rule-lines.ts'
import { passingWords } from '../text/trouble-words.ts'

const mutedNamesShown = 5
const countsShown = 5
const unrestShown = 5
/** The three lists of a handoff share one message. */
const handoffRoom = {
  open: { charsMax: 3_500, linesMax: 12, more: (left) => `and ${left} more: \`/mon alerts\`` },
  mutes: { charsMax: 1_800, linesMax: 8, more: (left) => `and ${left} more: \`/mon mutes\`` },
  done: { charsMax: 2_000, linesMax: 10, more: (left) => `and ${left} more: \`/mon audit\`` },
} as const satisfies Readonly<Record<string, Room>>

export function renderStatus(status: Status): KnownBlock[] {
  const { lasting, passing } = passingWords(status.troubles, status.behindIn, status.nowMs)
  const troubles = [...troublesOf(status, status.behindIn), ...lasting]
  // Without old refusals: they are listed, but do not make the current status look bad.
  const dead = (status.cards.get('dead') ?? 0) - (status.unshown ?? 0)
  const { behind } = status
  const cards = [
    ...(dead > 0 ? [`⚠️ ${counted(dead, 'card')} could not be shown in Slack; the log says why`] : []),
    ...(behind > 0 ? [`${counted(behind, 'card update')} pending`] : []),
    ...passing,
  ]
  const lines = [
    `*${glance(status, troubles.length > 0)}*`,
    ...troubles.map((trouble) => `⚠️ ${sentence(trouble)}`),
    ...unknownLines(status.lost),
    mutedWords(status),
    ...onCallLine(status, false),
  ]
  const parts = [
    lastPollAgo(status),
    slackWords(status),
    ...(cards.length === 0 ? ['cards up to date'] : cards),
    ...unpinnedWords(status),
    ...leadWords(status),
    ...((status.ignored ?? 0) > 0
      ? [`${counted(status.ignored ?? 0, 'open alert')} ignored by the policy`]
      : []),
  ]
  return [
    section(lines.join('\n')),
    context(parts.join(' · ')),
    actionsBlock([
      ...askButton({ kind: 'alerts', state: 'open', server: null, page: 1 }, { label: 'Open alerts' }),
      ...askButton({ kind: 'mutes', page: 1 }, { label: 'Mutes' }),
      ...askButton({ kind: 'handoff', ms: handoffSpan.defaultMs }, { label: 'Handoff' }),
    ]),
  ]
}

function unpinnedWords({ unpinned = [] }: Status): string[] {
  const [first] = unpinned
  if (first === undefined) return []
  const why =
    first.why === 'missing_scope' ? 'the app lacks the scope `pins:write`' : `Slack says ${name(first.why)}`
  return [`${unpinned.length === 1 ? 'the board is' : `${unpinned.length} boards are`} not pinned: ${why}`]
}

function leadWords({ lead }: Status): string[] {
  if (lead == null) return []
  const standbys = lead.standbys.map(
    (one) => `${name(one.name)} stands by${one.reachesSlack ? '' : ' and cannot reach Slack'}`,
  )
  return [
    `${name(lead.name)} leads since ${inBlocks(lead.sinceMs)}`,
    ...(standbys.length === 0 ? ['nobody stands by'] : standbys),
  ]
}

/** The summary line, for people who read nothing else. */
function glance(status: Status, isTrouble: boolean): string {
  const { open, critical = 0, lost = 0, unacknowledged, lastPollMs, mutes } = status
  const account = mutedParts(mutes.filter(isOfAccount))
  // What was open when the API was last read may have closed since.
  const known = isDoubtful(status) ? lastKnown : ''
  if (lastPollMs === null) return '⚠️ Monitoring not read yet'
  const bad = critical === 0 ? '' : `, ${critical} critical`
  const news = open === 0 ? 'no open alerts' : `${counted(open, 'open alert')}${bad}`
  if (isTrouble) return [`⚠️ ${troubleTitle(status)}`, `${news}${known}`, ...account].join(' · ')
  if (open === 0 && lost > 0) return ['⚪ No alerts listed as open', ...account, 'monitoring OK'].join(' · ')
  if (open === 0) return ['🟢 No open alerts', ...account, 'monitoring OK'].join(' · ')
  const rest = unacknowledged === 0 ? 'all acknowledged or muted' : `${unacknowledged} unacknowledged`
  return [`${critical > 0 ? '🚨' : '🔴'} ${news}, ${rest}`, ...account, 'monitoring OK'].join(' · ')
}

function mutedWords(status: Pick<Status, 'mutes' | 'outside'>): string {
  const mutes = status.mutes.filter(isInForce)
  const outside = status.outside === undefined ? [] : elsewhereParts(status.outside)
  if (mutes.length === 0) return outside.length === 0 ? 'Nothing is muted.' : `🔕 ${outside.join(' · ')}`
  const account = mutes.some(isOfAccount)
  const names = mutes.flatMap((mute) => (isOfAccount(mute) ? [] : [mutedThing(mute)]))
  const all = [...(account ? ['*the whole account*'] : []), ...names]
  return [`🔕 ${mutes.length} muted: ${listed(all, mutedNamesShown)}`, ...outside].join(' · ')
}

/** `posted`: for a whole channel, where a mention notifies: who did what before stays in the audit. */
export function renderHandoff(handoff: Handoff, to: 'person' | 'posted' = 'person'): KnownBlock[] {
  const { nowMs, open, lost = 0, mutes, happened, done, outage, health } = handoff
  const ms = nowMs - happened.fromMs
  const span = `in the last ${formatDuration(ms)}`
  const troubles = troublesOf({ ...health, mutes })
  const outside = mutedElsewhere(open, mutes)
  const unacknowledged = open.filter((alert) => alert.ackedBy === null && !isHidden(alert, mutes)).length
  const rest = open.length === 0 ? '' : ` (${unacknowledged} unacknowledged)`
  const alertOf = (alert: Alert) => alertLine(alert, { mutes, charsMax: alertCharsMin, isCompact: true })
  const entryOf = (entry: AuditEntry) => auditLine(entry, auditCharsMin)
  return [
    section(`*Handoff* · ${inBlocks(nowMs)}`),
    ...sectionsOf([...happenedLines(happened), ...noisyLines(happened)]),
    ...listBlocks(
      `*Open: ${open.length}${rest}*`,
      `No open alerts${isDoubtful(health) ? lastKnown : ''}`,
      fitted(hiddenLast(open), alertOf, handoffRoom.open),
    ),
    ...listBlocks(
      `*Muted: ${[mutes.filter(isInForce).length, ...elsewhereParts(outside)].join(' · ')}*`,
      'Nothing is muted',
      fitted(mutedLines(mutes, outside), (line) => line, handoffRoom.mutes),
    ),
    ...(to === 'posted' && done.length > 0
      ? [section(`*Actions ${span}: ${done.length}*: \`/mon audit\` has them`)]
      : listBlocks(
          `*Actions ${span}: ${done.length}*`,
          `No actions ${span}`,
          fitted(done, entryOf, handoffRoom.done),
        )),
    ...[beforeWords(happened), ...unrestLines(handoff), ...unknownLines(lost), ...outageLines(outage)].map(
      context,
    ),
    context(
      troubles.length === 0
        ? [lastPollAgo(health), slackWords(health)].join(' · ')
        : troubles.map((trouble) => `⚠️ ${sentence(trouble)}`).join(' '),
    ),
    actionsBlock(fileButton('handoff', ms)),
  ]
}

/** Sends the same alerts one by one as a file. */
function fileButton(kind: 'handoff' | 'report', ms: number): Button[] {
  return askButton(
    { kind, ms, isFile: true },
    { label: 'CSV', says: 'CSV: the alerts one by one, as a direct message' },
  )
}

/** Storms and flapping alerts of the time that the handoff covers; nothing if there were none. */
function unrestLines({ storms, flaps }: Handoff): string[] {
  const stormOf = ({ atMs, alerts, open }: Storm) =>
    `${inBlocks(atMs)} ${counted(alerts, 'alert')}${open === 0 ? '' : `, ${open} still open`}`
  const flapOf = ({ server, plugin, times }: Flap) => `${name(plugin)} on ${name(server)} ×${times}`
  return [
    ...(storms.length === 0
      ? []
      : [`⛈️ ${counted(storms.length, 'storm')}: ${listed(storms.map(stormOf), unrestShown)}`]),
    ...(flaps.length === 0 ? [] : [`🔁 Flapping: ${listed(flaps.map(flapOf), unrestShown)}`]),
  ]
}

function listBlocks(title: string, none: string, lines: readonly string[]): KnownBlock[] {
  return sectionsOf(lines.length === 0 ? [`*${none}*`] : [title, ...lines])
}

/** `ms`: as it was asked for, to offer the same as a file; absent where the file is there already. */
export function renderReport({
  report,
  health,
  ms,
}: {
  readonly report: Report
  readonly health: Health
  readonly ms?: number
}): KnownBlock[] {
  const { opened, oneoffs, acknowledged, toAcknowledgeMs, toCloseMs } = report
  const span = `${inBlocks(report.fromMs)} – ${inBlocks(report.toMs)}`
  const counts = [
    `*Report* · ${span}`,
    ...doubtLines(health),
    ...outageLines(report.outage),
    countsLine(report),
    ...(oneoffs === 0 ? [] : [`🔵 +${counted(oneoffs, 'one-off')}.`]),
  ]
  if (opened + oneoffs === 0) return [section(counts.join('\n'))]
  const lines = [
    ...counts,
    `${counted(acknowledged, 'alert')} acknowledged${toAcknowledgeMs === null ? '' : `; median time to acknowledge: ${formatDuration(toAcknowledgeMs)}`}.`,
    ...(toCloseMs === null ? [] : [`Median time to close: ${formatDuration(toCloseMs)}.`]),
  ]
  return [
    section(lines.join('\n')),
    ...sectionsOf([
      ...ruleLines(report.happened),
      ...noisyLines(report.happened),
      noisiest('Noisiest servers', report.servers),
    ]),
    context(beforeWords(report.happened)),
    ...(ms === undefined ? [] : [actionsBlock(fileButton('report', ms))]),
  ]
}

/** `12 alerts opened, 10 closed, 1 unknown (no end seen); 4 open now, 3 at the start.` The numbers add up. */
function countsLine({ opened, closed, lost, stillOpen, openBefore }: Report): string {
  const unknown = lost === 0 ? '' : `, ⚪ ${lost} unknown (no end seen)`
  return `*${counted(opened, 'alert')} opened*, ${closed} closed${unknown}; ${stillOpen} open now, ${openBefore} at the start.`
}

function noisiest(title: string, counts: readonly Count[]): string {
  const words = counts.slice(0, countsShown).map(({ name: of, count }) => `${name(of)} ${count}`)
  return `*${title}*: ${words.join(', ')}`
}

/** What the file holds, and what it does not. */
export function renderFileAnswer({
  file,
  fromMs,
  toMs,
  rows,
  total,
  outage,
  health,
}: Extract<Answer, { kind: 'file' }>): KnownBlock[] {
  return sectionsOf([
    `📄 *${name(file.name)}* comes in a direct message: ${rowsWords({ rows, total })} that opened ${fromTo(fromMs, toMs, inBlocks)}.`,
    ...doubtLines(health),
    ...outageLines(outage),
  ])
}

/** `120 alerts`, or how many of them were left out. */
export function rowsWords({ rows, total }: { readonly rows: number; readonly total: number }): string {
  return rows === total ? counted(total, 'alert') : `the latest ${rows} of ${counted(total, 'alert')}`
}
