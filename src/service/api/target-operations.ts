/** `targets.json`: lists what is watched and what is wrong with it, for operators (docs/api.md#operations). */
import { z } from 'zod'
import type { World } from '../world.ts'
import { noInput, type Operation, operation } from './operation.ts'

const target = z.object({
  server: z.string(),
  /** How it is measured: by its exporters, by pushes, by this process, by Prometheus, or not at all (simulated). */
  kind: z.enum(['machine', 'scraped', 'pushed', 'fleet', 'extra', 'prometheus']),
  /** In this run; null: none yet. */
  last_report: z.iso.datetime().nullable(),
  /** The exporters of a scraped server, in the order of the file. */
  exporters: z.array(
    z.object({
      url: z.string(),
      failure: z.string().nullable(),
      failing_since: z.iso.datetime().nullable(),
      metrics_left_out: z.int(),
      /** The first families that could not be read. */
      unreadable: z.array(z.string()),
    }),
  ),
})

function told({ registry, readings, fleet }: World): z.input<typeof target>[] {
  return registry.servers().map(({ hostname, kind }) => {
    const lastMs = readings.lastReportMs(hostname)
    return {
      server: hostname,
      kind,
      last_report: lastMs === null ? null : new Date(lastMs).toISOString(),
      exporters: (fleet.stateOf(hostname) ?? []).map((one) => ({ ...one, unreadable: [...one.unreadable] })),
    }
  })
}

export const targetOperations: readonly Operation[] = [
  operation({
    id: 'fetchTargets',
    method: 'GET',
    path: '/targets.json',
    summary: 'What is watched, when it last reported, and what is wrong with it',
    input: noInput,
    answer: z.object({
      message: z.string(),
      /** What stands behind the API, and its trouble. */
      source: z.looseObject({ kind: z.string() }),
      results: z.array(target),
    }),
    run({ world }) {
      const results = told(world)
      const failing = results
        .flatMap(({ exporters }) => exporters)
        .filter(({ failure }) => failure !== null).length
      return {
        message: `${results.length} servers, ${failing} exporters that cannot be read`,
        source: world.source.state(),
        results,
      }
    },
  }),
]
