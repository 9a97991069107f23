/** Shapes of what people write into settings and the policy file, and how is told what is wrong with it. */
import { createRequire } from 'node:module'
import { z } from 'zod'

/** A mapping without unknown keys; the message for an unknown key lists the valid ones. */
export function mapping<T extends z.core.$ZodLooseShape>(shape: T) {
  const keys = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) => `${code === 'unrecognized_keys' ? 'one' : 'a mapping'} of ${keys}`,
  })
}

/** A text of this form. The description is what editors show. */
export function text(expected: string, form: RegExp | ((value: string) => boolean)) {
  const isGood = form instanceof RegExp ? (value: string) => form.test(value) : form
  return z.string({ error: expected }).refine(isGood, { error: expected }).describe(expected)
}

/** A text that `parse` understands; null is a no. */
export function read<Value>(expected: string, parse: (text: string) => Value | null) {
  const shape = z.string({ error: expected }).describe(expected)
  return shape.transform((value, context): Value => {
    const parsed = parse(value)
    if (parsed !== null) return parsed
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
}

const kinds = new Map([
  ['array', 'a list'],
  ['boolean', 'true or false'],
  ['record', 'a mapping'],
  ['string', 'text'],
])

/** What was expected, where a shape does not say it itself. */
export const expectedOf: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`
  return issue.code === 'invalid_type' ? kinds.get(issue.expected) : undefined
}

export const channelId = text('a channel id such as C0123456789', /^[CG][A-Z0-9]{1,20}$/)

/** The https:// address of a calendar: in the clear only to this machine, since such addresses are often secrets. */
export const calendarAddress = text('the https:// address of a calendar', (value) => {
  const url = URL.parse(value)
  if (url === null || value.length > 2000 || url.username !== '' || url.password !== '') return false
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere)
})

const shownCharsMax = 60
/** A token of Slack, or an address with a password. */
const looksSecret = /\bx(?:ox[a-z]|app)-|whsec_|:\/\/[^/\s]*:[^/\s]*@/

/** What came, for a problem. Whatever holds one of `secrets`, or looks like one, is told by its length only. */
export function shown(value: unknown, secrets: readonly string[]): string {
  if (value === undefined || value === null || value === '') return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'a mapping'
  const all = String(value)
  if (looksSecret.test(all) || secrets.some((secret) => all.includes(secret)))
    return `a value of ${all.length} characters that holds a secret`
  const cut = all.length > shownCharsMax ? `${all.slice(0, shownCharsMax)}…` : all
  return typeof value === 'string' ? JSON.stringify(cut) : cut
}

type Place = readonly PropertyKey[]
type Checked<Shape extends z.ZodType> =
  | { readonly ok: true; readonly value: z.output<Shape> }
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Checks a YAML or JSON text against a shape, and says of each problem where it stands: `policy.yml:3:5 routes[0].channel`.
 * `isSecret`: what stands at such a place is never told.
 */
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
  const checked = shape.safeParse(document.toJS() ?? {}, { reportInput: true, error: expectedOf })
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
