/** Every operation of docs/api.md#operations. */
import { alertOperations } from './alert-operations.ts'
import { metricOperations } from './metric-operations.ts'
import { muteOperations } from './mute-operations.ts'
import { type Operation, variableOf } from './operation.ts'
import { accountOperations, serverOperations } from './server-operations.ts'
import { targetOperations } from './target-operations.ts'

export const operations: readonly Operation[] = [
  ...alertOperations,
  ...serverOperations,
  ...accountOperations,
  ...muteOperations,
  ...metricOperations,
  ...targetOperations,
]

/** The operations with this path, for all methods; `segments` are those after the key. */
export function operationsAt(segments: readonly string[]): readonly Operation[] {
  return operations.filter(({ path }) => {
    const parts = path.slice(1).split('/')
    return (
      parts.length === segments.length &&
      parts.every((part, at) => part === segments[at] || isVariable(part, segments[at] ?? ''))
    )
  })
}

function isVariable(part: string, segment: string): boolean {
  const variable = variableOf(`/${part}`)
  return variable !== null && segment.endsWith(variable.ending) && segment.length > variable.ending.length
}
