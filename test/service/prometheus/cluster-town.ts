/** The cluster of `cluster-hosts.ts` for a real Prometheus: its jobs and its rules. */
import { exporterOf } from '../scrape/exporters.ts'
import { freePort } from '../scrape/node-exporter.ts'
import type { ClusterTarget } from './cluster-hosts.ts'
import type { LifeRule } from './life-rules.ts'
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
