/**
 * The notification switches, in the registry and as silences at the Alertmanagers if there are any. What is
 * silenced there is off here, and vice versa.
 */
import { randomUUID } from 'node:crypto'
import { quoted } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import type { Server } from '../store/registry.ts'
import type { Alertmanagers } from './alertmanagers.ts'
import type { OwnMute } from './muted-by.ts'
import { toldOf } from './mutes.ts'
import { openServerScopes } from './server-scopes.ts'
import type { Servers } from './servers.ts'
import type { PrometheusSettings } from './settings.ts'
import { accountMatchers, type Subject } from './silence-book.ts'
import { openSilences, type Silences } from './silences.ts'

/** Each change rejects as `Silences.set` does; then the registry is unchanged. */
export type Switches = {
  setServer(server: Server, on: boolean): Promise<void>
  setAccount(on: boolean): Promise<void>
  /** Switches on again what a silence of ours is for. */
  switchOn(subject: Subject): Promise<void>
  /** Ends every silence of this server, which is about to be deleted. */
  release(hostname: string): Promise<void>
  /** What is silent under this name goes on under another one, with the same matchers. */
  rename(from: string, to: string): void
  /** Sets the registry from the silences: a kill may have come in between. */
  takeUp(): Promise<void>
  /** Keeps a switched-off server silent if a label names it in a way that was not seen when it was switched; what it hides already stays hidden. */
  silenceNewWays(): void
  /** Whether a silence is one of ours. */
  isOurs(silenceId: string): boolean
  /** What is known of a silence of ours; null: it is not ours. */
  ownOf(silenceId: string): OwnMute | null
  /** Those of servers, of the account and of mutes; null: nothing can be silenced. */
  readonly silences: Silences | null
  /** Renews, repairs and ends silences; call every few seconds. */
  tend(): Promise<void>
  stop(): Promise<void>
}

export function openSwitches(parts: {
  /** Null: nothing can be silenced, only the registry counts. */
  readonly alertmanagers: Alertmanagers | null
  readonly servers: Servers
  readonly ledger: Ledger
  readonly settings: PrometheusSettings
  readonly nowMs: () => number
  readonly report: (line: string) => void
}): Switches {
  const { alertmanagers, servers, ledger, settings, nowMs, report } = parts
  const { registry } = servers
  const silences =
    alertmanagers === null
      ? null
      : openSilences({ alertmanagers, ledger, settings, nowMs, report, newId: randomUUID, onEnded })
  const waysSilenced = new Map<string, string>()
  const scopes = openServerScopes(servers, silences)
  const scopeOf = scopes.of

  function onEnded(subject: Subject): void {
    if (subject.kind === 'account') {
      registry.setAccountNotifications(true)
      return
    }
    const server = subject.kind === 'server' ? registry.server(subject.hostname) : undefined
    if (server) registry.update(server, { notifications: true })
  }

  return {
    async setServer(server, on) {
      const { hostname } = server
      const scope = scopeOf(hostname)
      await silences?.set(scope, on)
      waysSilenced.set(hostname, JSON.stringify(scope.ways))
      if (on) scopes.forget(hostname)
      registry.update(registry.server(hostname) ?? server, { notifications: on })
    },
    async setAccount(on) {
      await silences?.set({ subject: { kind: 'account' }, ways: [accountMatchers] }, on)
      registry.setAccountNotifications(on)
    },
    async switchOn(subject) {
      await silences?.set({ subject, ways: [] }, true)
      onEnded(subject)
    },
    async release(hostname) {
      await silences?.set(scopeOf(hostname), true)
    },
    rename(from, to) {
      silences?.rename(from, to)
      report(`${quoted(from)} is called ${quoted(to)} now, with its roles and its mute`)
    },
    async takeUp() {
      if (silences === null) return
      await silences.tend()
      const found = silences.found().map(({ subject }) => subject)
      registry.setAccountNotifications(!found.some(({ kind }) => kind === 'account'))
      const off = new Set(found.flatMap((subject) => (subject.kind === 'server' ? subject.hostname : [])))
      for (const hostname of off) {
        if (registry.server(hostname) === undefined)
          registry.addServer({ hostname, environment: 'production', kind: 'prometheus' }, [])
      }
      for (const server of registry.servers()) {
        if (server.notifications === off.has(server.hostname))
          registry.update(server, { notifications: !off.has(server.hostname) })
      }
    },
    silenceNewWays() {
      if (silences === null) return
      for (const { hostname, notifications } of registry.servers()) {
        if (notifications) continue
        const scope = scopeOf(hostname)
        const text = JSON.stringify(scope.ways)
        if (waysSilenced.get(hostname) === text) continue
        waysSilenced.set(hostname, text)
        const change = scope.isNarrower ? silences.set(scope, false) : silences.add(scope)
        change.catch(() => waysSilenced.delete(hostname))
      }
    },
    silences,
    ownOf(id) {
      const own = silences?.own(id) ?? null
      // One that is being requested just now is ours.
      return own === null ? (silences?.isOurs(id) === true ? {} : null) : toldOf(own)
    },
    isOurs: (id) => silences?.isOurs(id) === true,
    async tend() {
      await silences?.tend()
    },
    async stop() {
      await silences?.stop()
    },
  }
}
