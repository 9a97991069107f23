/** The JSON Schema of the policy, for editors, made from what the bot checks it with. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { policySchema } from '../src/bot/config/policy.ts'

function schemaText(): string {
  return `${JSON.stringify(policySchema(), null, 2)}\n`
}

/** Into the folder `schema` of this one. */
export function writeSchema(): void {
  mkdirSync('schema', { recursive: true })
  writeFileSync('schema/policy.json', schemaText())
}
