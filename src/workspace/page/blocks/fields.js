/**
 * Reading what came from a bot without trust: the parts of a block whose shape nobody has checked, and addresses.
 *
 * @import { Fields } from './render-context.js'
 */

/**
 * @param {unknown} value
 * @returns {value is Fields}
 */
export function isFields(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @type {(value: unknown) => Fields} */
export const fieldsOf = (value) => (isFields(value) ? value : {})

/** @type {(value: unknown) => Fields[]} */
export const fieldsIn = (value) => (Array.isArray(value) ? value.filter(isFields) : [])

/** @type {(value: unknown) => string} */
export const stringOf = (value) => (typeof value === 'string' ? value : '')

/** The address if it is one that a person may follow (http, https, mailto), else undefined.  @type {(url: string) => string | undefined} */
export function linkUrl(url) {
  const parsed = URL.parse(url)
  return parsed !== null && ['http:', 'https:', 'mailto:'].includes(parsed.protocol) ? parsed.href : undefined
}
