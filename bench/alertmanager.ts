/**
 * Alertmanager's own Slack receiver against monbot over the same Prometheus and Alertmanager, in one run of about ten minutes:
 * `npm run bench:alertmanager` prints the table of docs/prometheus.md. It needs the Debian packages prometheus and
 * prometheus-alertmanager. `-- --short` sees in a minute or two that it still measures.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type AlertmanagerTown, openAlertmanagerTown, type Place, places } from './alertmanager-town.ts'
import { measured, sized } from './measured.ts'

const singles = sized(3, 1)
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

const about = (town: AlertmanagerTown, place: Place, server: string) =>
  town.posted(place).filter(({ text }) => new RegExp(`${server}\\b`).test(text))

/** Fires one alert and answers when it fired and when each of them first told of it. */
async function single(town: AlertmanagerTown, server: string): Promise<Record<Place, number>> {
  town.fire(server, true)
  let firedMs: number | null = null
  await until(10_000, async () => {
    firedMs = await town.firingSinceMs(server)
    return firedMs !== null
  })
  // Its own times are those of a group: only the first of a group comes within this time.
  const waited = server === 'single-0' ? all : all.filter((place) => place !== 'usual')
  await until(60_000, () => waited.every((place) => about(town, place, server).length > 0))
  return Object.fromEntries(
    all.map((place) => [
      place,
      (about(town, place, server)[0]?.atMs ?? Number.NaN) - (firedMs ?? Number.NaN),
    ]),
  ) as Record<Place, number>
}

async function delays(town: AlertmanagerTown): Promise<void> {
  const took: Record<Place, number>[] = []
  for (let at = 0; at < singles; at += 1) {
    took.push(await single(town, `single-${at}`))
    town.fire(`single-${at}`, false)
    await wait(sized(5_000, 1_000))
  }
  row('from firing to message', (place) => {
    const times = took.map((one) => one[place]).filter((ms) => !Number.isNaN(ms))
    if (place === 'usual') return `${seconds(times[0] ?? Number.NaN)}, the next of its group 5 min later`
    return `${seconds(Math.min(...times))} to ${seconds(Math.max(...times))}`
  })
}

async function flaps(town: AlertmanagerTown): Promise<void> {
  const server = 'flapping'
  const before = Object.fromEntries(all.map((place) => [place, town.posted(place).length])) as Record<
    Place,
    number
  >
  const staysMs = sized(8_000, 3_000)
  for (let at = 0; at < 4; at += 1) {
    town.fire(server, true)
    await wait(staysMs)
    town.fire(server, false)
    await wait(staysMs)
  }
  await wait(10_000)
  row('messages for one alert that opens, flaps thrice and closes (in its thread)', (place) => {
    const own = town.posted(place).slice(before[place])
    measured(`messages of ${place} about what flaps`, own.length)
    return `${own.filter(({ isReply }) => !isReply).length} (${own.filter(({ isReply }) => isReply).length})`
  })
}

async function manyAtOnce(town: AlertmanagerTown): Promise<void> {
  const names = Array.from({ length: many }, (_, at) => `many-${at}`)
  const before = Object.fromEntries(all.map((place) => [place, town.posted(place).length])) as Record<
    Place,
    number
  >
  for (const name of names) town.fire(name, true)
  await until(10_000, async () => (await town.firingSinceMs('many-0')) !== null)
  const fromMs = (await town.firingSinceMs('many-0')) ?? Date.now()
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
    const last = town.posted(place).at(-1)?.atMs ?? Number.NaN
    return `${measured(`alerts that ${place} names`, named(place))}, ${seconds(last - fromMs)}`
  })
  for (const name of names) town.fire(name, false)
  await wait(sized(30_000, 1_000))
}

/** The message stands in the channel, and whoever sent it is killed before it hears so. */
async function killsInTheMiddle(town: AlertmanagerTown): Promise<void> {
  const told = { bot: 0, quick: 0, usual: 0 }
  const lost = { bot: 0, quick: 0, usual: 0 }
  const twice = { bot: 0, quick: 0, usual: 0 }
  for (const place of ['bot', 'quick'] as const) {
    for (let at = 0; at < kills; at += 1) {
      const server = `killed-${place}-${at}`
      await town.holdAnswers(place)
      town.fire(server, true)
      if (!(await until(60_000, () => about(town, place, server).length > 0)))
        throw new Error(`expected a message of ${place} to be killed in; came none`)
      await (place === 'bot' ? town.killBot() : town.killAlertmanager())
      told[place] += 1
    }
    await wait(settledMs)
    for (let at = 0; at < kills; at += 1) {
      const copies = about(town, place, `killed-${place}-${at}`).filter(({ isReply }) => !isReply).length
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
const header = '| | monbot | Slack receiver, 1 s and a message each | Slack receiver, its own times |'
const lines = rows.map(
  ({ figure, cells }) => `| ${figure} | ${cells.bot} | ${cells.quick} | ${cells.usual} |`,
)
process.stdout.write(`${[header, '|---|---:|---:|---:|', ...lines].join('\n')}\n`)
