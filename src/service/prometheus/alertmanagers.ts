/**
 * The Alertmanagers of one cluster as one: reads from all that answer and writes to one, as they share silences
 * among themselves (but not alerts: each gets those from Prometheus).
 */
import { z } from 'zod'
import { type Meter, noMeter } from '../ops/metrics.ts'
import { Refusal } from '../refusal.ts'
import { type Asker, isFinal, openAsker, UpstreamNo } from './ask.ts'
import type { Labels } from './naming.ts'
import { firstRefusal, openPeers } from './peers.ts'
import {
  bodyOf,
  idOf,
  type ManagedAlert,
  readAlerts,
  readSilences,
  type Silence,
  type SilenceDraft,
  uniteAlerts,
  uniteSilences,
} from './records.ts'
import type { Endpoint } from './settings.ts'

/** Start times are read again after this long: they decide whether a missing alert means anything. */
const startFreshMs = 60_000

export type AlertsReading = {
  readonly alerts: readonly ManagedAlert[]
  /**
   * Earliest start of those that answered, milliseconds since 1970: one that has just been started
   * lists nothing until Prometheus sends its alerts again.
   */
  readonly upSinceMs: number
  /** How many answered. */
  readonly answered: number
}

/** Every method rejects with a `Refusal` (502 to 504) if none could be reached, with a `NotLetIn` if none let the service in. */
export type Alertmanagers = {
  /** What fires, in all states. */
  alerts(): Promise<AlertsReading>
  /** All silences: ours, others', and expired ones. */
  silences(): Promise<readonly Silence[]>
  /**
   * Creates a silence and returns its id. After an `UpstreamNo` (400; 404 if the draft's id is unknown)
   * nothing was created; after any other rejection it may turn up later.
   */
  silence(draft: SilenceDraft): Promise<string>
  /** Ends a silence; an unknown one is not an error. */
  end(id: string): Promise<void>
  close(): Promise<void>
}

type Manager = {
  readonly name: string
  readonly asker: Asker
  alerts(): Promise<Omit<AlertsReading, 'answered'>>
}

const status = z.object({ uptime: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)) })

export function openAlertmanagers(
  endpoints: readonly Endpoint[],
  limits: { readonly timeoutMs: number; readonly meter?: Meter; nowMs(): number; report(line: string): void },
): Alertmanagers {
  const { timeoutMs, meter = noMeter, nowMs, report } = limits
  const managers = endpoints.map((endpoint): Manager => {
    const asker = openAsker({ product: 'Alertmanager', endpoint, timeoutMs, meter })
    return { name: asker.name, asker, alerts: alertsReader(asker, nowMs) }
  })
  const peers = openPeers(managers, report)

  const readAll = peers.reader(({ alerts }) => alerts())
  const readSilencesOfAll = peers.reader(async ({ name, asker }) =>
    readSilences(name, await asker.get('/api/v2/silences')),
  )

  /** Asks one after the other until one gives a final answer. */
  async function first<Value>(ask: (manager: Manager) => Promise<Value>): Promise<Value> {
    const refusals: Refusal[] = []
    for (const manager of peers.inOrder()) {
      try {
        return await ask(manager)
      } catch (error) {
        if (!(error instanceof Refusal) || isFinal(error)) throw error
        refusals.push(error)
      }
    }
    // An answer counts more than a failure: those that are away will learn what the one that answered knows.
    const answered = refusals.filter((one) => one instanceof UpstreamNo)
    throw answered.find(isUnknown) ?? answered[0] ?? firstRefusal(refusals)
  }

  const silences = async (): Promise<readonly Silence[]> => uniteSilences(await readSilencesOfAll())

  return {
    async alerts() {
      const answers = await readAll()
      return {
        alerts: await uniteAlerts(answers.map(({ alerts }) => alerts)),
        upSinceMs: Math.min(...answers.map(({ upSinceMs }) => upSinceMs)),
        answered: answers.length,
      }
    },
    silences,
    silence: (draft) =>
      first(async ({ name, asker }) => idOf(name, await asker.post('/api/v2/silences', bodyOf(draft)))),
    async end(id) {
      try {
        await first(({ asker }) => asker.remove(`/api/v2/silence/${encodeURIComponent(id)}`))
      } catch (error) {
        // For an unknown silence, an Alertmanager answers 404 or 500, with a text that depends on its version.
        if (!(error instanceof UpstreamNo)) throw error
        const found = (await silences()).find((one) => one.id === id)
        if (found !== undefined && found.state !== 'expired') throw error
      }
    },
    async close() {
      await Promise.all(managers.map(({ asker }) => asker.close()))
    },
  }
}

/** Reads the alerts of one of them, and since when it has been up. */
function alertsReader(asker: Asker, nowMs: () => number): Manager['alerts'] {
  /** What it listed last: the labels by fingerprint. */
  let listed: ReadonlyMap<string, Labels> = new Map()
  let listedAtMs = 0
  /** As it reports itself, by its own clock. */
  let saidStartMs: number | null = null
  let upSinceMs = 0
  let startAskedMs = 0
  /** It was away and may have been restarted. */
  let isStartUnsure = true

  async function askStart(): Promise<void> {
    const startMs = await saidStart(asker)
    startAskedMs = nowMs()
    if (startMs === null) {
      // Unknown: it may have been started while it was away, but not while it listed.
      if (isStartUnsure) upSinceMs = nowMs()
    } else if (saidStartMs === null) {
      upSinceMs = Math.min(startMs, nowMs())
    } else if (startMs !== saidStartMs) {
      // Its clock may be behind ours: it restarted after its last list, whatever start it reports.
      upSinceMs = Math.min(Math.max(startMs, listedAtMs), nowMs())
    }
    saidStartMs = startMs ?? saidStartMs
    isStartUnsure = false
  }

  return async () => {
    try {
      const found = await readAlerts(asker.name, await asker.get('/api/v2/alerts'), nowMs())
      const alerts = found.map((alert) => withKnown(alert, listed.get(alert.fingerprint)))
      const next = new Map(alerts.map(({ fingerprint, labels }) => [fingerprint, labels]))
      // After the list, and whenever an alert disappears from it: only then does an unnoticed restart matter.
      const isGone = [...listed.keys()].some((fingerprint) => !next.has(fingerprint))
      if (isGone || isStartUnsure || nowMs() - startAskedMs >= startFreshMs) await askStart()
      listed = next
      listedAtMs = nowMs()
      return { alerts, upSinceMs }
    } catch (error) {
      isStartUnsure = true
      throw error
    }
  }
}

/** With the labels of the reading before where they are the same: what was worked out of those is kept by the object. */
function withKnown(alert: ManagedAlert, known: Labels | undefined): ManagedAlert {
  if (known === undefined) return alert
  const names = Object.keys(alert.labels)
  const isSame =
    names.length === Object.keys(known).length && names.every((name) => alert.labels[name] === known[name])
  return isSame ? { ...alert, labels: known } : alert
}

/** Null if it does not report it: some proxies block the status page. */
async function saidStart(asker: Asker): Promise<number | null> {
  try {
    return status.safeParse(await asker.get('/api/v2/status')).data?.uptime ?? null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return null
  }
}

function isUnknown({ answered }: UpstreamNo): boolean {
  return answered === 404
}
