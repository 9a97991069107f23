/** What a method is handed, and what it gives back. */
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import { type Reply, refuse, refuseArguments } from './reply.ts'

export type Caller = 'bot' | 'app'
export type Call = {
  readonly state: State
  readonly args: Args
  readonly caller: Caller
  /** Makes the address of one Socket Mode connection. */
  readonly invite: () => string
}

/** Methods are not async: what they change, they change at once. They may throw `Refused`. */
export type Method = (call: Call) => Reply

/** Form fields, with nested values as JSON text, or what came as JSON. One that is null was not given. */
export type Args = {
  /** As text; undefined when it was not given or is not plain. */
  text(name: string): string | undefined
  /** As text that is not empty. Refused without it. */
  need(name: string): string
  /** `true`, `1`, `false`, `0`; undefined when it was not given or is none of them. */
  flag(name: string): boolean | undefined
  /** A whole number; undefined when it was not given, NaN when it is none. */
  whole(name: string): number | undefined
  /** A nested value; undefined when it was not given. Refused with `error` where it is no JSON. */
  json(name: string, error: string): unknown
}

export function readArgs(raw: Fields): Args {
  const given = new Map(Object.entries(raw).filter(([, value]) => value !== null && value !== undefined))

  function text(name: string): string | undefined {
    const value = given.get(name)
    if (typeof value === 'string') return value
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  }

  return {
    text,
    need: (name) => text(name) || refuseArguments(`missing required field: ${name}`),
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
    json(name, error) {
      const value = given.get(name)
      if (typeof value !== 'string') return value
      try {
        return JSON.parse(value)
      } catch {
        return refuse(error)
      }
    },
  }
}
