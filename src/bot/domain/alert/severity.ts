/** How bad an alert is, in three words. */

/** Worst first. */
export const severities = ['critical', 'warning', 'info'] as const

export type Severity = (typeof severities)[number]

/** The severity if no rule matches and the API gives none that is known. */
export const usualSeverity: Severity = 'warning'

/** The words of other tools; lower case, without anything but letters and digits. */
const words: Readonly<Record<Severity, readonly string[]>> = {
  critical: [
    ...['critical', 'crit', 'error', 'err', 'fatal', 'page', 'pager', 'emergency', 'emerg', 'alert', 'high'],
    ...['major', 'severe', 'urgent', 'disaster', 'panic', 'blocker', 'p0', 'p1', 'sev0', 'sev1', 's1'],
  ],
  warning: ['warning', 'warn', 'medium', 'moderate', 'average', 'minor', 'p2', 'p3', 'sev2', 'sev3', 's2'],
  info: [
    ...['info', 'information', 'informational', 'notice', 'low', 'ok', 'none', 'debug', 'trivial'],
    ...['p4', 'p5', 'sev4', 'sev5', 's3'],
  ],
}

const meanings: ReadonlyMap<string, Severity> = new Map(
  severities.flatMap((severity) => words[severity].map((word) => [word, severity] as const)),
)

/** The severity that a word from outside means; null if it is unknown, which never counts as harmless. */
export function severityOf(word: string): Severity | null {
  return meanings.get(word.toLowerCase().replace(/[^a-z0-9]/g, '')) ?? null
}

/** What the API says of it; `none` is more than harmless: it is not meant for people (Watchdog, InfoInhibitor). */
export type SaidSeverity = Severity | 'none'

export function saidSeverityOf(word: string): SaidSeverity | null {
  return word.trim().toLowerCase() === 'none' ? 'none' : severityOf(word)
}

/** How bad that is; null if nothing is said. */
export function meantBy(said: SaidSeverity | null): Severity | null {
  return said === 'none' ? 'info' : said
}

/** Critical ones first; those that are equally bad stay in their order. */
export function worstFirst<Of extends { readonly severity: Severity }>(alerts: readonly Of[]): Of[] {
  const by = Map.groupBy(alerts, ({ severity }) => severity)
  return severities.flatMap((severity) => by.get(severity) ?? [])
}
