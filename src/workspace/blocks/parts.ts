/** What blocks are made of, with their limits (docs/slack.md#limits-of-messages), in Slack's own words; (ours) where none are known. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Fields, isFields, itemsOf } from '../state/fields.ts'

export type Fault = { readonly path: readonly PropertyKey[]; readonly message: string }

const echoCharsMax = 100

export function brief(value: string): string {
  return value.length > echoCharsMax ? `${value.slice(0, echoCharsMax)}…` : value
}

export function faultsIn(schema: z.ZodType, value: unknown): Fault[] {
  return schema.safeParse(value, { reportInput: true }).error?.issues.flatMap(inWords) ?? []
}

function inWords(issue: z.core.$ZodIssue): Fault[] {
  const { path, code } = issue
  const isList = 'origin' in issue && issue.origin === 'array'
  switch (code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path, message: `invalid additional property: ${brief(key)}` }))
    case 'invalid_type': {
      const { input, expected } = issue
      if (input === undefined)
        return [{ path: path.slice(0, -1), message: `missing required field: ${String(path.at(-1))}` }]
      const kind = expected === 'int' ? 'integer' : expected
      return [{ path, message: `must provide ${/^[aio]/.test(kind) ? 'an' : 'a'} ${kind}` }]
    }
    case 'too_big': {
      const { maximum } = issue
      const message = isList ? `no more than ${maximum} items allowed` : `must be at most ${maximum}` // (ours)
      return [{ path, message }]
    }
    case 'too_small': {
      const { minimum } = issue
      const message = isList ? `must provide at least ${minimum} items` : `must be at least ${minimum}` // (ours)
      return [{ path, message }]
    }
    case 'invalid_value':
      return [{ path, message: 'must be a valid enum value' }]
    default:
      return [{ path, message: issue.message }]
  }
}

/** The length that Slack counts: code points, not UTF-16 units. */
export function charsIn(text: string): number {
  let chars = 0
  for (const _ of text) chars += 1
  return chars
}

export function text({ min = 0, max = Number.POSITIVE_INFINITY } = {}) {
  return z.string().superRefine((value, { addIssue }) => {
    const chars = charsIn(value)
    if (chars < min) addIssue(`must be more than ${min - 1} characters`)
    if (chars > max) addIssue(`must be less than ${max + 1} characters`)
  })
}

export function kinds(schemas: Readonly<Record<string, z.ZodType>>) {
  return z.looseObject({ type: z.string() }).superRefine((value, { addIssue }) => {
    const { type } = value
    const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined
    if (schema === undefined)
      return addIssue({ code: 'custom', path: ['type'], message: `unsupported type: ${brief(type)}` })
    for (const { path, message } of faultsIn(schema, value))
      addIssue({ code: 'custom', path: [...path], message })
  })
}

export const id = text({ max: 255 })
const flag = z.boolean()

const plain = (max: number) =>
  z.strictObject({ type: z.string(), text: text({ min: 1, max }), emoji: flag.optional() })
export const mrkdwn = (max: number) =>
  z.strictObject({ type: z.string(), text: text({ min: 1, max }), verbatim: flag.optional() })

export const plainText = (max: number) => kinds({ plain_text: plain(max) })

/** plain_text or mrkdwn. As on Slack, what is wrong inside is named twice: for the union, then for the place. */
export function anyText(max: number) {
  const either = kinds({ plain_text: plain(max), mrkdwn: mrkdwn(max) })
  return z.unknown().superRefine((value, { addIssue }) => {
    const faults = faultsIn(either, value)
    if (faults.length > 0) addIssue('failed to match all allowed schemas')
    for (const { path, message } of faults) addIssue({ code: 'custom', path: [...path], message })
  })
}

type Between = (value: Fields, context: z.core.$RefinementCtx) => void

const exactlyOne =
  (...keys: readonly string[]): Between =>
  (value, { addIssue }) => {
    const given = keys.filter((key) => value[key] !== undefined)
    if (given.length === 0) addIssue(`must define either ${quoted(keys)}`)
    if (given.length > 1) addIssue(`must define only one of ${quoted(keys)}`) // (ours)
  }

const quoted = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(' or ')

/** An uploaded file; whether it can be shown is looked at elsewhere. An empty `alt_text` is refused. [?] */
export const pictureKeys = {
  alt_text: text({ min: 1, max: 2_000 }),
  slack_file: z.strictObject({
    id: z.string().regex(/^[F][A-Z0-9]{8,}$/, 'input must match regex pattern: ^[F][A-Z0-9]{8,}$'),
  }),
}

const option = z.strictObject({ text: plainText(75), value: text({ max: 150 }) })
const options = z.array(option).min(1).max(100)

const confirm = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
})

const elementKeys = { type: z.string(), action_id: id.optional(), confirm: confirm.optional() }
const hintedKeys = { ...elementKeys, placeholder: plainText(150).optional() }

export function offeredBy({ options: offered, option_groups: groups }: Fields): Fields[] {
  return [offered, ...itemsOf(groups).map((group) => (isFields(group) ? group.options : []))].flatMap(
    (list) => itemsOf(list).filter(isFields),
  )
}

const initialIsOffered: Between = (value, { addIssue }) => {
  const { initial_option: chosen } = value
  if (chosen === undefined || offeredBy(value).some((one) => isDeepStrictEqual(one, chosen))) return
  const message = 'must match one of the provided options exactly' // (ours)
  addIssue({ code: 'custom', path: ['initial_option'], message })
}

export const selects = {
  static_select: z
    .strictObject({
      ...hintedKeys,
      options: options.optional(),
      option_groups: z
        .array(z.strictObject({ label: plainText(75), options }))
        .min(1)
        .max(100)
        .optional(),
      initial_option: option.optional(),
    })
    .superRefine(exactlyOne('options', 'option_groups'))
    .superRefine(initialIsOffered),
  users_select: z.strictObject(hintedKeys),
}

export const buttons = {
  button: z.strictObject({
    ...elementKeys,
    text: plainText(75),
    value: text({ max: 2_000 }).optional(),
    style: z.enum(['primary', 'danger']).optional(),
  }),
}

export const typing = {
  plain_text_input: z.strictObject({
    ...hintedKeys,
    multiline: flag.optional(),
    max_length: z.int().min(1).max(3_000).optional(),
  }),
}
