/** Prometheus' `file_sd` format: a list of targets with labels, in YAML or JSON, which a provisioner writes beside the file. */
import { z } from 'zod'
import { address, hostname, listOf, role, targetsMax, textOf } from './fleet-shape.ts'
import type { Place } from './yaml-file.ts'

const labelsMax = 100

// Written by machines for Prometheus too: labels that say nothing to us are left alone, and may be numbers.
const labels = z
  .record(z.string(), z.coerce.string(), { error: 'a mapping of labels' })
  .refine((all) => Object.keys(all).length <= labelsMax, { error: `at most ${labelsMax} labels` })

const group = z.object(
  {
    targets: listOf(textOf(500, 'an address such as web-1:9100'), targetsMax, 'addresses'),
    labels: labels.default({}),
  },
  { error: 'a mapping of targets and labels' },
)

export type FileTarget = {
  readonly url: URL
  readonly server: string | undefined
  readonly environment: string
  readonly roles: string[]
  readonly place: Place
}

/** The labels `server`, `role` (several between commas) and `env` are taken, and Prometheus' own of the address. */
export const fileSdShape = listOf(group, targetsMax, 'groups of targets').transform((groups, context) =>
  groups.flatMap(({ targets, labels: all }, at): FileTarget[] => {
    const given = new Map(Object.entries(all))
    const complain = (issues: z.core.$ZodIssue[] | undefined, path: Place): void => {
      for (const { message } of issues ?? [])
        context.addIssue({ code: 'custom', path: [at, ...path], message })
    }
    const server = given.has('server') ? hostname.safeParse(given.get('server')) : undefined
    complain(server?.error?.issues, ['labels', 'server'])
    const roles = z.array(role).safeParse(
      (given.get('role') ?? '')
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    )
    complain(roles.error?.issues, ['labels', 'role'])
    return targets.flatMap((text, nth) => {
      const path = given.get('__metrics_path__') ?? '/metrics'
      const url = address.safeParse(`${given.get('__scheme__') ?? 'http'}://${text}${path}`)
      complain(
        url.error?.issues.map((issue) => ({ ...issue, message: 'an address such as web-1:9100' })),
        ['targets', nth],
      )
      if (!url.success) return []
      const place = [at, 'targets', nth]
      return [
        {
          url: url.data,
          server: server?.data,
          environment: given.get('env') || 'production',
          roles: roles.data ?? [],
          place,
        },
      ]
    })
  }),
)
