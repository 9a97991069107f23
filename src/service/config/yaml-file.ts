/** Checks a YAML or JSON text against a shape, and reports each problem with file, line and column. */
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { quoted } from '../refusal.ts'

const charsMax = 4_000_000

/** A mapping or list of a file, by its path from the top. */
export type Place = readonly PropertyKey[]

export type Checked<Value> = {
  /** Null if there are problems. */
  readonly value: Value | null
  /** Its unchecked content; null if it is not YAML. */
  readonly given: unknown
  readonly problems: readonly string[]
  /** `file:line:column name` of the value there, or of its nearest parent. */
  readonly placeOf: (place: Place) => string
}

/** Never throws. Problems never show the password of an address. */
export function checkYaml<Shape extends z.ZodType>(
  source: string,
  file: string,
  shapeFor: (given: unknown) => Shape,
): Checked<z.output<Shape>> {
  if (source.length > charsMax) {
    const problems = [`${file}: expected at most ${charsMax} characters; came ${source.length}`]
    return { value: null, given: null, problems, placeOf: () => file }
  }
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const placeOf = (place: Place): string => `${at(offsetOf(document, place))} ${nameOf(place)}`.trimEnd()

  const broken = [...document.errors, ...document.warnings].map(
    ({ message, pos }) => `${at(pos[0])}: expected YAML; came ${shown(message)}`,
  )
  visit(document, {
    // A few nested aliases can grow to gigabytes.
    Alias: (_, node) => {
      broken.push(`${at(node.range?.[0] ?? 0)}: expected a value; came a YAML alias`)
    },
  })
  if (broken.length > 0) return { value: null, given: null, problems: broken, placeOf }

  const given: unknown = document.toJS() ?? {}
  const checked = shapeFor(given).safeParse(given)
  if (checked.success) return { value: checked.data, given, problems: [], placeOf }
  const problems = checked.error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') {
      return [`${placeOf(issue.path)}: expected ${issue.message}; came ${shown(valueAt(given, issue.path))}`]
    }
    return issue.keys.map((key) => {
      const place = at(offsetOf(document, [...issue.path, key]))
      return `${`${place} ${nameOf(issue.path)}`.trimEnd()}: expected ${issue.message}; came the unknown key ${shown(key)}`
    })
  })
  return { value: null, given, problems, placeOf }
}

/** Describes the value; without user and password of an address. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  return quoted(typeof value === 'string' ? value.replace(/(^|\/\/)[^/\s]*@/g, '$1…@') : value)
}

/** Start of the value at this path (of its key, in a mapping); of its nearest parent if it is missing. */
function offsetOf(document: Document.Parsed, path: Place): number {
  let node: unknown = document.contents
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      if (pair === undefined) return offset
      if (isNode(pair.key)) offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(step)]
      if (isNode(node)) offset = node.range?.[0] ?? offset
    }
  }
  return offset
}

/** The value at this path; undefined if there is none. */
export function valueAt(value: unknown, path: Place): unknown {
  let found: unknown = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = Reflect.get(found, step)
  }
  return found
}

/** `scrape.targets[0].url` */
function nameOf(path: Place): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return name === '' ? String(step) : `${name}.${String(step)}`
  }, '')
}
