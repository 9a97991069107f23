/**
 * Measures storms on the real process: a thousand alerts at once, a first start on a long backlog, and the return after
 * days. `node bench/storm.ts` prints the table of docs/promises.md; it takes about five minutes, for it goes at Slack's pace. It fails
 * where what must be so on any machine is not as that table has it. `--short` sees in half a minute that it still measures.
 */
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { counted, isShort, measured, sized } from './measured.ts'
import { mostInAMinute, type Opened, openMany, openTown, type Town, timesShown, until } from './town.ts'

const stormAlerts = sized(1_000, 100)
const backlogAlerts = sized(50_000, 500)
const backlogOpen = sized(500, 20)
const missedAlerts = sized(2_000, 70)
const absentMs = 3 * 24 * 3_600_000
/** Half of the storm closes in so many steps, a second apart. */
const closingSteps = sized(25, 5)
/** `held`: the parts of the value that are the same on every machine. */
type Row = { readonly figure: string; readonly value: string; readonly held: readonly string[] }
const rows: Row[] = []

function row(figure: string, value: string, ...held: readonly string[]): void {
  rows.push({ figure, value, held })
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

function leftOut(town: Town, alerts: readonly Opened[]): { missing: number; twice: number } {
  const times = timesShown(town.channel())
  const missing = alerts.filter(({ subject }) => !times.has(subject)).length
  const twice = alerts.filter(({ subject }) => (times.get(subject) ?? 0) > 1).length
  return { missing, twice }
}

const messages = (count: number) => `${count} message${count === 1 ? '' : 's'}`

/** The row of a start: what it said in the channel, and whether all of these alerts stand there. */
function startRow(figure: string, town: Town, said: number, tookMs: number, alerts: readonly Opened[]): void {
  const { missing, twice } = leftOut(town, alerts)
  const whole = missing + twice === 0 ? 'nothing left out' : `${missing} left out, ${twice} sent twice`
  row(figure, `${messages(said)}, ready in ${seconds(tookMs)}, ${whole}`, messages(said), whole)
}

function counts(town: Town, fromMs = 0): { updates: number; most: number; refused: number } {
  const calls = town.said.filter(({ what, atMs }) => what.includes('.') && atMs >= fromMs)
  const updates = calls.filter(({ what }) => what === 'chat.update').map(({ atMs }) => atMs)
  const refused = calls.filter(({ outcome }) => outcome === 'ratelimited').length
  return { updates: updates.length, most: mostInAMinute(updates), refused }
}

async function thousandAtOnce(): Promise<void> {
  const town = await openTown()
  try {
    const { bot } = await town.start()
    // A poll or two without anything.
    await wait(3_000)
    const alerts = openMany(town.service, stormAlerts)
    const posts = (kind: RegExp) =>
      town.said.filter(({ what, card }) => what === 'message_posted' && kind.test(card))
    await until('the storm is told of', 10_000, () => bot.logged('storm:began').length > 0)
    const polledMs = Date.parse(String(bot.logged('storm:began')[0]?.time))
    await until('all are listed', 60_000, () => timesShown(town.channel()).size >= stormAlerts)
    const countedMs = (posts(/^storm:[^/]*$/)[0]?.atMs ?? Number.NaN) - polledMs
    const listedMs = (posts(/^storm:.*\//).at(-1)?.atMs ?? Number.NaN) - polledMs
    const said = town.channel()
    const { missing, twice } = leftOut(town, alerts)
    row(
      `${stormAlerts.toLocaleString('en')} alerts at once: messages in the channel`,
      String(said.roots.length),
      String(said.roots.length),
    )
    row('counted on it, after the poll', seconds(counted('until it is counted', Math.max(0, countedMs))))
    const replies = `${said.replies.length} replies`
    row(
      'all listed in its thread, after the poll',
      `${seconds(measured('until all are listed', listedMs))}, ${replies}`,
      replies,
    )
    const half = alerts.slice(0, stormAlerts / 2)
    const fromMs = Date.now()
    const step = half.length / closingSteps
    for (let n = 0; n < closingSteps; n += 1) {
      for (const { id } of half.slice(n * step, (n + 1) * step)) town.service.closeAlert(id)
      await wait(1_000)
    }
    await settled(town, stormAlerts / 2)
    const closing = counts(town, fromMs)
    row(
      `half of them close within ${closingSteps} s: updates, and until all is right`,
      `${measured('updates', closing.updates)}, ${seconds(Date.now() - fromMs)}`,
    )
    const endMs = Date.now()
    for (const { id } of alerts.slice(stormAlerts / 2)) town.service.closeAlert(id)
    const [card] = town.channel().roots
    const isGreen = () => /Storm over/.test(textOf(town, card?.ts ?? ''))
    await until('the card is green', 60_000, isGreen)
    row('all close: until the card is green', seconds(Date.now() - endMs))
    await settled(town, 0)
    const all = counts(town)
    const none = `${missing}, ${twice}, ${all.refused}`
    row('left out, sent twice, 429s provoked', none, none)
    row('updates in any minute, at most', String(all.most))
    row('memory at most', `${measured('memory', town.mostMb()).toFixed(0)} MB`)
  } finally {
    await town.close()
  }
}

function textOf(town: Town, ts: string): string {
  return town.channel().roots.find((one) => one.ts === ts)?.text ?? ''
}

/** Until the replies say that so many are open in all. */
async function settled(town: Town, open: number): Promise<void> {
  const openNow = () =>
    town
      .channel()
      .replies.map(({ text }) => Number(/\d+\/\d+: (\d+) open/.exec(text)?.[1] ?? 0))
      .reduce((sum, count) => sum + count, 0)
  await until(`${open} are shown open`, 240_000, () => openNow() === open)
}

async function backlogAndAbsence(): Promise<void> {
  const town = await openTown()
  try {
    const every = backlogAlerts / backlogOpen
    // Spread over all of the time, and over servers and metrics.
    const open = openMany(town.service, backlogAlerts, (n) => n % every === Math.floor(n / every) % every)
    const first = await town.start()
    await until('all are listed', 120_000, () => timesShown(town.channel()).size >= backlogOpen)
    startRow(
      `first start with a backlog of ${backlogAlerts.toLocaleString('en')}, ${backlogOpen} of them open`,
      town,
      town.channel().roots.length,
      first.tookMs,
      open,
    )
    await first.bot.kill('SIGTERM')
    town.pass(absentMs)
    const before = town.channel().roots.length
    const news = openMany(town.service, missedAlerts, (n) => n % 7 === 0, 'missed')
    const second = await town.start()
    await until('what is open is listed', 60_000, () => {
      const times = timesShown(town.channel())
      return news.every(({ subject }) => times.has(subject))
    })
    const all = [...open, ...news]
    startRow(
      `back after three days, ${missedAlerts.toLocaleString('en')} new, ${all.length} open`,
      town,
      town.channel().roots.length - before,
      second.tookMs,
      all,
    )
    if (counts(town).refused > 0) throw new Error('Slack had to say 429')
  } finally {
    await town.close()
  }
}

await thousandAtOnce()
await backlogAndAbsence()
const table = [
  '| figure | value |',
  '|---|---|',
  ...rows.map(({ figure, value }) => `| ${figure} | ${value} |`),
]
process.stdout.write(`${table.join('\n')}\n\n`)
process.stdout.write(`Node ${process.versions.node}, ${cpus().length} shared cores, Slack's limits on.\n`)
const document = readFileSync(new URL('../docs/promises.md', import.meta.url), 'utf8')
for (const { figure, value, held } of isShort ? [] : rows) {
  const said = document.split('\n').find((line) => line.startsWith(`| ${figure} | `))
  if (said !== undefined && held.every((part) => said.slice(figure.length + 4).includes(part))) continue
  process.stdout.write(`docs/promises.md does not say so: ${figure}: ${value}\n`)
  process.exitCode = 1
}
