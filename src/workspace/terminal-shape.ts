// Reading the parts of a block whose shape nobody has checked.

export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The string at a key; undefined when something else is there. */
export function stringAt(object: JsonObject, key: string): string | undefined {
  const value = object[key]
  return typeof value === 'string' ? value : undefined
}

/** The text of the text object at a key. */
export function textAt(object: JsonObject, key: string): string | undefined {
  const value = object[key]
  return isObject(value) ? stringAt(value, 'text') : undefined
}
