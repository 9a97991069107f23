/** Checks a YAML or JSON text against a shape, and says of each problem where it stands: `policy.yml:3:5 routes[0].channel`. */
import { createRequire } from 'node:module'
import type { z } from 'zod'
import { shown } from './shapes.ts'

type Place = readonly PropertyKey[]
type Checked<Shape extends z.ZodType> =
  | { readonly ok: true; readonly value: z.output<Shape> }
  | { readonly ok: false; readonly problems: readonly string[] }

/** `isSecret`: what stands at such a place is never told. */
export function checkYaml<Shape extends z.ZodType>(
  source: string,
  file: string,
  shape: Shape,
  isSecret: (place: Place) => boolean,
): Checked<Shape> {
  // 70 modules, which a bot without a file does without.
  const yaml: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  const lines = new yaml.LineCounter()
  const document = yaml.parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const problem = (offset: number, name: Place, expected: string, came: string) => {
    const { line, col } = lines.linePos(offset)
    return `${`${file}:${line}:${col} ${nameOf(name)}`.trimEnd()}: expected ${expected}; came ${came}`
  }
  /** Of the value, or of its nearest parent if it is missing. */
  const offsetOf = (place: Place): number => {
    const node = place.length === 0 ? document.contents : document.getIn(place, true)
    if (yaml.isNode(node)) return node.range?.[0] ?? 0
    return place.length === 0 ? 0 : offsetOf(place.slice(0, -1))
  }
  const broken = [...document.errors, ...document.warnings]
  if (broken.length > 0) {
    const problems = broken.map(({ message, pos }) => problem(pos[0], [], 'YAML', shown(message, [])))
    return { ok: false, problems }
  }
  const checked = shape.safeParse(document.toJS() ?? {}, { reportInput: true })
  if (checked.success) return { ok: true, value: checked.data }
  const problems = checked.error.issues.flatMap((issue) => {
    const { path, message, input } = issue
    if (issue.code !== 'unrecognized_keys') {
      const isHidden = typeof input === 'string' && (path.length === 0 || isSecret(path))
      const came = isHidden ? `a text of ${input.length} characters` : shown(input, [])
      return problem(offsetOf(path), path, message, came)
    }
    // Where the space behind the colon is missing, the value is in the key, and may be a secret.
    return issue.keys.map((key) =>
      problem(
        offsetOf([...path, key]),
        path,
        message,
        `the unknown key ${shown(key.replace(/:.+/s, ':…'), [])}`,
      ),
    )
  })
  return { ok: false, problems }
}

/** `routes[0].channel` */
function nameOf(place: Place): string {
  return place.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return name === '' ? String(step) : `${name}.${String(step)}`
  }, '')
}
