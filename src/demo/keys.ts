/** The demo's keys: each causes an event in the monitoring service. */
import { emitKeypressEvents } from 'node:readline'
import type { RealPrometheus } from './prometheus.ts'
import type { Town } from './town.ts'

/** Long enough to open the page, read the card and act on it. */
const troubleSeconds = 240

type TimelineEntry = {
  readonly key: string
  readonly words: string
  readonly run: (town: Town) => Promise<void>
}

const busy: TimelineEntry = {
  key: 'b',
  words: 'make this machine busy for 30 s (a real load)',
  run: (town) => town.makeBusy(30),
}

/** A real Prometheus fires only on real data. */
const timelineOf = (real: Pick<RealPrometheus, 'setOrdersWaiting'>): readonly TimelineEntry[] => [
  busy,
  { key: 'w', words: '120 orders wait in the shop', run: async () => real.setOrdersWaiting(120) },
  { key: 'e', words: 'none waits any more', run: async () => real.setOrdersWaiting(0) },
]

const simulated: readonly TimelineEntry[] = [
  busy,
  {
    key: 'c',
    words: 'a CPU spike on web-2, for 4 min',
    run: (town) => town.startScenario('cpu-spike', { server: 'web-2', seconds: troubleSeconds }),
  },
  {
    key: 'd',
    words: 'the disk of db-1 fills, emptied after 4 min',
    run: (town) => town.startScenario('disk-fills', { server: 'db-1', seconds: troubleSeconds }),
  },
  { key: 'o', words: 'a one-off of a plugin', run: (town) => town.startScenario('plugin-oneoff') },
  {
    key: 'f',
    words: 'an alert that flaps, for 4 min',
    run: (town) => town.startScenario('flapping', { seconds: troubleSeconds }),
  },
]

/** Listens to the keys; without a terminal there are none. */
export function listenToKeys(
  town: Town,
  say: (text: string) => void,
  real: Pick<RealPrometheus, 'setOrdersWaiting'> | null,
): void {
  const timeline = real === null ? simulated : timelineOf(real)
  const input = process.stdin
  const lines = timeline.map(({ key, words }) => `  ${key}  ${words}`)
  if (!input.isTTY) return
  say(['Press a key to make something happen:', ...lines, '  q  stop', ''].join('\n'))
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.on('keypress', (text: string | undefined, key: { name?: string; ctrl?: boolean }) => {
    if (text === 'q' || (key.ctrl && key.name === 'c')) process.kill(process.pid, 'SIGINT')
    const entry = timeline.find((one) => one.key === text)
    if (entry === undefined) return
    say(`> ${entry.words}`)
    entry.run(town).catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
  })
}
