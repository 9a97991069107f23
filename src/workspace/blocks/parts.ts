/**
 * What blocks are made of: texts, options, pictures, elements, with their limits (docs/slack.md#limits-of-messages), and what is wrong
 * with them in Slack's own words (docs/slack.md#errors); marked (ours) where no real response is known.
 */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Fields, isFields, itemsOf } from '../state/fields.ts'

/** What a value breaks, as `blocks.validate` tells it (docs/slack.md#asking-slack-about-blocks). */
export type Constraint = {
  readonly type: 'enum' | 'min_length' | 'max_length' | 'min_items' | 'max_items' | 'all_of'
  readonly expected?: number | readonly string[]
  readonly got?: string
}

/** `path` leads to the value; for a missing or an additional key, to the object. */
export type Fault = {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly constraint?: Constraint
}

/** A value that is repeated stays short, whatever its size. */
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
  const one = (message: string, constraint?: Constraint): Fault[] => [
    { path, message, ...(constraint === undefined ? {} : { constraint }) },
  ]
  switch (code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path, message: `invalid additional property: ${brief(key)}` }))
    case 'invalid_type': {
      const { input, expected } = issue
      if (input === undefined)
        return [{ path: path.slice(0, -1), message: `missing required field: ${String(path.at(-1))}` }]
      const kind = expected === 'int' ? 'integer' : expected
      return one(`must provide ${/^[aio]/.test(kind) ? 'an' : 'a'} ${kind}`)
    }
    case 'too_big': // (ours, for numbers)
      return isList
        ? one(`no more than ${issue.maximum} items allowed`, {
            type: 'max_items',
            expected: Number(issue.maximum),
          })
        : one(`must be at most ${issue.maximum}`)
    case 'too_small': // (ours, for numbers)
      return isList
        ? one(`must provide at least ${issue.minimum} items`, {
            type: 'min_items',
            expected: Number(issue.minimum),
          })
        : one(`must be at least ${issue.minimum}`)
    case 'invalid_value':
      return one('must be a valid enum value', { type: 'enum', expected: issue.values.map(String) })
    case 'custom':
      return one(issue.message, issue.params?.constraint)
    default:
      return one(issue.message)
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
    const refuse = (message: string, constraint: Constraint) =>
      addIssue({ code: 'custom', message, params: { constraint } })
    if (chars < min) refuse(`must be more than ${min - 1} characters`, { type: 'min_length', expected: min })
    if (chars > max) refuse(`must be less than ${max + 1} characters`, { type: 'max_length', expected: max })
  })
}

/** An object whose `type` chooses its schema; `others` are for types that no schema here knows, and `except` for none. */
export function kinds(
  schemas: Readonly<Record<string, z.ZodType>>,
  others?: { readonly schema: z.ZodType; readonly except: readonly string[] },
) {
  return z.looseObject({ type: z.string() }).superRefine((value, { addIssue }) => {
    const { type } = value
    const other = others?.except.includes(type) ? undefined : others?.schema
    const schema = Object.hasOwn(schemas, type) ? schemas[type] : other
    if (schema === undefined) {
      const constraint: Constraint = { type: 'enum', expected: Object.keys(schemas), got: brief(type) }
      const message = `unsupported type: ${brief(type)}`
      return addIssue({ code: 'custom', path: ['type'], message, params: { constraint } })
    }
    for (const { path, message, constraint } of faultsIn(schema, value))
      addIssue({ code: 'custom', path: [...path], message, params: { constraint } })
  })
}

export const id = text({ max: 255 })
const flag = z.boolean()
const textCharsMax = 3_000

const plain = (max: number) =>
  z.strictObject({ type: z.string(), text: text({ min: 1, max }), emoji: flag.optional() })
const mrkdwn = (max: number) =>
  z.strictObject({ type: z.string(), text: text({ min: 1, max }), verbatim: flag.optional() })

