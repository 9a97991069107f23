/**
 * `npm run kills -- --kills 100 --seed 1`: kills the real bot with -9 again and again while alerts open, close and storm, people press
 * and mute, and Slack and the monitoring give unclear answers; then looks whether each alert stands on one card, and green where it
 * closed, whether mutes ended, and whether the monitoring was told last what is wanted. `--postgres`: two bots on a Postgres, of which
 * the leading one is killed, stopped for 20 s, or told to end.
 */
import { copyFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { chanceOf } from '../test/bot/worlds/chance.ts'
import { openPostgres } from '../test/bot/worlds/postgres.ts'
import { type BotProcess, type Card, openTown, startBot, until } from '../test/bot/worlds/town.ts'
import { lostAnswers } from '../test/support/lost-answers.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    postgres: { type: 'boolean', default: false },
  },
})
const kills = Number(values.kills)
const seed = Number(values.seed)
if (!(Number.isInteger(kills) && kills > 0 && Number.isInteger(seed))) {
  process.stderr.write('kills: expected --kills and --seed as whole numbers\n')
  process.exit(2)
}

const { next: chance, int, of, isHit } = chanceOf(seed)
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** `isAgain`: on a server that may be muted; it stays open, since what closes while it is hidden is rightly told nowhere. */
type Opened = {
  readonly id: number
  readonly server: string
  readonly words: string
  readonly isAgain: boolean
  isOpen: boolean
}

const lost = lostAnswers('POST /servers')
const town = await openTown({ service: { before: lost.before } })
const { service, workspace, cards, person } = town
const postgres = values.postgres ? await openPostgres() : null
const name = await postgres?.create()
const database = postgres === null ? {} : { DATABASE_URL: postgres.url(name ?? '') }
const names = postgres === null ? ['bot'] : ['bot-a', 'bot-b']
const policy = 'reminders: never\nimages: off\n'
const start = (replica: string) =>
  startBot(town.settings({ ...database, REPLICA_NAME: replica, LOG_LEVEL: 'info' }, policy))
const bots = new Map<string, BotProcess>(names.map((one) => [one, start(one)]))
const opened: Opened[] = []
// A first poll rightly tells nothing of what closed before it.
await until(() => town.board(), 'the first poll', bots.get(names[0] ?? ''))
/** Servers that somebody tried to mute. */
const muted = new Set<string>()
const took = { leader: 0, other: 0, stopped: 0, ended: 0 }

for (let kill = 1; kill <= kills; kill += 1) {
  const leader = await leaderNow()
  for (let n = int(1, 3); n > 0; n -= 1) await change()
  await wait(int(0, 1500))
  const other = names.find((one) => one !== leader)
  const victim = other !== undefined && isHit(0.2) ? other : leader
  const bot = bots.get(victim)
  if (bot === undefined) throw new Error(`expected a bot; came ${victim}`)
  if (bot.child.exitCode !== null) throw new Error(`${victim} had ended by itself:\n${bot.output()}`)
  if (other !== undefined && isHit(0.08)) {
    took.stopped += 1
    bot.child.kill('SIGSTOP')
    await wait(20_000)
    bot.child.kill('SIGCONT')
  } else {
    const signal = isHit(0.8) ? 'SIGKILL' : 'SIGTERM'
    took[signal === 'SIGTERM' ? 'ended' : victim === leader ? 'leader' : 'other'] += 1
    await bot.kill(signal)
    // A dead one does not come back: that its term lasts for 15 s more is shown by every eighth.
    if (signal === 'SIGKILL' && victim === leader && isHit(0.875))
      await postgres?.query(`update leader set until = now() where name = '${victim}'`, name)
    bots.set(victim, start(victim))
  }
  if (kill % 25 === 0) process.stdout.write(`${kill} kills, ${opened.length} alerts\n`)
}

await workspace.acts.clearFaults()
service.control.order(null)
const lastMs = performance.now()
const deadline = lastMs + 150_000
let wrong = problems()
const wrongAtFirst = wrong.length
while (wrong.length > 0 && performance.now() < deadline) {
  await wait(1_000)
  wrong = problems()
}
const settledMs = performance.now() - lastMs
for (const line of wrong) process.stdout.write(`${line}\n`)
if (wrong.length > 0) for (const bot of bots.values()) process.stdout.write(bot.output())
for (const bot of bots.values()) await bot.kill('SIGTERM')
// To look for the cause; nothing that is in it is secret.
if (wrong.length > 0 && postgres === null) copyFileSync(`${town.folder}/monbot.db`, `kills-${seed}.db`)
await postgres?.close()
await town.close()
process.stdout.write(
  `${kills} kills (${JSON.stringify(took)}), ${opened.length} alerts, ${muted.size} servers muted, ` +
    `${wrongAtFirst} to settle in ${Math.round(settledMs / 1000)} s, ${wrong.length} wrong, seed ${seed}, ${names.length} bots\n`,
)
process.exit(wrong.length === 0 ? 0 : 1)

/** Who leads, as soon as somebody does. */
async function leaderNow(): Promise<string> {
  for (const [one, bot] of bots) await until(() => bot.logged('app:started')[0], `the start of ${one}`, bot)
  if (postgres === null) return 'bot'
  const sql = 'select name from leader where until > now()'
  for (const deadlineMs = performance.now() + 30_000; ; ) {
    // The first of them makes the table.
    const [row] = await postgres.query<{ name: string }>(sql, name).catch(() => [])
    if (row !== undefined) return row.name
    if (performance.now() > deadlineMs) throw new Error('waited in vain for a leader')
    await wait(50)
  }
}

