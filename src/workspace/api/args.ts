/**
 * The arguments of a call, however they were sent: form fields (nested values as JSON text) or a JSON body. An argument
 * that is null was not given.
 */
import type { Fields } from '../state/fields.ts'

export type Json =
  | { readonly given: false }
  | { readonly given: true; readonly ok: true; readonly value: unknown }
  | { readonly given: true; readonly ok: false }

export type Args = {
  has(name: string): boolean
  /** As text; undefined when it was not given or is not plain. */
  text(name: string): string | undefined
  /** `true`, `1`, `false`, `0`; undefined when it was not given or is none of them. */
  flag(name: string): boolean | undefined
  /** A whole number; undefined when it was not given, NaN when it is none. */
  whole(name: string): number | undefined
  /** A nested value. */
  json(name: string): Json
  /** Names separated by commas, or a list of them. */
  list(name: string): readonly string[]
}

export function readArgs(raw: Fields): Args {
  const given = new Map(Object.entries(raw).filter(([, value]) => value !== null && value !== undefined))

  function text(name: string): string | undefined {
    const value = given.get(name)
    if (typeof value === 'string') return value
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  }

  function json(name: string): Json {
    if (!given.has(name)) return { given: false }
    const value = given.get(name)
    if (typeof value !== 'string') return { given: true, ok: true, value }
    try {
      return { given: true, ok: true, value: JSON.parse(value) }
    } catch {
      return { given: true, ok: false }
    }
  }

  return {
    has: (name) => given.has(name),
    text,
    flag(name) {
      const value = text(name)
      if (value === 'true' || value === '1') return true
      return value === 'false' || value === '0' ? false : undefined
    },
    whole(name) {
      const value = text(name)
      if (value === undefined || value === '') return undefined
      return /^-?\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    },
    json,
    list(name) {
      const value = given.get(name)
      const names = Array.isArray(value) ? value.map(String) : (text(name) ?? '').split(',')
      return names.map((one) => one.trim()).filter((one) => one !== '')
    },
  }
}