export const plainText = (max: number) => kinds({ plain_text: plain(max) })
/** The two kinds of text by name, for lists that hold other things too. */
export const texts = { plain_text: plain(textCharsMax), mrkdwn: mrkdwn(textCharsMax) }

/** plain_text or mrkdwn. As on Slack, what is wrong inside is named twice: for the union, then for the place. */
export function anyText(max: number) {
  const either = kinds({ plain_text: plain(max), mrkdwn: mrkdwn(max) })
  return z.unknown().superRefine((value, { addIssue }) => {
    const faults = faultsIn(either, value)
    const all: Constraint = { type: 'all_of' }
    if (faults.length > 0)
      addIssue({
        code: 'custom',
        message: 'failed to match all allowed schemas',
        params: { constraint: all },
      })
    for (const { path, message, constraint } of faults)
      addIssue({ code: 'custom', path: [...path], message, params: { constraint } })
  })
}

type Between = (value: Fields, context: z.core.$RefinementCtx) => void

/** Looked at once every key is well formed by itself, as everything between keys is. */
const exactlyOne =
  (...keys: readonly string[]): Between =>
  (value, { addIssue }) => {
    const given = keys.filter((key) => value[key] !== undefined)
    if (given.length === 0) addIssue(`must define either ${quoted(keys)}`)
    if (given.length > 1) addIssue(`must define only one of ${quoted(keys)}`) // (ours)
  }

const quoted = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(' or ')

/** A picture by its keys; whether Slack can get it is looked at elsewhere. An empty `alt_text` is refused. [?] */
export const pictureKeys = {
  type: z.string(),
  alt_text: text({ min: 1, max: 2_000 }),
  image_url: text({ max: 3_000 }).optional(),
  slack_file: z
    .strictObject({
      id: z
        .string()
        .regex(/^[F][A-Z0-9]{8,}$/, 'input must match regex pattern: ^[F][A-Z0-9]{8,}$')
        .optional(),
      url: text().optional(),
    })
    .superRefine(exactlyOne('id', 'url'))
    .optional(),
}
export const onePicture = exactlyOne('image_url', 'slack_file')
export const picture = z.strictObject(pictureKeys).superRefine(onePicture)

const option = z.strictObject({ text: plainText(75), value: text({ max: 150 }) })
const options = (max: number) => z.array(option).min(1).max(max)

/** Asked before the press is sent. */
const confirm = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
})

const elementKeys = { type: z.string(), action_id: id.optional(), confirm: confirm.optional() }
const hintedKeys = { ...elementKeys, placeholder: plainText(150).optional() }

/** All options of a menu, those of its groups among them. */
export function offeredBy({ options: offered, option_groups: groups }: Fields): Fields[] {
  return [offered, ...itemsOf(groups).map((group) => (isFields(group) ? group.options : []))].flatMap(
    (list) => itemsOf(list).filter(isFields),
  )
}

/** What is chosen at first equals an offered option exactly. */
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
      options: options(100).optional(),
      option_groups: z
        .array(z.strictObject({ label: plainText(75), options: options(100) }))
        .min(1)
        .max(100)
        .optional(),
      initial_option: option.optional(),
    })
    .superRefine(exactlyOne('options', 'option_groups'))
    .superRefine(initialIsOffered),
  users_select: z.strictObject({ ...hintedKeys, initial_user: id.optional() }),
}

export const buttons = {
  button: z.strictObject({
    ...elementKeys,
    text: plainText(75),
    value: text({ max: 2_000 }).optional(),
    url: text({ max: 3_000 }).optional(),
    style: z.enum(['primary', 'danger']).optional(),
    accessibility_label: text({ max: 75 }).optional(),
  }),
  overflow: z.strictObject({ ...elementKeys, options: options(5) }),
}

export const typing = {
  plain_text_input: z.strictObject({
    ...hintedKeys,
    initial_value: text().optional(),
    multiline: flag.optional(),
    max_length: z.int().min(1).max(3_000).optional(),
  }),
}

/** An element that the bot never sends, by what every element has. */
export const otherElement = z.looseObject(elementKeys)
