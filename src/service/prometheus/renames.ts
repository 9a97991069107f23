/** Which servers would be called otherwise once the service starts with its file as it is now. Changes nothing. */
import { openAlertLog } from '../alerts/alert-log.ts'
import { readLedger } from '../store/read-ledger.ts'
import { openRegistry } from '../store/registry.ts'
import { openAlertmanagers } from './alertmanagers.ts'
import { type Engine, openEngine } from './engine.ts'
import { openNames } from './names.ts'
import type { Labels } from './naming.ts'
import type { PrometheusSettings } from './settings.ts'

const timeoutMs = 10_000

export type Renamed = {
  readonly from: string
  /** Sorted; may include the name itself, which then goes on beside the others. */
  readonly to: readonly string[]
  /** How many of its alerts are open. */
  readonly alerts: number
  /** Those that were added to it, which no label tells. */
  readonly roles: readonly string[]
  readonly isMuted: boolean
}

export type Renames = {
  readonly changed: readonly Renamed[]
  /** How many keep their name. */
  readonly same: number
  /** Those with roles or a mute that no label names now: what they would be called is not known. */
  readonly unseen: readonly string[]
  /** Whether some part of what was asked did not answer. */
  readonly isPartial: boolean
}

type Parts = {
  readonly settings: PrometheusSettings
  /** Of the service, which may be running. */
  readonly file: string
  readonly nowMs: () => number
  readonly report: (line: string) => void
}

/** Null: the file changes no names. Throws a `LedgerError`; rejects with a `Refusal` if what stands behind the service cannot be asked. */
export async function renamesOf(parts: Parts): Promise<Renames | null> {
  const { settings, file, nowMs, report } = parts
  const { names, own, open } = readLedger(file, (ledger) => ({
    names: openNames({ settings, ledger, nowMs, report }),
    own: openRegistry(ledger),
    open: openAlertLog({ ledger, form: 'flip', order: 'newest', nowMs }).openAlerts(),
  }))
  if (!names.isChanging) return null
  const engine = openEngine(settings.engine, timeoutMs, { ...settings, report })
  try {
    const up = await names.read(engine)
    const firing = await firingNow(engine, parts)
    const formerOf = (labels: Labels): string => names.formerOf(labels) ?? names.of(labels).hostname
    const listed = open.flatMap(({ upstream }) => (upstream === undefined ? [] : [upstream.labels]))
    const all = Map.groupBy([...up.up, ...listed, ...firing.labels], formerOf)
    const alerts = Map.groupBy(listed, formerOf)
    const rolesOf = (hostname: string): readonly string[] =>
      [...own.roles()].flatMap(([role, members]) => (members.includes(hostname) ? [role] : []))
    const isMuted = (hostname: string): boolean => own.server(hostname)?.notifications === false
    const named = [...all].map(([from, group]) => ({
      from,
      to: [...new Set(group.map((labels) => names.of(labels).hostname))].sort(),
      alerts: alerts.get(from)?.length ?? 0,
      roles: rolesOf(from),
      isMuted: isMuted(from),
    }))
    const changed = named.filter(({ from, to }) => to.some((name) => name !== from))
    const unseen = own
      .servers()
      .flatMap(({ hostname }) =>
        !all.has(hostname) && (isMuted(hostname) || rolesOf(hostname).length > 0) ? [hostname] : [],
      )
    return {
      changed: changed.sort((one, other) => (one.from < other.from ? -1 : 1)),
      same: named.length - changed.length,
      unseen,
      isPartial: up.isPartial || firing.isPartial,
    }
  } finally {
    await engine.close()
  }
}

/** Beside the ledger's: the service may not have run for a while. */
async function firingNow(
  engine: Engine,
  { settings, nowMs, report }: Parts,
): Promise<{ readonly labels: readonly Labels[]; readonly isPartial: boolean }> {
  if (settings.alertmanagers.length === 0) {
    const { rules, isPartial } = await engine.rules()
    const firing = rules.flatMap((rule) => rule.alerts).filter(({ state }) => state === 'firing')
    return { labels: firing.map(({ labels }) => labels), isPartial }
  }
  const managers = openAlertmanagers(settings.alertmanagers, { timeoutMs, nowMs, report })
  try {
    return { labels: (await managers.alerts()).alerts.map(({ labels }) => labels), isPartial: false }
  } finally {
    await managers.close()
  }
}
