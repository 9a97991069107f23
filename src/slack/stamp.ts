/**
 * What a card's buttons carry: which card, which version of it the person saw, and which alert. It is the `block_id` of the
 * card's actions, so that selects and overflows, whose values are short, carry it just like buttons.
 */

export type Stamp = { readonly cardId: string; readonly version: number; readonly alertId: string | null }

const shape = /^card\|(\d{1,15})(?:\.\d{1,16})?\|([^|]*)\|(.+)$/
/** Slack's limit on a `block_id`. */
const blockIdCharsMax = 255

/**
 * A `block_id`; it differs from version to version, as Slack advises: a select under the same one keeps what was chosen, and to
 * choose that again does nothing. What has no versions differs by `shownMs`, when it is shown.
 */
export function stampText({ cardId, version, alertId }: Stamp, shownMs?: number): string {
  const text = `card|${version}${shownMs === undefined ? '' : `.${shownMs}`}|${alertId ?? ''}|${cardId}`
  if (text.length > blockIdCharsMax) throw new Error(`The stamp of the card ${cardId} is too long for Slack`)
  return text
}

/** Null for a block that is not a card's. */
export function parseStamp(blockId: string): Stamp | null {
  const found = shape.exec(blockId)
  if (found === null) return null
  const [, version = '', alertId = '', cardId = ''] = found
  return { cardId, version: Number(version), alertId: alertId === '' ? null : alertId }
}
