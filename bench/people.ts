/** How long people wait: for the card of an alert, for a storm's list, and for the answer to a click or a command. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Workspace } from '../src/workspace/workspace.ts'
import { patienceMs } from '../test/support/patience.ts'
import { startBare } from './bare.ts'
import { type Figure, many, quantile } from './figure.ts'
import { sized } from './measured.ts'
import { cardOf, type Message, openMany, openTown, type Town, timesShown, until } from './town.ts'

const person = 'ana'
const pollMs = 1_000
const alertsMeasured = sized(40, 3)
/** With the wait for the next poll, slow enough for Slack's pace, so that none waits for the one before; not in step with the polls. */
const apartMs = 730
const commandsMeasured = sized(40, 3)
/** Until what was begun before is over, pictures as well. */
const quietMs = sized(5_000, 2_000)
/** Until the updates that Slack allows at once are all left, as at night: those of the cards before used them up. */
const refilledMs = sized(30_000, 500)
/** Slack takes fifty updates a minute, and a click changes the board as well: one that comes sooner waits for that. */
const clicksApartMs = 4_000
const clicksMeasured = sized(20, 2)
/** Slack's pace in one channel. */
const messageMs = 1_000
const listedInAReply = 80

/** From the moment at which the API lists an alert until its card is in the channel. */
export async function measureCards({ workspace, service }: Town) {
  const tookMs: number[] = []
  const cards: string[] = []
  for (let n = 0; n < alertsMeasured; n += 1) {
    const server = `bench-${n}-`
    const isCard: IsAnswer = ({ type, ts, message }) => {
      if (type !== 'message_posted' || !cardOf(message as Message).startsWith('alert:')) return false
      if (!JSON.stringify(message).includes(server)) return false
      cards.push(ts ?? '')
      return true
    }
    const open = async () => {
      service.openAlert({ server, plugin: 'CPU', metric: 'busy', value: 99, title: 'too much' })
      return { ok: true }
    }
    tookMs.push(await answerMs(workspace, isCard, open))
    await wait(apartMs)
  }
  return { tookMs, cards }
}

/** From the click that acknowledges an alert until everybody sees that on the card, while nothing else is under way. */
export async function measureClicks(workspace: Workspace, cards: readonly string[]): Promise<number[]> {
  await wait(refilledMs)
  const channel = workspace.channel('alerts').id
  const tookMs: number[] = []
  for (const ts of cards.slice(-clicksMeasured)) {
    const isUpdate: IsAnswer = (event) => event.type === 'message_updated' && event.ts === ts
    const click = () => workspace.acts.click({ user: person, channel, ts, actionId: 'acknowledge' })
    tookMs.push(await answerMs(workspace, isUpdate, click))
    await wait(clicksApartMs)
  }
  return tookMs
}

type IsAnswer = (event: {
  readonly type: string
  readonly ts?: string
  readonly message?: unknown
}) => boolean

/** Milliseconds until the workspace says that it happened. */
async function answerMs(
  { events }: Workspace,
  isAnswer: IsAnswer,
  act: () => Promise<{ ok: boolean }>,
): Promise<number> {
  const answered = Promise.withResolvers<number>()
  const timer = setTimeout(() => answered.reject(new Error(`nobody answered: ${act}`)), patienceMs)
  const stop = events.listen(({ event }) => {
    if (isAnswer(event)) answered.resolve(performance.now())
  })
  try {
    const fromMs = performance.now()
    const reply = await act()
    if (!reply.ok) throw new Error(`the workspace refused ${act}: ${JSON.stringify(reply)}`)
    return (await answered.promise) - fromMs
  } finally {
    clearTimeout(timer)
    stop()
  }
}

async function measureCommand(workspace: Workspace, text: string, says: RegExp): Promise<number[]> {
  const ask = { user: person, channel: workspace.channel('alerts').id, command: '/mon', text }
  const tookMs: number[] = []
  for (let n = 0; n < commandsMeasured; n += 1) {
    const isAnswer: IsAnswer = ({ type, message }) =>
      type === 'ephemeral_posted' && says.test(JSON.stringify(message))
    tookMs.push(await answerMs(workspace, isAnswer, () => workspace.acts.command(ask)))
  }
  return tookMs
}

/** The least that an answer takes: bare Bolt's, which knows it without looking. */
async function measureBare(): Promise<number[]> {
  const town = await openTown('off')
  try {
    const { child } = await startBare(town)
    const tookMs = await measureCommand(town.workspace, 'ping', /pong/)
    child.kill()
    return tookMs
  } finally {
    await town.close()
  }
}

export async function measureWaits(stored: number): Promise<Figure[]> {
  const bareMs = await measureBare()
  const town = await openTown('off')
  try {
    openMany(town.service, stored, 0)
    await town.start()
    const { tookMs, cards } = await measureCards(town)
    const { workspace } = town
    const answers = {
      Acknowledge: await measureClicks(workspace, cards),
      '/mon status': await measureCommand(workspace, 'status', /open/),
      '/mon alerts': await measureCommand(workspace, 'alerts', /alerts/),
    }
    const size = (n: number) => `${many(stored)} stored, n = ${n}`
    return [
      {
        figure: 'from alert to card, p99',
        size: size(tookMs.length),
        unit: 'ms',
        measured: quantile(tookMs, 0.99),
        floor: pollMs,
        floorIs: 'the poll interval',
        goal: { of: 'measured', atMost: pollMs + 1_000 },
      },
      ...Object.entries(answers).map(
        ([what, values]): Figure => ({
          figure: `from \`${what}\` to its answer, p99`,
          size: size(values.length),
          unit: 'ms',
          measured: quantile(values, 0.99),
          floor: quantile(bareMs, 0.99),
          floorIs: 'bare Bolt, which answers at once',
          goal: { of: 'measured', atMost: 50 },
        }),
      ),
    ]
  } finally {
    await town.close()
  }
}

/** From the poll that finds them until all stand in the thread, with Slack's limits on. */
export async function measureStorm(alerts: number): Promise<Figure> {
  const town = await openTown('slack')
  try {
    const { bot } = await town.start()
    // What the start itself posts takes its place in Slack's pace.
    await wait(quietMs)
    openMany(town.service, alerts, alerts)
    await until('all are listed', 120_000, () => timesShown(town.channel()).size >= alerts)
    const listedMs = town.said.findLast(({ what }) => what === 'message_posted')?.atMs ?? Number.NaN
    const [began] = bot.logged('storm:began')
    const messages = 1 + Math.ceil(alerts / listedInAReply)
    return {
      figure: 'a storm, until all are listed in its thread',
      size: `${many(alerts)} at once`,
      unit: 'ms',
      measured: listedMs - Date.parse(String(began?.time)),
      floor: (messages - 1) * messageMs,
      floorIs: `${messages} messages at Slack's pace`,
      goal: { of: 'ratio', atMost: 1.2 },
    }
  } finally {
    await town.close()
  }
}
