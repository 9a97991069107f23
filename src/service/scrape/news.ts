/** Logs the problems of exporters, without repeating them. */
import { durationText } from '../config/duration.ts'
import type { Target } from '../config/read-config.ts'
import { quoted } from '../refusal.ts'

/** The same recurring trouble of a server is reported again after this long. */
const tellAgainMs = 60 * 60_000
export const unreadableShownMax = 5

/** The reports about one exporter: each problem once, again after an hour if it recurs, and its end. */
export type News = {
  failed(target: Target, reason: string): void
  /** It can be read, after a failure that lasted this long. */
  recovered(target: Target, lastedMs: number): void
  /** It can be read, but not all of it is used. */
  rest(target: Target, leftOut: number, unreadable: readonly string[]): void
  /** A new file may have changed what is used of it. */
  renew(): void
}

/** `upMs`: a monotonic clock. */
export function openNews(upMs: () => number, report: (line: string) => void): News {
  /** The last problem that was reported, and when. */
  let told: { readonly reason: string; readonly upMs: number } | null = null
  let isRecoveryTold = true
  let isRestTold = false

  return {
    failed(target, reason) {
      if (told?.reason === reason && upMs() - told.upMs < tellAgainMs) return
      told = { reason, upMs: upMs() }
      isRecoveryTold = false
      report(
        `cannot read the exporter of ${nameOf(target)}: ${reason}; its values are not known until it can be read`,
      )
    },
    recovered(target, lastedMs) {
      if (isRecoveryTold) return
      isRecoveryTold = true
      const lasted = durationText(Math.round(Math.max(0, lastedMs) / 1_000) * 1_000)
      report(`the exporter of ${nameOf(target)} can be read again, after ${lasted}`)
    },
    rest(target, leftOut, unreadable) {
      if (isRestTold || (leftOut === 0 && unreadable.length === 0)) return
      isRestTold = true
      if (leftOut > 0) report(`${nameOf(target)} shows ${leftOut} metrics more than are kept of one server`)
      if (unreadable.length === 0) return
      const names = unreadable.slice(0, unreadableShownMax).map(quoted).join(', ')
      report(`${nameOf(target)}: ${unreadable.length} families cannot be read or are too long: ${names}`)
    },
    renew() {
      isRestTold = false
    },
  }
}

const nameOf = ({ server, url }: Target): string => `${quoted(server)} (${new URL(url).origin})`
