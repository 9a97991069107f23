/**
 * The fence before the outside world: right before each call that changes something at Slack or at the monitoring API, it asks
 * whether this process may still act. One that was stopped or cut off may be deposed and not know it.
 */
import { notLeadingCode, OutsideFailure } from '../domain/base/failure.ts'
import type { Outcome } from '../domain/delivery/delivery.ts'
import type { Leadership } from './ports/leadership.ts'
import type { Pager } from './ports/pager.ts'
import type { Chat, Heartbeat, Monitor } from './ports/ports.ts'

const chatCalls = {
  post: 'shows',
  update: 'shows',
  // Of a thread that is gone it deletes what it finds in the channel.
  find: 'changes',
  remove: 'changes',
  pin: 'changes',
  unpin: 'changes',
  upload: 'changes',
  attach: 'changes',
  publishHome: 'changes',
  probe: 'reads',
  direct: 'reads',
  isShared: 'reads',
  isTakenIn: 'reads',
  permalink: 'reads',
} as const satisfies Record<keyof Chat, 'shows' | 'changes' | 'reads'>

const monitorCalls = {
  setServerNotifications: 'changes',
  setAccountNotifications: 'changes',
  endMute: 'changes',
  muteAlert: 'changes',
  setNoDataGroup: 'changes',
  addRoles: 'changes',
  addMarker: 'changes',
  deleteServer: 'changes',
  deleteCustomMetrics: 'changes',
  alerts: 'reads',
  triggers: 'reads',
  roles: 'reads',
  metrics: 'reads',
  silences: 'reads',
  previewMute: 'reads',
} as const satisfies Record<keyof Monitor, 'changes' | 'reads'>

/** A post or an update that is not made comes to `later`: certainly not done. */
export function fencedChat(chat: Chat, leadership: Leadership): Chat {
  const notNow: Outcome = { kind: 'later', why: notLeadingCode.toLowerCase(), retryAfterMs: null }
  const shows = async (call: () => Promise<Outcome>) => (leadership.isTrusted() ? call() : notNow)
  const { publishHome, ...checked } = fenced(chat, chatCalls, leadership)
  return {
    ...checked,
    // That the memory is away is true whoever leads.
    publishHome: (userId, view) =>
      view === null ? chat.publishHome(userId, view) : publishHome(userId, view),
    post: (to, view) => shows(() => chat.post(to, view)),
    update: (at, view) => shows(() => chat.update(at, view)),
  }
}

export function fencedMonitor<Given extends Monitor>(monitor: Given, leadership: Leadership): Given {
  return fenced(monitor, monitorCalls, leadership)
}

/** Only who leads says that it is alive. */
export function fencedHeartbeat(heartbeat: Heartbeat, leadership: Leadership): Heartbeat {
  return fenced(heartbeat, { send: 'changes' }, leadership)
}

/** Only who leads calls people. */
export function fencedPager(pager: Pager, leadership: Leadership): Pager {
  return fenced(pager, { tell: 'changes' }, leadership)
}

/** The same port, whose changes fail with an `OutsideFailure` that rules out that they were made. */
function fenced<Port extends object>(
  port: Port,
  calls: Readonly<Record<string, string>>,
  { isTrusted }: Leadership,
): Port {
  const changes = Object.keys(calls).filter((name) => calls[name] === 'changes')
  const checked = changes.map((name) => [
    name,
    async (...given: unknown[]) => {
      const own = Reflect.get(port, name) as (...given: unknown[]) => Promise<unknown>
      if (isTrusted()) return own.apply(port, given)
      const why = 'nothing was changed: another monbot may lead by now'
      throw new OutsideFailure('unreachable', why, { code: notLeadingCode })
    },
  ])
  return { ...port, ...Object.fromEntries(checked) }
}
