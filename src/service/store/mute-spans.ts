/**
 * Records when notifications were off, for charts, as the API itself does not. In memory; what was already off when
 * the service started counts from then on.
 */
import type { Registry } from './registry.ts'

/** If there are more, the oldest are dropped. */
const spansMax = 2_000

export type MuteSpan = {
  readonly fromMs: number
  /** Null: still off. */
  readonly untilMs: number | null
  /** Whose switch it was. */
  readonly scope: 'server' | 'account'
}

export type MuteSpans = {
  /** Spans of a server and of the account that overlap this time, oldest first. */
  during(hostname: string, fromMs: number, untilMs: number): readonly MuteSpan[]
}

type Kept = { readonly hostname: string | null; readonly fromMs: number; untilMs: number | null }

/** Wraps a registry, and returns it with the spans that it observed. */
export function rememberMutes(
  registry: Registry,
  nowMs: () => number,
): { readonly registry: Registry; readonly muteSpans: MuteSpans } {
  const spans: Kept[] = []

  function note(hostname: string | null, on: boolean): void {
    const open = spans.findLast((span) => span.hostname === hostname && span.untilMs === null)
    if (on && open !== undefined) open.untilMs = nowMs()
    if (on || open !== undefined) return
    spans.push({ hostname, fromMs: nowMs(), untilMs: null })
    if (spans.length > spansMax) spans.shift()
  }

  note(null, registry.account().notifications)
  for (const { hostname, notifications } of registry.servers()) note(hostname, notifications)

  return {
    registry: {
      ...registry,
      update(server, patch) {
        registry.update(server, patch)
        if (patch.notifications !== undefined) note(server.hostname, patch.notifications)
      },
      deleteServer(hostname) {
        registry.deleteServer(hostname)
        note(hostname, true)
      },
      setAccountNotifications(on) {
        registry.setAccountNotifications(on)
        note(null, on)
      },
    },
    muteSpans: {
      during: (hostname, fromMs, untilMs) =>
        spans
          .filter(
            (span) =>
              (span.hostname === null || span.hostname === hostname) &&
              span.fromMs < untilMs &&
              (span.untilMs === null || span.untilMs > fromMs),
          )
          .map((span) => ({
            fromMs: span.fromMs,
            untilMs: span.untilMs,
            scope: span.hostname === null ? 'account' : 'server',
          })),
    },
  }
}
