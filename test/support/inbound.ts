/** Runs the bot's Slack adapter against the local workspace, with a handler by hand: what people do arrives as requests. */
import { onTestFinished } from 'vitest'
import { Secret } from '../../src/bot/config/secret.ts'
import type { CardView } from '../../src/bot/domain/card/kinds.ts'
import type { Request } from '../../src/bot/domain/request/intent.ts'
import type { Form, Reply } from '../../src/bot/domain/request/reply.ts'
import type { Clock } from '../../src/bot/flow/ports/ports.ts'
import { startHealth } from '../../src/bot/ops/health.ts'
import { openSlack, type Slack } from '../../src/bot/slack/connect.ts'
import type { InboundPorts } from '../../src/bot/slack/inbound/inbound-ports.ts'
import { eventsUsed } from '../../src/bot/slack/vocabulary.ts'
import { realClock } from '../../src/shared/clock.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../../src/workspace/workspace.ts'
import { view } from '../bot/slack/card-views.ts'
import { anAlert } from './delivery-world.ts'
import { keptJournal } from './journal.ts'

export type InboundTown = {
  readonly workspace: Workspace
  readonly slack: Slack
  readonly logger: ReturnType<typeof keptJournal>
  /** What was asked so far. */
  readonly requests: Request[]
  /** Texts of the answers that only this person sees, oldest first. */
  answers(person: string): string[]
  /** A card of an alert, posted; answers its `ts`. */
  post(view?: CardView): Promise<string>
}

export async function inboundTown(
  setting: {
    readonly handle?: InboundPorts['handle']
    readonly ports?: Partial<InboundPorts>
    readonly workspace?: WorkspaceOptions
    readonly secondSocketAfterMs?: number
    readonly pongMs?: number
    /** By which the bot waits; the real one, where it is not given. */
    readonly clock?: Clock
    /** HTTP mode, over the real health server; else Socket Mode. */
    readonly http?: boolean
    /** Before the bot opens its first socket. */
    readonly before?: (workspace: Workspace) => Promise<unknown>
  } = {},
): Promise<InboundTown> {
  const http = setting.http === true ? await openDoor() : null
  const workspace = await openWorkspace({
    limits: 'off',
    botEvents: eventsUsed,
    ...(http === null ? {} : { http: { requestUrl: http.requestUrl, signingSecret } }),
    ...setting.workspace,
  })
  onTestFinished(() => workspace.close())
  const logger = keptJournal()
  const slack = openSlack({
    botToken: new Secret(workspace.botToken),
    appToken: http === null ? new Secret(workspace.appToken) : null,
    signingSecret: http === null ? null : new Secret(signingSecret),
    apiUrl: workspace.apiUrl,
    channels: [workspace.channel('alerts').id],
    logger,
    clock: setting.clock ?? realClock,
    ...(setting.secondSocketAfterMs === undefined
      ? {}
      : { secondSocketAfterMs: setting.secondSocketAfterMs }),
    ...(setting.pongMs === undefined ? {} : { pongMs: setting.pongMs }),
  })
  await slack.connect()
  onTestFinished(() => slack.stop())
  http?.leadTo(slack)
  const requests: Request[] = []
  await setting.before?.(workspace)
  await slack.listen({
    cardAt: async () => null,
    roleNames: async () => [],
    onHome: async () => {},
    onReopened: async () => {},
    isStanding: async () => true,
    whenAnswered: async () => null,
    ids: { make: () => 'e7f3' },
    ...setting.ports,
    handle: async (request) => {
      requests.push(request)
      return (await setting.handle?.(request)) ?? { kind: 'cancelled' }
    },
  })
  const channel = workspace.channel('alerts').id
  return {
    workspace,
    slack,
    logger,
    requests,
    answers: (person) => workspace.ephemerals(person).map(({ text }) => String(text)),
    post: async (view = alertView()) => {
      const posted = await slack.chat.post({ channel, threadTs: null, key: 'k', plain: false }, view)
      if (posted.kind !== 'shown') throw new Error(`the card was not posted: ${posted.why}`)
      return posted.ts
    },
  }
}

const signingSecret = 'canary-signing-secret'

/** The health server, whose port the workspace must know before there is a bot behind it. */
async function openDoor() {
  let slack: Slack | null = null
  const health = await startHealth({
    host: '127.0.0.1',
    port: 0,
    isReady: () => ({ slack: { ready: true, sinceMs: 0 }, poll: { ready: true, sinceMs: 0 } }),
    events: async (request) => (await slack?.events?.(request)) ?? new Response(null, { status: 503 }),
  })
  onTestFinished(() => health.stop())
  return {
    requestUrl: `http://127.0.0.1:${health.port}/slack/events`,
    leadTo: (to: Slack) => {
      slack = to
    },
  }
}

export const cardId = 'alert:1:C0ALERTS01'

export function alertView(): CardView {
  return view({}, { stamp: { cardId, version: 7 } })
}

export function formReply(over: Partial<Form> & Pick<Form, 'name'>): Reply {
  return {
    kind: 'form',
    form: {
      alert: anAlert('1'),
      given: null,
      hidesNow: 2,
      hidLastWeek: 14,
      others: [],
      maxMs: 4 * 3_600_000,
      prefill: '',
      ...over,
    },
  }
}
