/**
 * Alertmanager's own Slack receiver against monbot over the same Prometheus and Alertmanager, in one run of about a quarter of an hour:
 * `npm run bench:alertmanager` prints the table of docs/prometheus.md. It needs the Debian packages prometheus and
 * prometheus-alertmanager. `-- --short` sees in a minute or two that it still measures.
 */
import { setTimeout as wait } from 'node:timers/promises'
import {
  type AlertmanagerTown,
  openAlertmanagerTown,
  type Place,
  places,
  queues,
  type Waiting,
} from './alertmanager-town.ts'
import { counted, measured, sized } from './measured.ts'

const singles = queues.filter((queue) => queue.startsWith('single')).slice(0, sized(3, 1))
const many = sized(200, 8)
const kills = sized(5, 1)
/** Prometheus sends an alert again to an Alertmanager that lost it within a minute; whoever lost one has it back by then. */
const settledMs = sized(75_000, 10_000)
const lookMs = 100
const all = Object.keys(places) as Place[]

type Cells = Readonly<Record<Place, string>>
const rows: { readonly figure: string; readonly cells: Cells }[] = []

function row(figure: string, cell: (place: Place) => string): void {
  const cells = Object.fromEntries(all.map((place) => [place, cell(place)])) as Cells
  rows.push({ figure, cells })
  process.stderr.write(`${figure}: ${all.map((place) => `${place} ${cells[place]}`).join(', ')}\n`)
}

const seconds = (ms: number): string => `${(measured('a time', ms) / 1_000).toFixed(1)} s`

async function until(withinMs: number, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadlineMs = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) return false
    await wait(lookMs)
  }
  return true
}

const about = (town: AlertmanagerTown, place: Place, { part }: Waiting) =>
  town.posted(place).filter(({ text }) => new RegExp(`${part}\\b`).test(text))

async function firedMs(town: AlertmanagerTown, waiting: Waiting): Promise<number> {
  let sinceMs: number | null = null
  await until(10_000, async () => {
    sinceMs = await town.firingSinceMs(waiting)
    return sinceMs !== null
  })
  return sinceMs ?? Number.NaN
}

/** Fires them one after the other, and says how long each of them has taken until it was first told of. */
async function delaysOf(
  town: AlertmanagerTown,
  waitings: readonly Waiting[],
  withinMs: number,
): Promise<Readonly<Record<Place, readonly number[]>>> {
  const fired: number[] = []
  for (const one of waitings) {
    town.fire(one, true)
    fired.push(await firedMs(town, one))
    // More than three at once are one card.
    await wait(sized(5_000, 1_000))
  }
  const isTold = (place: Place, one: Waiting) => about(town, place, one).length > 0
  if (!(await until(withinMs, () => all.every((place) => waitings.every((one) => isTold(place, one))))))
    throw new Error(
      `expected every one of ${waitings.map(({ part }) => part).join(', ')} to be told of; came fewer`,
    )
  const took = (place: Place) =>
    waitings.map((one, at) => (about(town, place, one)[0]?.atMs ?? Number.NaN) - (fired[at] ?? Number.NaN))
  return { bot: took('bot'), quick: took('quick'), usual: took('usual') }
}

/** A group of which nothing was told yet waits for `group_wait`, one that was told of for `group_interval`. */
async function delays(town: AlertmanagerTown): Promise<void> {
  const one = (word: string) =>
    singles.map((queue): Waiting => ({ queue, server: queue, part: `${word}-${queue}` }))
  const range = (times: readonly number[]) =>
    `${seconds(Math.min(...times))} to ${seconds(Math.max(...times))}`
  const fresh = await delaysOf(town, one('first'), 90_000)
  row('from firing to message: first of its group', (place) => range(fresh[place]))
  const notified = await delaysOf(town, one('second'), 390_000)
  row('from firing to message: another of a group that was notified', (place) => range(notified[place]))
  for (const waiting of [...one('first'), ...one('second')]) town.fire(waiting, false)
  await wait(sized(10_000, 1_000))
}

