/**
 * The Alertmanagers of one cluster as one: read from all that answer, written to one that does, as they pass on silences
 * among themselves (not alerts: those each of them gets from Prometheus).
 */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { type Asker, openAsker, UpstreamNo } from './ask.ts'
import { type ManagedAlert, readAlerts, uniteAlerts } from './managed-alert.ts'
import { firstRefusal, openPeers } from './peers.ts'
import type { Endpoint } from './settings.ts'
import { bodyOf, idOf, readSilences, type Silence, type SilenceDraft, uniteSilences } from './silence.ts'

export type { ManagedAlert } from './managed-alert.ts'

/** A start is asked for again after so long: it says of an alert that is not listed whether that means anything. */
const startFreshMs = 60_000

export type AlertsReading = {
  readonly alerts: readonly ManagedAlert[]
  /**
   * Since when the one that is up longest of those that answered is up, milliseconds since 1970: one that has just been started
   * lists nothing until Prometheus tells it again what fires.
   */
  readonly upSinceMs: number
  /** How many answered. */
  readonly answered: number
}

/** Every method rejects with a `Refusal` (502 to 504) where nobody could be asked; with a `NotLetIn` where nobody let the service in. */
export type Alertmanagers = {
  /** What fires, in all states. */
  alerts(): Promise<AlertsReading>
  /** Ours and others', those that are over too. */
  silences(): Promise<readonly Silence[]>
  /**
   * Asks for a silence and answers its id. Where it says why not (`UpstreamNo` with 400; with 404 where nobody knows the draft's
   * id) nothing was made; after any other rejection it may turn up later.
   */
  silence(draft: SilenceDraft): Promise<string>
  /** Ends a silence; one that nobody knows (any more) is no error. */
  end(id: string): Promise<void>
  close(): Promise<void>
}

type Manager = {
  readonly name: string
  readonly asker: Asker
  /** What it listed last. */
  listed: ReadonlySet<string>
  listedAtMs: number
  /** As it says itself, by its own clock. */
  saidStartMs: number | null
  upSinceMs: number
  startAskedMs: number
  /** It was away, and may have been started anew. */
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
      // After the list, and whenever an alert is gone from it: only then does a start that nobody saw matter.
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
      // Nobody knows: it may have been started when it was away, and not while it listed.
      if (manager.isStartUnsure) manager.upSinceMs = nowMs()
    } else if (formerMs === null) {
      manager.upSinceMs = Math.min(saidMs, nowMs())
    } else if (saidMs !== formerMs) {
      // Its clock may be behind ours; that it was up without a break before it listed last is not so, whatever it says.
      manager.upSinceMs = Math.min(Math.max(saidMs, manager.listedAtMs), nowMs())
    }
    manager.saidStartMs = saidMs ?? formerMs
    manager.isStartUnsure = false
  }

  /** Null where it does not say it: some proxies let nobody ask. */
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

  /** Asks one after the other until one says what is final. */
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
    // Whoever answered says more than those that are away, and these will learn of what it knows.
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
        // For one that it does not know, an Alertmanager answers 404 or 500, and words that depend on its version.
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

/** What one of them does not take (a wrong matcher), none does. */
function isFinal(error: Refusal): boolean {
  return error instanceof UpstreamNo && (error.answered === 400 || error.answered === 422)
}

function isUnknown({ answered }: UpstreamNo): boolean {
  return answered === 404
}
