/** The source in front of a Prometheus and its Alertmanagers; an Alertmanager alone, a Grafana, a VictoriaMetrics by the same answers. */
import { randomBytes } from 'node:crypto'
import { idOf, type Ledger } from '../ledger.ts'
import type { Servers } from '../servers.ts'
import type { Mute, MutedBy, Reading, Source, StoredAlert } from '../source.ts'
import { type Db, metaOf, openShelf, type Shelf, setMeta } from '../store.ts'
import { type Access, type Asker, openAsker } from './ask.ts'
import { silenceWords } from './found.ts'
import { troubleOf } from './identity.ts'
import { type AmSilence, type Matcher, seriesOf } from './look.ts'
import { matchersOfAlert, matching, parseMatcher, writtenMatcher } from './matchers.ts'
import { type Labels, Naming } from './naming.ts'
import { openPlots } from './plots.ts'
import { Reader } from './read.ts'
import { type Held, Silences } from './silences.ts'

export type PrometheusOptions = {
  /** Null: an Alertmanager alone, without rules: values and charts are missing. */
  readonly url: URL | null
  /** Where the rules are, if not there. */
  readonly rulers: readonly URL[]
  readonly alertmanagers: readonly URL[]
  readonly access: Access
  readonly managerAccess: Access
  /** Globs on jobs whose own pod is never the server of what they report, besides kube-state-metrics, `*blackbox*` and exporters of hosts. */
  readonly reporters: readonly string[]
}

type PrometheusParts = {
  readonly ledger: Ledger
  readonly servers: Servers
  readonly mutes: Shelf<Mute>
  readonly nowMs: () => number
  readonly report: (line: string) => void
  readonly everyMs: number
}

const heldMax = 2000
const dayS = 24 * 60 * 60
const stepS = 120

export function openPrometheus(db: Db, parts: PrometheusParts, options: PrometheusOptions): Source {
  const { ledger, servers, mutes, nowMs, report, everyMs } = parts
  const { url, access, managerAccess } = options
  const engine = url === null ? null : openAsker('Prometheus', url, access)
  const askerOf = (ruler: URL) => (ruler.href === url?.href ? engine : openAsker('Ruler', ruler, access))
  const others = options.rulers.flatMap((ruler) => askerOf(ruler) ?? [])
  const rulers = others.length > 0 || engine === null ? others : [engine]
  const managers = options.alertmanagers.map((one) => openAsker('Alertmanager', one, managerAccess))
  const naming = new Naming(options.reporters)
  const installation = metaOf(db, 'installation') ?? randomBytes(6).toString('hex')
  setMeta(db, 'installation', installation)
  const held = openShelf<Held>(db, 'silences', heldMax)
  const silences = new Silences({ managers, held, installation, nowMs, waysOf, onEnded: forget })
  const reader = new Reader({ engine, rulers, managers, naming, nowMs, ledger, wordsOf })
  if (rulers.length === 0) report('an Alertmanager alone tells no values and no charts; PROMETHEUS_URL would')
  let isPastRead = ledger.every().length > 0

  /** A person ended a mute at the Alertmanager: its switch is on again. */
  function forget(id: string): void {
    const mute = mutes.get(id)
    mutes.remove(id)
    if (mute?.kind === 'account') servers.setAccount(true)
    if (mute?.host !== undefined) servers.change(mute.host, { notifications: true })
    report(`the mute ${id} was ended at the Alertmanager`)
  }

  /** Of ours, what was asked for: the silence itself ends an hour ahead. */
  function wordsOf(silence: AmSilence): MutedBy {
    const mute = mutes.get(silences.muteOf(silence) ?? '')
    const words = silenceWords(silence, silences.isOurs(silence))
    return mute === undefined ? words : { ...words, by: mute.by, untilMs: mute.untilMs, why: mute.why }
  }

  function waysOf(host: string): (readonly string[])[] {
    const own = ledger.every().filter((one) => one.host === host)
    const labels = [...own.map((one) => one.labels ?? {}), ...naming.targetsOf(host)]
    return labels.map((one) => naming.nameOf(one)).flatMap((one) => (one.host === host ? [one.matchers] : []))
  }

  async function readPastOnce(asker: Asker, reading: Reading): Promise<void> {
    isPastRead = true
    const open = new Set(reading.alerts.map(({ key }) => key))
    const namesOf = (labels: Labels) => ({
      key: reader.identity.keyOf(labels),
      host: naming.nameOf(labels).host ?? 'everywhere',
    })
    const past = await readPast(asker, nowMs(), namesOf)
    ledger.addPast(past.filter(({ key }) => !open.has(key)))
  }

  return {
    everyMs,
    proofs: 2,
    ...openPlots(engine, naming, reader, nowMs),
    async read() {
      const reading = await reader.read()
      if (!isPastRead && engine !== null)
        await readPastOnce(engine, reading).catch((error: unknown) =>
          report(`what happened before could not be read: ${String(error)}`),
        )
      return reading
    },
    async reconcileMutes(all, asked) {
      if (managers.length > 0) await silences.reconcile(all, asked)
    },
    mutes: managers.length === 0 ? null : openMutes(ledger, silences, wordsOf),
    deleteServer() {},
    deleteMetrics: () => [],
    state: () => ({
      kind: 'prometheus',
      prometheus: engine?.name ?? null,
      alertmanagers: managers.map(({ name }) => name),
      doubts: reader.troubles,
    }),
    async stop() {
      await Promise.all([...new Set([engine, ...rulers, ...managers])].map((one) => one?.close()))
    },
  }
}

function openMutes(
  ledger: Ledger,
  silences: Silences,
  wordsOf: (silence: AmSilence) => MutedBy,
): NonNullable<Source['mutes']> {
  const hidden = (matchers: readonly Matcher[]) => {
    const isHidden = matching(matchers)
    return ledger.open().flatMap(({ labels = {}, id }) => (isHidden(labels) ? [id] : []))
  }
  return {
    async list() {
      const active = await silences.active()
      return active.map((one) => ({
        ...wordsOf(one),
        id: one.id,
        startsMs: one.startsAt,
        matchers: one.matchers.map(writtenMatcher),
        alerts: hidden(one.matchers),
      }))
    },
    matchersOf({ plugin, id, labels = {} }) {
      const others = ledger.open().filter((one) => one.plugin === plugin && one.id !== id)
      const theirs = others.map((one) => one.labels ?? {})
      return matchersOfAlert(labels, theirs)
    },
    hides: (matchers) => hidden(matchers.map(parseMatcher)),
    end: (id) => silences.end(id),
  }
}

/** What fired within 15 days and is over, by the engine's own record, in three questions: its times are as fine as two minutes. */
async function readPast(
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
