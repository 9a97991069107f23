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

export const shape = <Keys extends z.ZodRawShape>(keys: Keys) => z.strictObject({ type: z.string(), ...keys })
export const upTo = <Item extends z.ZodType>(max: number, item: Item) => z.array(item).min(1).max(max)

const plain = (max: number) => shape({ text: text({ min: 1, max }), emoji: flag.optional() })
export const mrkdwn = (max: number) => shape({ text: text({ min: 1, max }), verbatim: flag.optional() })

export const plainText = (max: number) => kinds({ plain_text: plain(max) })

export const anyText = (max: number) => kinds({ plain_text: plain(max), mrkdwn: mrkdwn(max) })

/** An uploaded file; whether it can be shown is looked at elsewhere. An empty `alt_text` is refused. [?] */
export const pictureKeys = {
  alt_text: text({ min: 1, max: 2_000 }),
  slack_file: z.strictObject({
    id: z.string().regex(/^[F][A-Z0-9]{8,}$/, 'input must match regex pattern: ^[F][A-Z0-9]{8,}$'),
  }),
}

const option = z.strictObject({ text: plainText(75), value: text({ max: 150 }) })
const options = upTo(100, option)

const confirm = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
})

const elementKeys = { action_id: id.optional(), confirm: confirm.optional() }
const hintedKeys = { ...elementKeys, placeholder: plainText(150).optional() }

export function offeredBy({ options: offered, option_groups: groups }: Fields): Fields[] {
  return [offered, ...itemsOf(groups).map((group) => (isFields(group) ? group.options : []))].flatMap(
    (list) => itemsOf(list).filter(isFields),
  )
}

export const selects = {
  static_select: shape({
    ...hintedKeys,
    options: options.optional(),
    option_groups: upTo(100, z.strictObject({ label: plainText(75), options })).optional(),
    initial_option: option.optional(),
  }).superRefine((value, { addIssue }) => {
    const { options, option_groups: groups, initial_option: chosen } = value
    if ((options === undefined) === (groups === undefined))
      addIssue('must define either `options` or `option_groups`')
    if (chosen === undefined || offeredBy(value).some((one) => isDeepStrictEqual(one, chosen))) return
    const message = 'must match one of the provided options exactly' // (ours)
    addIssue({ code: 'custom', path: ['initial_option'], message })
  }),
  users_select: shape(hintedKeys),
}

export const buttons = {
  button: shape({
    ...elementKeys,
    text: plainText(75),
    value: text({ max: 2_000 }).optional(),
    style: z.enum(['primary', 'danger']).optional(),
  }),
}

export const typing = {
  plain_text_input: shape({
    ...hintedKeys,
    multiline: flag.optional(),
    max_length: z.int().min(1).max(3_000).optional(),
  }),
}
