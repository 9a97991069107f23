/** Checks requests to the control API: one schema per order. */
import { z } from 'zod'
import { scenarioLimits } from '../alerts/scenarios.ts'
import { parseFields } from '../api/parameter.ts'
import { parseJson } from '../api/parameters.ts'
import { Refusal } from '../refusal.ts'
import { accountLimits } from '../store/registry.ts'
import { busySecondsMax } from './running.ts'

const titleCharsMax = 1_000
const hostname = z.string().min(1).max(accountLimits.hostnameCharsMax)
const name = z.string().trim().min(1).max(200)
const role = z.string().trim().min(1).max(accountLimits.roleCharsMax).optional()
const seconds = z.number().positive().max(scenarioLimits.secondsMax).optional()

export const scenarioOrder = z.strictObject({
  server: hostname.optional(),
  count: z.int().min(1).max(scenarioLimits.countMax).optional(),
  seconds,
})
export const busyOrder = z.strictObject({ seconds: z.number().min(0).max(busySecondsMax) })
export const alertOrder = z.strictObject({
  server: hostname,
  plugin: name,
  metric: name.optional(),
  value: z.number().optional(),
  title: z.string().min(1).max(titleCharsMax).optional(),
  role,
  seconds,
})
export const oneoffOrder = z.strictObject({
  server: hostname,
  plugin: name,
  title: z.string().min(1).max(titleCharsMax),
  role,
})
export const keyOrder = z.strictObject({ key: z.string().optional() })
export const keyRemoval = z.strictObject({ key: z.string() })

/** An empty body is an order without fields. Throws a 422 `Refusal` that names every wrong field, but no value. */
export function parseOrder<Schema extends z.ZodType>(schema: Schema, body: string): z.output<Schema> {
  return parseFields(schema, readJson(body))
}

function readJson(body: string): unknown {
  const value = body.trim() === '' ? {} : parseJson(body)
  if (value === undefined) throw new Refusal(422, 'body: expected JSON; came other text')
  return value
}
