/** JSON Schemas of the policy and of the service's file, for editors, made from what the programs check with. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { policySchema } from '../src/bot/config/policy.ts'
import { fleetShape } from '../src/service/config/fleet-shape.ts'

const options = { io: 'input', unrepresentable: 'any' } as const

/** By the name of the file below `schema/`. They take everything that the programs take, and less of what those refuse. */
export function schemaTexts(): Readonly<Record<string, string>> {
  const service = z.toJSONSchema(fleetShape({}), options)
  const text = (title: string, schema: object) => `${JSON.stringify({ title, ...schema }, null, 2)}\n`
  return {
    'policy.json': `${JSON.stringify(policySchema(), null, 2)}\n`,
    'service.json': text('The file of the monitoring service', service),
  }
}

/** Into the folder `schema` of this one. */
export function writeSchemas(): void {
  mkdirSync('schema', { recursive: true })
  for (const [name, text] of Object.entries(schemaTexts())) writeFileSync(`schema/${name}`, text)
}
