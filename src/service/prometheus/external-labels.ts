/** The labels that a Prometheus adds to its alerts on their way to an Alertmanager, and to nothing that it answers itself. */
import { parseDocument } from 'yaml'
import { z } from 'zod'

const shape = z.object({ global: z.object({ external_labels: z.record(z.string(), z.string()).optional() }) })

/** Of a configuration as `/api/v1/status/config` shows it; null if it has none. The rest may be long, and is nobody's business. */
export function externalLabelsIn(config: string): Readonly<Record<string, string>> | null {
  const [block = ''] = /^global:\n(?:[ \t].*\n?)*/m.exec(config) ?? []
  return shape.safeParse(parseDocument(block).toJS()).data?.global.external_labels ?? null
}
