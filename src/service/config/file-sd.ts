/** Prometheus' `file_sd` format: a list of targets with labels, in YAML or JSON, which a provisioning tool writes beside the file. */
import { z } from 'zod'
import type { Place } from '../../shared/yaml-file.ts'
import { hostname, role, targetsMax } from './fleet-shape.ts'
import { address, listOf, textOf } from './shapes.ts'

const labelsMax = 100

// Also written by machines for Prometheus: labels that we do not use are ignored, and may be numbers.
const labels = z
  .record(z.string(), z.coerce.string(), { error: 'a mapping of labels' })
  .refine((all) => Object.keys(all).length <= labelsMax, { error: `at most ${labelsMax} labels` })

/** A target as written in the file, with its place there. */
export type FileTarget = {
  readonly url: URL
  readonly server: string | undefined
  readonly environment: string | undefined
  readonly roles: readonly string[]
  readonly place: Place
}

const group = z
  .object(
    {
      targets: listOf(textOf(500, 'an address such as web-1:9100'), targetsMax, 'addresses'),
      labels: labels.default({}),
    },
    { error: 'a mapping of targets and labels' },
  )
  .transform(({ targets, labels: all }, context): FileTarget[] => {
    const given = new Map(Object.entries(all))
    const complain = (path: Place, message: string): void =>
      context.addIssue({ code: 'custom', path: [...path], message })
    const server = given.has('server') ? hostname.safeParse(given.get('server')) : undefined
    for (const { message } of server?.error?.issues ?? []) complain(['labels', 'server'], message)
    const names = (given.get('role') ?? '').split(',').map((one) => one.trim())
    const roles = z.array(role).safeParse(names.filter((one) => one !== ''))
    for (const { message } of roles.error?.issues ?? []) complain(['labels', 'role'], message)
    return targets.flatMap((text, nth) => {
      const path = given.get('__metrics_path__') ?? '/metrics'
      const url = address.safeParse(`${given.get('__scheme__') ?? 'http'}://${text}${path}`)
      if (!url.success) complain(['targets', nth], 'an address such as web-1:9100')
      if (!url.success) return []
      const environment = given.get('env') || undefined
      const own = { server: server?.data, environment, roles: roles.data ?? [] }
      return [{ url: url.data, ...own, place: ['targets', nth] }]
    })
  })

/** Uses the labels `server`, `role` (several, separated by commas) and `env`, and Prometheus' own address labels. */
export const fileSdShape = listOf(group, targetsMax, 'groups of targets').transform((groups) =>
  groups.flatMap((targets, at) => targets.map((one) => ({ ...one, place: [at, ...one.place] }))),
)
