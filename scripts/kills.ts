/**
 * `npm run kills -- --kills 100 --seed 1`: kills the real bot with -9 again and again while alerts open, close and storm, people press,
 * and Slack gives unclear answers; then looks whether each alert stands on one card, and green where it closed. `--postgres`: two bots
 * on a Postgres, of which the leading one is killed, stopped for 20 s, or told to end.
 */
import { parseArgs } from 'node:util'
import { chanceOf } from '../test/bot/worlds/chance.ts'
import { openPostgres } from '../test/bot/worlds/postgres.ts'
import { type BotProcess, openTown, startBot, type Town, until } from '../test/bot/worlds/town.ts'

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

const { next: chance, int } = chanceOf(seed)
const below = (count: number) => int(0, count - 1)
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Opened = { readonly id: number; readonly words: string; isOpen: boolean }

const town = await openTown()
const postgres = values.postgres ? await openPostgres() : null
const database = postgres === null ? {} : { DATABASE_URL: postgres.url(await postgres.create()) }
const names = postgres === null ? ['bot'] : ['bot-a', 'bot-b']
const policy = 'reminders: never\nimages: off\n'
const start = (name: string) =>
  startBot(town.settings({ ...database, REPLICA_NAME: name, LOG_LEVEL: 'info' }, policy))
const bots = new Map<string, BotProcess>(names.map((name) => [name, start(name)]))
const opened: Opened[] = []

for (let kill = 1; kill <= kills; kill += 1) {
  for (const bot of bots.values()) await until(() => bot.logged('app:started')[0], 'the start of a bot', bot)
  await change(town)
  await wait(below(1500))
  const name = names[below(names.length)] ?? 'bot'
  const bot = bots.get(name)
  if (bot === undefined) continue
  if (postgres !== null && chance() < 0.15) {
    bot.child.kill('SIGSTOP')
    await wait(20_000)
    bot.child.kill('SIGCONT')
  } else {
    if (bot.child.exitCode !== null) throw new Error(`${name} had ended by itself:\n${bot.output()}`)
    await bot.kill(chance() < 0.8 ? 'SIGKILL' : 'SIGTERM')
    bots.set(name, start(name))
  }
  if (kill % 25 === 0) process.stdout.write(`${kill} kills, ${opened.length} alerts\n`)
}

await town.workspace.acts.clearFaults({})
const deadline = performance.now() + 75_000
let wrong = problems()
while (wrong.length > 0 && performance.now() < deadline) {
  await wait(1_000)
  wrong = problems()
}
for (const bot of bots.values()) await bot.kill('SIGTERM')
await postgres?.close()
await town.close()
for (const line of wrong) process.stdout.write(`${line}\n`)
process.stdout.write(
  `${kills} kills, ${opened.length} alerts, ${wrong.length} wrong, seed ${values.seed}, ${names.length} bots\n`,
)
process.exit(wrong.length === 0 ? 0 : 1)

/** Something happens: an alert opens or closes, somebody presses, a storm comes, or Slack answers unclearly. */
async function change({ service, workspace, cards, person }: Town): Promise<void> {
  const roll = chance()
  const open = (kind: number) => {
    const number = opened.length
    const words = `case ${number} of kind ${kind}`
    const alert = { server: `web-${number}`, plugin: `Kind ${kind}`, metric: 'busy', value: 97, title: words }
    opened.push({ id: service.openAlert(alert), words: `web-${number}`, isOpen: true })
  }
  if (roll < 0.45) open(below(3))
  else if (roll < 0.5) for (let n = 0; n < 6; n += 1) open(3)
  else if (roll < 0.75) {
    const one = opened.filter(({ isOpen }) => isOpen)[below(5)]
    if (one !== undefined) {
      service.closeAlert(one.id)
      one.isOpen = false
    }
  } else if (roll < 0.85) {
    const card = cards().at(-1)
    if (JSON.stringify(card?.blocks ?? '').includes('"acknowledge"'))
      // Nobody may be there to hear it: that is a person's error, and no alert's.
      await person('ana')
        .presses('Acknowledge', card)
        .catch(() => undefined)
  } else {
    const effects = [
      { kind: 'commit_then_reset' },
      { kind: 'commit_then_status', status: 500 },
      { kind: 'commit_late', afterMs: 1500 },
      { kind: 'reset' },
      { kind: 'ratelimited', retryAfterSeconds: 2 },
    ] as const
    const effect = effects[below(effects.length)] ?? { kind: 'reset' }
    await workspace.acts.fault({
      method: chance() < 0.6 ? 'chat.postMessage' : 'chat.update',
      times: 1 + below(3),
      effect,
    })
  }
}

/** What is not as it must be: an alert on no card or on two, and a card that is not green though all on it closed. */
function problems(): string[] {
  const all = town.messages()
  const cards = town.cards()
  return opened.flatMap(({ words, isOpen }) => {
    const name = new RegExp(`(^|[^\\w-])${words}(?![\\w-])`)
    const single = cards.filter(
      ({ text, blocks }) => !/\d+ × /.test(text) && name.test(JSON.stringify(blocks) + text),
    )
    const listed = all.filter(
      ({ text, thread_ts, ts }) => thread_ts !== undefined && thread_ts !== ts && name.test(text),
    )
    const places = new Set([...single.map(({ ts }) => ts), ...listed.map(({ thread_ts: ts }) => ts)])
    if (places.size !== 1) return [`${words}: expected one card; it stands on ${places.size}`]
    const [card] = single
    if (card !== undefined && card.text.startsWith('🟢') === isOpen)
      return [`${words}: open is ${isOpen}, but ${card.text}`]
    return []
  })
}
