/** Reads the policy file (MONBOT_CONFIG), and reports each problem with its line and column. */
import { createRequire } from 'node:module'
import type { Document } from 'yaml'
import { describeValue, type Problem } from './config-error.ts'
import { type Policy, policyFile, policyOf } from './policy.ts'

const fileCharsMax = 256_000
/** 70 modules, which a bot without a policy file does not load. */
const loadYaml = (): typeof import('yaml') => createRequire(import.meta.url)('yaml')

type PolicyReading = { readonly policy: Policy | null; readonly problems: readonly Problem[] }

/**
 * Parses the file's text (empty text gives all defaults). Never throws: a problem's `setting` starts with
 * `path:line:column`. `secrets` are values that must not appear in problems.
 */
export function readPolicy(source: string, path: string, secrets: readonly string[]): PolicyReading {
  if (source.length > fileCharsMax) {
    // How many more is not known: of a file without an end only the start is read (see `read-limited.ts`).
    const expected = `a YAML file of at most ${fileCharsMax} characters`
    return { policy: null, problems: [{ setting: path, expected, came: 'more' }] }
  }
  if (source === '') return { policy: policyOf(policyFile.parse({})), problems: [] }
  const { LineCounter, parseDocument, visit } = loadYaml()
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${line}:${col}`
  }

  const broken = [...document.errors, ...document.warnings].map(({ message, pos }) => {
    return { setting: at(pos[0]), expected: 'YAML', came: describeValue(message, secrets) }
  })
  visit(document, {
    // A few nested aliases can grow to gigabytes, and a policy needs none.
    Alias: (_, node) => {
      broken.push({ setting: at(node.range?.[0] ?? 0), expected: 'a value', came: 'a YAML alias' })
    },
  })
  if (broken.length > 0) return { policy: null, problems: broken }

  const value: unknown = document.toJS() ?? {}
  const checked = policyFile.safeParse(value)
  if (!checked.success) {
    const problems = checked.error.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') {
        const setting = `${at(offsetOf(document, issue.path))} ${nameOf(issue.path)}`.trimEnd()
        const came = describeValue(valueAt(value, issue.path), secrets)
        return [{ setting, expected: issue.message, came }]
      }
      return issue.keys.map((key) => {
        const keyPath = [...issue.path, key]
        const setting = `${at(offsetOf(document, keyPath))} ${nameOf(issue.path)}`.trimEnd()
        return { setting, expected: issue.message, came: `the unknown key ${describeValue(key, secrets)}` }
      })
    })
    return { policy: null, problems }
  }
  return { policy: policyOf(checked.data), problems: [] }
}

/** Start of the value at this path (of its key, in a mapping); of its nearest parent if it is missing. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  const { isMap, isNode, isScalar, isSeq } = loadYaml()
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

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found: unknown = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = Reflect.get(found, step)
  }
  return found
}

/** `routes[0].match.server` */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return name === '' ? String(step) : `${name}.${String(step)}`
  }, '')
}