async function flaps(town: AlertmanagerTown): Promise<void> {
  const waiting: Waiting = { queue: 'flapping', server: 'flapping', part: 'flapping' }
  const fromMs = performance.now()
  const staysMs = sized(8_000, 3_000)
  for (let at = 0; at < 4; at += 1) {
    town.fire(waiting, true)
    await wait(staysMs)
    town.fire(waiting, false)
    await wait(staysMs)
  }
  await wait(10_000)
  const tookS = Math.round((performance.now() - fromMs) / 1_000)
  row('messages for one alert that opens, flaps thrice and closes (in its thread)', (place) => {
    const own = about(town, place, waiting)
    // That it posts at all was measured before: with its own times there may be none yet.
    const count = place === 'usual' ? counted : measured
    if (count(`messages of ${place} about what flaps`, own.length) === 0) return `none within ${tookS} s`
    return `${own.filter(({ isReply }) => !isReply).length} (${own.filter(({ isReply }) => isReply).length})`
  })
}

async function manyAtOnce(town: AlertmanagerTown): Promise<void> {
  const names = Array.from({ length: many }, (_, at) => `many-${at}`)
  const before = Object.fromEntries(all.map((place) => [place, town.posted(place).length])) as Record<
    Place,
    number
  >
  const ofMany = (part: string): Waiting => ({ queue: 'many', server: part, part })
  for (const name of names) town.fire(ofMany(name), true)
  const fromMs = await firedMs(town, ofMany('many-0'))
  const named = (place: Place): number => {
    const words = town
      .posted(place)
      .slice(before[place])
      .map(({ text }) => text)
      .join('\n')
    return names.filter((name) => new RegExp(`${name}\\b`).test(words)).length
  }
  await until(330_000, () => all.every((place) => named(place) === many))
  row(`${many} at once: messages in the channel`, (place) =>
    String(
      town
        .posted(place)
        .slice(before[place])
        .filter(({ isReply }) => !isReply).length,
    ),
  )
  row(`${many} at once: of them named, and by when`, (place) => {
    const last = town.posted(place).slice(before[place]).at(-1)?.atMs ?? Number.NaN
    return `${measured(`alerts that ${place} names`, named(place))}, ${seconds(last - fromMs)}`
  })
  for (const name of names) town.fire(ofMany(name), false)
  await wait(sized(30_000, 1_000))
}

/** The message stands in the channel, and whoever sent it is killed before it hears so. */
async function killsInTheMiddle(town: AlertmanagerTown): Promise<void> {
  const killedOf = (place: Place, at: number): Waiting => {
    const part = `killed-${place}-${at}`
    return { queue: 'killed', server: part, part }
  }
  const told = { bot: 0, quick: 0, usual: 0 }
  const lost = { bot: 0, quick: 0, usual: 0 }
  const twice = { bot: 0, quick: 0, usual: 0 }
  for (const place of ['bot', 'quick'] as const) {
    for (let at = 0; at < kills; at += 1) {
      const waiting = killedOf(place, at)
      await town.holdAnswers(place)
      town.fire(waiting, true)
      if (!(await until(60_000, () => about(town, place, waiting).length > 0)))
        throw new Error(`expected a message of ${place} to be killed in; came none`)
      await (place === 'bot' ? town.killBot() : town.killAlertmanager())
      told[place] += 1
    }
    await wait(settledMs)
    for (let at = 0; at < kills; at += 1) {
      const copies = about(town, place, killedOf(place, at)).filter(({ isReply }) => !isReply).length
      if (copies === 0) lost[place] += 1
      if (copies > 1) twice[place] += 1
    }
  }
  row(`killed in the middle of a send, ${kills} times: lost, sent twice`, (place) =>
    told[place] === 0 ? '' : `${lost[place]}, ${twice[place]}`,
  )
}

const town = await openAlertmanagerTown()
try {
  await delays(town)
  await flaps(town)
  // Before the storm, which what opens within a minute would join.
  await killsInTheMiddle(town)
  await manyAtOnce(town)
} finally {
  await town.close()
}
process.stdout.write(`Measured with ${town.versions}.\n\n`)
const header = '| | monbot | Slack receiver, 1 s and a message each | Slack receiver, its own times |'
const lines = rows.map(
  ({ figure, cells }) => `| ${figure} | ${cells.bot} | ${cells.quick} | ${cells.usual} |`,
)
process.stdout.write(`${[header, '|---|---:|---:|---:|', ...lines].join('\n')}\n`)