/** Something happens: an alert opens or closes, a storm comes, somebody presses or mutes, or an answer becomes unclear. */
async function change(): Promise<void> {
  const roll = chance()
  if (roll < 0.35) open(`web-${opened.length}`, int(0, 2))
  else if (roll < 0.4) for (let n = 0; n < 6; n += 1) open(`web-${opened.length}`, 3)
  else if (roll < 0.6) {
    const one = opened.filter(({ isOpen, isAgain }) => isOpen && !isAgain)[int(0, 4)]
    if (one === undefined) return
    service.control.close(one.id)
    one.isOpen = false
  } else if (roll < 0.7) {
    const card = cards().findLast(({ blocks }) => JSON.stringify(blocks).includes('"acknowledge"'))
    if (card !== undefined) await tries(() => person('ana').presses('Acknowledge', card))
  } else if (roll < 0.85) {
    const server = of(opened.slice(-12))?.server
    // What is muted before its card stands is rightly told nowhere.
    if (server === undefined || !isTold(server)) return
    if (muted.has(server) && isHit(0.4)) return tries(() => person('ana').types(`/mon unmute ${server}`))
    muted.add(server)
    await tries(() => person('ana').types(`/mon mute ${server} ${isBrief(server) ? '1m' : '1h'} deploying`))
  } else if (roll < 0.95) {
    const effect = of([
      { kind: 'commit_then_reset' },
      { kind: 'commit_then_status', status: 500 },
      { kind: 'commit_late', afterMs: 1500 },
      { kind: 'reset' },
      { kind: 'ratelimited', retryAfterSeconds: 2 },
    ] as const)
    const method = isHit(0.6) ? 'chat.postMessage' : 'chat.update'
    await workspace.acts.fault({ method, times: int(1, 3), effect })
  } else lost.order(int(1, 2), isHit(0.5))
}

/** On a new server; or another one on a server that somebody muted for a minute. */
function open(name: string, kind: number): void {
  const again = opened.find(({ server, isAgain }) => isBrief(server) && muted.has(server) && !isAgain)?.server
  const isAgain = again !== undefined && kind < 3 && isHit(0.25)
  const server = isAgain ? again : name
  const plugin = isAgain ? `Again ${opened.length}` : `Kind ${kind}`
  const id = service.control.open({ server, plugin, metric: 'busy', value: 97, title: 'busy' })
  opened.push({ id, server, words: isAgain ? plugin : server, isAgain, isOpen: true })
}

/** Half of the servers are muted for a minute at a time: what is hidden there must come before the end. */
function isBrief(server: string): boolean {
  return Number(server.slice('web-'.length)) % 2 === 0
}

/** Nobody may be there to hear it: that is a person's error, and no alert's. */
async function tries(work: () => Promise<void>): Promise<void> {
  await work().catch(() => undefined)
}

/** What is not as it must be. */
function problems(): string[] {
  return [...wrongCards(), ...wrongMutes()]
}

/** An alert on no card or on two, and a card that is not green though all on it closed. */
function wrongCards(): string[] {
  const all = town.messages()
  const alertCards = cards().filter(({ text }) => !/^(🔕|🔔)/u.test(text))
  return opened.flatMap(({ words, isOpen, isAgain }) => {
    const name = nameOf(words)
    const isIt = (line: string) => name.test(line) && line.includes('Again') === isAgain
    const single = alertCards.filter(
      ({ text, blocks }) => !/\d+ × /.test(text) && isIt(text + JSON.stringify(blocks)),
    )
    const listed = all.filter(
      ({ blocks, thread_ts, ts }) =>
        thread_ts !== undefined && thread_ts !== ts && linesOf(blocks).some(isIt),
    )
    const places = new Set([...single.map(({ ts }) => ts), ...listed.map(({ thread_ts: ts }) => ts)])
    if (places.size !== 1)
      return [`${words}: open is ${isOpen}, expected one card; it stands on ${places.size}`]
    const [card] = single
    if (card !== undefined && card.text.startsWith('🟢') === isOpen)
      return [`${words}: open is ${isOpen}, but ${card.text}`]
    return []
  })
}

function isTold(words: string): boolean {
  return town.messages().some(({ blocks }) => linesOf(blocks).some((line) => nameOf(words).test(line)))
}

function nameOf(words: string): RegExp {
  return new RegExp(`(^|[^\\w-])${words}(?![\\w-])`)
}

/** Of what stands in sections: a message's text alone is cut. */
function linesOf(blocks: Card['blocks']): string[] {
  return blocks.flatMap(({ text }) => ((text as { text?: string } | undefined)?.text ?? '').split('\n'))
}

/** A mute that should have ended, and a server whose switch in the monitoring is another one than its message says. */
function wrongMutes(): string[] {
  const told = cards().flatMap(({ text }) => /^🔕 .*?(web-\d+)/u.exec(text)?.[1] ?? [])
  const { servers } = service.control.state()
  const off = servers.filter(({ notifications }) => !notifications).map(({ host }) => host)
  return [
    ...told.filter((server) => isBrief(server)).map((server) => `${server}: its mute has not ended`),
    ...told.filter((server) => !off.includes(server)).map((server) => `${server}: told as muted; it is not`),
    ...off.filter((server) => !told.includes(server)).map((server) => `${server}: muted; nothing tells it`),
  ]
}
