/** Message metadata: an event type and a flat payload (slack-facts 3.4). */
import { type Fields, isFields } from '../state/fields.ts'
import type { Metadata } from '../state/messages.ts'
import { refuse } from './reply.ts'

/** Slack has a cap and does not publish it; 8 KB of JSON is ours. */
export const metadataBytesMax = 8_192

/** Null for `{}`, which clears it. */
export function readMetadata(value: unknown): Metadata | null {
  if (!isFields(value)) return refuse('invalid_metadata_format')
  if (Object.keys(value).length === 0) return null
  const { event_type, event_payload, ...rest } = value
  const isNamed = typeof event_type === 'string' && /^[A-Za-z0-9_]{1,255}$/.test(event_type)
  if (!isNamed || !isFields(event_payload) || !isFlat(event_payload, 0) || Object.keys(rest).length > 0)
    return refuse('invalid_metadata_format')
  if (Buffer.byteLength(JSON.stringify(value)) > metadataBytesMax) refuse('metadata_too_large')
  return { event_type, event_payload }
}

/** One level of objects below the payload, lists of plain values only, no null anywhere. */
function isFlat(fields: Fields, depth: number): boolean {
  return Object.entries(fields).every(([key, value]) => {
    if (!/^[a-z][a-z0-9_]*$/.test(key)) return false
    if (isScalar(value)) return true
    if (Array.isArray(value)) return value.every(isScalar)
    return depth === 0 && isFields(value) && isFlat(value, depth + 1)
  })
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
