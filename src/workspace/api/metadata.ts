/** Message metadata: an event type and a flat payload (slack-facts 3.4). */
import type { Fields } from '../state/fields.ts'
import { isFields } from '../state/fields.ts'
import type { Metadata } from '../state/messages.ts'

/** Slack has a cap and does not publish it; 8 KB of JSON is ours. */
export const metadataBytesMax = 8_192
const eventTypeCharsMax = 255

export type MetadataVerdict =
  | { readonly ok: true /** Null for `{}`, which clears it. */; readonly metadata: Metadata | null }
  | { readonly ok: false; readonly why: 'invalid_metadata_format' | 'metadata_too_large' }

export function readMetadata(value: unknown): MetadataVerdict {
  const wrong = { ok: false, why: 'invalid_metadata_format' } as const
  if (!isFields(value)) return wrong
  if (Object.keys(value).length === 0) return { ok: true, metadata: null }
  const { event_type: eventType, event_payload: payload, ...rest } = value
  if (Object.keys(rest).length > 0) return wrong
  if (typeof eventType !== 'string' || !/^[A-Za-z0-9_]+$/.test(eventType)) return wrong
  if (eventType.length > eventTypeCharsMax) return wrong
  if (!isFields(payload) || !isFlat(payload, 0)) return wrong
  if (Buffer.byteLength(JSON.stringify(value)) > metadataBytesMax)
    return { ok: false, why: 'metadata_too_large' }
  return { ok: true, metadata: { event_type: eventType, event_payload: payload } }
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
