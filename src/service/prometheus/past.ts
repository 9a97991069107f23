/** What fired within 15 days and is over, by the engine's own record, in three questions: its times are as fine as two minutes. */
import { idOf } from '../ledger.ts'
import type { StoredAlert } from '../source.ts'
import type { Asker } from './ask.ts'
import { troubleOf } from './identity.ts'
import { seriesOf } from './look.ts'
import type { Labels } from './naming.ts'

const dayS = 24 * 60 * 60
const stepS = 120

export async function readPast(
  engine: Asker,
  nowMs: number,
  namesOf: (labels: Labels) => { readonly key: string; readonly host: string },
): Promise<StoredAlert[]> {
  const nowS = Math.floor(nowMs / 1000)
  const times = new Map<string, number[]>()
  for (let back = 15; back > 0; back -= 5) {
    const form = {
      query: 'ALERTS{alertstate="firing"}',
      start: String(nowS - back * dayS),
      end: String(nowS - (back - 5) * dayS - 1),
      step: String(stepS),
    }
    const found = seriesOf(engine.name, await engine.query('/api/v1/query_range', form))
    for (const { metric, values = [] } of found) {
      const id = JSON.stringify(metric)
      times.set(id, [...(times.get(id) ?? []), ...values.map(([at]) => at)])
    }
  }
  return [...times].flatMap(([id, all]) => {
    const { __name__: _, alertstate: __, ...labels } = JSON.parse(id) as Record<string, string>
    const { alertname: plugin = '', severity } = labels
    const { key, host } = namesOf(labels)
    const words = { host, title: plugin, plugin, metric: plugin, ...(severity && { severity }) }
    const alert = { key, ...words, value: null, labels, trouble: troubleOf(key) }
    // What fires until now is open, or just over: the readings tell.
    return runsOf(all)
      .filter(([, last]) => last < nowS - 3 * stepS)
      .map(([first, last]) => {
        const [startedMs, endedMs] = [first * 1000, last * 1000]
        return { ...alert, id: idOf(key, startedMs), startedMs, endedMs }
      })
  })
}

/** The first and last of each run without a gap. */
function runsOf(times: readonly number[]): [number, number][] {
  const runs: [number, number][] = []
  for (const at of times) {
    const run = runs.at(-1)
    if (run === undefined || at - run[1] > 2 * stepS) runs.push([at, at])
    else run[1] = at
  }
  return runs
}
