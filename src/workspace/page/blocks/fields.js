/**
 * Reading the parts of a block whose shape nobody has checked.
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
