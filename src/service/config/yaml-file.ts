/** Checks a file of the service against a shape, and words each problem with file, line and column. */
import * as yaml from 'yaml'
import type { z } from 'zod'
import { type CheckedYaml, checkYaml, type Place } from '../../shared/yaml-file.ts'
import { quoted } from '../refusal.ts'

const charsMax = 4_000_000

export type Checked<Value> = Omit<CheckedYaml<Value>, 'problems'> & { readonly problems: readonly string[] }

/** Never throws. Problems never show the password of an address. */
export function checkFile<Shape extends z.ZodType>(
  source: string,
  file: string,
  shapeFor: (given: unknown) => Shape,
): Checked<z.output<Shape>> {
  if (source.length > charsMax) {
    const problems = [`${file}: expected at most ${charsMax} characters; came ${source.length}`]
    return { value: null, given: null, problems, placeOf: () => file }
  }
  const checked = checkYaml(yaml, { source, file }, shapeFor, shown)
  const problems = checked.problems.map(
    ({ at, expected, came }) => `${at}: expected ${expected}; came ${came}`,
  )
  return { ...checked, problems }
}

/** Describes the value; without user and password of an address, and without tokens and the values of headers. */
export function shown(value: unknown, place: Place = []): string {
  if (place.at(-1) === 'token' || place.at(-2) === 'headers') return 'something else'
  if (Array.isArray(value)) return `a list of ${value.length}`
  return quoted(typeof value === 'string' ? value.replace(/(^|\/\/)[^/\s]*@/g, '$1…@') : value)
}
