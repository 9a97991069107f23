/** Checks a YAML or JSON text against a shape, and says of each problem where it stands. */
import type { Document } from 'yaml'
import type { z } from 'zod'

/** The parser: handed in, since loading its 70 modules is left out where there is no file. */
type Yaml = typeof import('yaml')

/** A value of a file, by its path from the top. */
export type Place = readonly PropertyKey[]

/** `at`: `file:line:column name`, or without a name where the text cannot be parsed. */
export type YamlProblem = { readonly at: string; readonly expected: string; readonly came: string }

export type CheckedYaml<Value> = {
  /** Null if there are problems. */
  readonly value: Value | null
  /** Its unchecked content; null if it is not YAML. */
  readonly given: unknown
  readonly problems: readonly YamlProblem[]
  /** `file:line:column name` of the value there, or of its nearest parent. */
  readonly placeOf: (place: Place) => string
}

/** Never throws. `shown` describes a value that came at a place, without its secrets. */
export function checkYaml<Shape extends z.ZodType>(
  yaml: Yaml,
  { source, file }: { readonly source: string; readonly file: string },
  shapeFor: (given: unknown) => Shape,
  shown: (value: unknown, place: Place) => string,
): CheckedYaml<z.output<Shape>> {
  const lines = new yaml.LineCounter()
  const document = yaml.parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const named = (place: Place, name: Place): string =>
    `${at(offsetOf(yaml, document, place))} ${nameOf(name)}`.trimEnd()
  const placeOf = (place: Place): string => named(place, place)

  const broken = [...document.errors, ...document.warnings].map(({ message, pos }) => {
    return { at: at(pos[0]), expected: 'YAML', came: shown(message, []) }
  })
  yaml.visit(document, {
    // A few nested aliases can grow to gigabytes, and no file needs one.
    Alias: (_, node) => {
      broken.push({ at: at(node.range?.[0] ?? 0), expected: 'a value', came: 'a YAML alias' })
    },
  })
  if (broken.length > 0) return { value: null, given: null, problems: broken, placeOf }

  const given: unknown = document.toJS() ?? {}
  const checked = shapeFor(given).safeParse(given)
  if (checked.success) return { value: checked.data, given, problems: [], placeOf }
  const problems = checked.error.issues.flatMap((issue): YamlProblem[] => {
    const { path, message: expected } = issue
    if (issue.code !== 'unrecognized_keys') {
      const value = valueAt(given, path)
      const isText = path.length === 0 && typeof value === 'string'
      return [{ at: placeOf(path), expected, came: isText ? 'a text' : shown(value, path) }]
    }
    return issue.keys.map((key) => {
      // Where the space behind the colon is missing, the value is in the key, and may be a secret.
      const shownKey = shown(key.replace(/:.+/s, ':…'), [])
      return { at: named([...path, key], path), expected, came: `the unknown key ${shownKey}` }
    })
  })
  return { value: null, given, problems, placeOf }
}

/** Start of the value at this path (of its key, in a mapping); of its nearest parent if it is missing. */
function offsetOf({ isMap, isNode, isScalar, isSeq }: Yaml, document: Document.Parsed, path: Place): number {
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
