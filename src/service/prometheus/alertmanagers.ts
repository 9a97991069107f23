/**
 * The Alertmanagers of one cluster as one: reads from all that answer and writes to one, as they share silences
 * among themselves (but not alerts: each gets those from Prometheus).
 */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { type Asker, openAsker, UpstreamNo } from './ask.ts'
import { type ManagedAlert, readAlerts, uniteAlerts } from './managed-alert.ts'
import { firstRefusal, openPeers } from './peers.ts'
import type { Endpoint } from './settings.ts'
import { bodyOf, idOf, readSilences, type Silence, type SilenceDraft, uniteSilences } from './silence.ts'

export type { ManagedAlert } from './managed-alert.ts'

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
  /** What it listed last. */
  listed: ReadonlySet<string>
  listedAtMs: number
  /** As it reports itself, by its own clock. */
  saidStartMs: number | null
  upSinceMs: number
  startAskedMs: number
  /** It was away and may have been restarted. */
  isStartUnsure: boolean
}

const status = z.object({ uptime: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)) })

export function openAlertmanagers(
  endpoints: readonly Endpoint[],
  limits: { readonly timeoutMs: number; nowMs(): number; report(line: string): void },
): Alertmanagers {
  const { timeoutMs, nowMs, report } = limits
  const managers = endpoints.map((endpoint): Manager => {
    const asker = openAsker({ product: 'Alertmanager', endpoint, timeoutMs })
    return {
      name: asker.name,
      asker,
      listed: new Set(),
      listedAtMs: 0,
      saidStartMs: null,
      upSinceMs: 0,
      startAskedMs: 0,
      isStartUnsure: true,
    }
  })
  const peers = openPeers(managers, report)

  async function alertsOf(manager: Manager): Promise<Omit<AlertsReading, 'answered'>> {
    try {
      const alerts = await readAlerts(manager.name, await manager.asker.get('/api/v2/alerts'), nowMs())
      const listed = new Set(alerts.map(({ fingerprint }) => fingerprint))
      // After the list, and whenever an alert disappears from it: only then does an unnoticed restart matter.
      const isGone = [...manager.listed].some((fingerprint) => !listed.has(fingerprint))
      if (isGone || manager.isStartUnsure || nowMs() - manager.startAskedMs >= startFreshMs) {
        await askStart(manager)
      }
      manager.listed = listed
      manager.listedAtMs = nowMs()
      return { alerts, upSinceMs: manager.upSinceMs }
    } catch (error) {
      manager.isStartUnsure = true
      throw error
    }
  }

  async function askStart(manager: Manager): Promise<void> {
    const saidMs = await saidStart(manager)
    const { saidStartMs: formerMs } = manager
    manager.startAskedMs = nowMs()
    if (saidMs === null) {
      // Unknown: it may have been started while it was away, but not while it listed.
      if (manager.isStartUnsure) manager.upSinceMs = nowMs()
    } else if (formerMs === null) {
      manager.upSinceMs = Math.min(saidMs, nowMs())
    } else if (saidMs !== formerMs) {
      // Its clock may be behind ours: it restarted after its last list, whatever start it reports.
      manager.upSinceMs = Math.min(Math.max(saidMs, manager.listedAtMs), nowMs())
    }
    manager.saidStartMs = saidMs ?? formerMs
    manager.isStartUnsure = false
  }

  /** Null if it does not report it: some proxies block the status page. */
  async function saidStart({ asker }: Manager): Promise<number | null> {
    try {
      return status.safeParse(await asker.get('/api/v2/status')).data?.uptime ?? null
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return null
    }
  }

  const readAll = peers.reader(alertsOf)
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

/** What one of them refuses (a wrong matcher), all refuse. */
function isFinal(error: Refusal): boolean {
  return error instanceof UpstreamNo && (error.answered === 400 || error.answered === 422)
}

function isUnknown({ answered }: UpstreamNo): boolean {
  return answered === 404
}
