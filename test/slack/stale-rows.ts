/** What a person reads who pressed a card that had changed. */
import type { Reply } from '../../src/domain/request/reply.ts'
import { anAlert } from '../support/delivery-world.ts'
import { aMute, anEntry, local, minuteMs, startedMs } from './card-views.ts'

const until = `until ${local(startedMs + 60 * minuteMs)}`
const nowMs = startedMs + 90_000
const closed = anAlert('1', { state: 'closed', closedMs: nowMs - 12_000, closedBy: 'record' })

export const staleRows: readonly (readonly [Extract<Reply, { kind: 'stale' }>, readonly string[]])[] = [
  [
    { kind: 'stale', nowMs, changed: { what: 'closed', alert: closed } },
    ['🟢 Load Average on *web-1* closed 12 s earlier. Nothing changed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'closed', alert: { ...closed, closedBy: 'absence' } } },
    ['🟢 Load Average on *web-1* closed about 12 s earlier. Nothing changed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'closed', alert: anAlert('1', { state: 'unreported' }) } },
    ['⚪ Load Average on *web-1* is no longer reported as open. Nothing changed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'all_closed', count: 30, closedMs: nowMs - 12_000 } },
    ['🟢 All 30 alerts on this card closed 12 s earlier. Nothing changed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'all_closed', count: 1, closedMs: nowMs - 12_000 } },
    ['🟢 The alert on this card closed 12 s earlier. Nothing changed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'all_closed', count: 30, closedMs: null } },
    ['⚪ No alert on this card is listed as open any more. Nothing changed.'],
  ],
  [
    {
      kind: 'stale',
      nowMs,
      changed: { what: 'acknowledged', alert: anAlert('1', { ackedBy: 'U2', ackedMs: nowMs - 9_000 }) },
    },
    [
      '👀 <@U2> acknowledged Load Average on *web-1* 9 s earlier. Nothing changed.',
      '`/mon take #1` makes it yours, as does *Take over* on its card.',
    ],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'unacknowledged', alert: anAlert('1') } },
    ['👀 Nobody has acknowledged Load Average on *web-1*. Nothing changed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'muted', mute: aMute() } },
    [
      `🔕 *web-1* is already muted by <@U2> ${until} — deploying`,
      'Nothing changed. To change it, use its card, which shows it now.',
    ],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'unmuted', server: 'web-1', by: anEntry({ userId: 'U3' }) } },
    ['🔔 <@U3> unmuted *web-1* 1 min 30 s earlier. Nothing changed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'unmuted', server: 'web-1', by: null } },
    ['🔔 *web-1* is not muted any more. Nothing changed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'extended', mute: aMute(), by: anEntry({ userId: 'U3' }) } },
    [`🔕 <@U3> changed the mute of *web-1* 1 min 30 s earlier: it goes on ${until}.`, 'Nothing changed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'extended', mute: aMute(), by: null } },
    [`🔕 Somebody changed the mute of *web-1*: it goes on ${until}.`, 'Nothing changed.'],
  ],
]
