/** Makes what an older file holds storable on a Postgres, by the rules that hold for what is read today. */
import { cutName, storable, storableJson } from '../../domain/base/storable.ts'
import type { TableName } from './end.ts'

export type Column = { readonly name: string; readonly isInteger: boolean }
type Value = string | number | null

/** A `subject` is a hostname or a short name. */
const names: readonly string[] = ['hostname', 'plugin', 'metric', 'subject']
/** Others may hold what looks like an escape, and is none. */
const json: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  alerts: ['roles', 'details', 'muted_by'],
  ends: ['record'],
  mutes: ['alert', 'previous'],
  switches: ['places'],
  planned_mutes: ['what', 'rule'],
  audit: ['detail'],
  pending: ['change'],
}

/** `columns` in the order of the values. */
export function fitting(
  table: TableName,
  columns: readonly Column[],
): (row: readonly Value[]) => readonly Value[] {
  const fits = columns.map(({ name, isInteger }) => {
    const known = json[table]?.includes(name) ? storableJson : names.includes(name) ? cutName : null
    return (value: Value): Value => {
      if (typeof value === 'string') return known === null ? storable(value) : known(storable(value))
      if (typeof value !== 'number') return value
      if (!Number.isFinite(value)) return null
      return isInteger ? Math.round(value) : value
    }
  })
  return (row) => row.map((value, at) => fits[at]?.(value) ?? null)
}
