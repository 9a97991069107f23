/** The cluster of `cluster-hosts.ts` for a real Prometheus: its jobs and its rules. */
import type { NamesSettings } from '../../../src/service/prometheus/settings.ts'
import { freePort } from '../../support/free-port.ts'
import { exporterOf } from '../scrape/exporters.ts'
import type { ClusterTarget } from './cluster-hosts.ts'
import { type Front, openFront } from './front.ts'
import type { LifeRule } from './life-rules.ts'
import { settingsOf } from './made.ts'
import type { Ending } from './programs.ts'
import type { RuleGiven, ScrapeJob } from './real.ts'

/** The targets as jobs that are scraped, at addresses of this machine. */
export async function jobsOf(targets: readonly ClusterTarget[]): Promise<readonly ScrapeJob[]> {
  const away = `127.0.0.1:${await freePort()}`
  return Promise.all(
    targets.map(async ({ name, instance, labels, honorLabels = false, text }) => ({
      job: name,
      instance,
      labels,
      honorLabels,
      targets: [text === null ? away : await exporterOf(() => `${text(Date.now())}\n`)],
    })),
  )
}

/** Every rule once, whatever the number of alerts that are expected of it. */
export function rulesGiven(expected: readonly LifeRule[], forTime = '0s'): readonly RuleGiven[] {
  const rules = new Map(
    expected.map(({ name, severity, expression, summary }) => [
      `${name} ${severity}`,
      {
        alert: name,
        expr: expression,
        for: forTime,
        labels: { severity },
        ...(summary === '' ? {} : { annotations: { summary } }),
      },
    ]),
  )
  return [...rules.values()]
}

/** A service with a new ledger: templates name its servers. */
export function openNamed(
  t: Ending,
  at: Parameters<typeof openFront>[1],
  given: Partial<NamesSettings> = {},
): Promise<Front> {
  const names = { server: null, reporters: null, isByLabel: false, ...given }
  return openFront(t, at, { prometheus: { ...settingsOf(at), names } })
}
