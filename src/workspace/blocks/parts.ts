/** What blocks are made of: texts, options, pictures, elements, with their limits (slack-facts 2.3, 2.4). */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Fields, isFields, itemsOf } from '../state/fields.ts'
import { brief, faultsIn } from './words.ts'

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

/** An object whose `type` chooses its schema; `others` are for types that no schema here knows, and `except` for none. */
export function kinds(
  schemas: Readonly<Record<string, z.ZodType>>,
  others?: { readonly schema: z.ZodType; readonly except: readonly string[] },
) {
  return z.looseObject({ type: z.string() }).superRefine((value, { addIssue }) => {
    const { type } = value
    const other = others?.except.includes(type) ? undefined : others?.schema
    const schema = Object.hasOwn(schemas, type) ? schemas[type] : other
    if (schema === undefined)
      return addIssue({ code: 'custom', path: ['type'], message: `unsupported type: ${brief(type)}` })
    for (const { path, message } of faultsIn(schema, value))
      addIssue({ code: 'custom', path: [...path], message })
  })
}

export const id = text({ max: 255 })
const flag = z.boolean()
const textCharsMax = 3_000

const plain = (max: number) =>
  z.strictObject({ type: z.string(), text: text({ min: 1, max }), emoji: flag.optional() })
const mrkdwn = (max: number) =>
  z.strictObject({ type: z.string(), text: text({ min: 1, max }), verbatim: flag.optional() })

export const plainText = (max = textCharsMax) => kinds({ plain_text: plain(max) })
/** The two kinds of text by name, for lists that hold other things too. */
export const texts = { plain_text: plain(textCharsMax), mrkdwn: mrkdwn(textCharsMax) }

/** plain_text or mrkdwn. As on Slack, what is wrong inside is named twice: for the union, then for the place. */
export function anyText(max = textCharsMax) {
  const either = kinds({ plain_text: plain(max), mrkdwn: mrkdwn(max) })
  return z.unknown().superRefine((value, { addIssue }) => {
    const faults = faultsIn(either, value)
    if (faults.length > 0) addIssue('failed to match all allowed schemas')
    for (const { path, message } of faults) addIssue({ code: 'custom', path: [...path], message })
  })
}

type Between = (value: Fields, context: z.core.$RefinementCtx) => void

/** Looked at once every key is well formed by itself, as everything between keys is. Slack reports it at the block's `type`. */
export const atLeastOne =
  (...keys: readonly string[]): Between =>
  (value, { addIssue }) => {
    if (keys.every((key) => value[key] === undefined))
      addIssue({ code: 'custom', path: ['type'], message: `must define either ${quoted(keys)}` })
  }

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

/** All keys but `text` have defaults on Slack. */
const confirm = z
  .strictObject({
    text: anyText(300),
    title: plainText(100).optional(),
    confirm: plainText(30).optional(),
    deny: plainText(30).optional(),
    style: z.enum(['primary', 'danger']).optional(),
  })
  .optional()

const optionKeys = {
  text: plainText(75),
  value: text({ max: 150 }),
  description: anyText(75).optional(),
}
const option = z.strictObject(optionKeys)
const linkOption = z.strictObject({ ...optionKeys, url: text({ max: 3_000 }).optional() })
const options = z.array(option).min(1).max(100)
const optionGroups = z
  .array(z.strictObject({ label: plainText(75), options }))
  .min(1)
  .max(100)

const elementKeys = { type: z.string(), action_id: id.optional() }
const menuKeys = {
  ...elementKeys,
  confirm,
  focus_on_load: flag.optional(),
  placeholder: plainText(150).optional(),
}
const oneKeys = { ...menuKeys, initial_option: option.optional() }
const severalKeys = {
  ...menuKeys,
  initial_options: z.array(option).optional(),
  max_selected_items: z.int().min(1).optional(),
}
const offered = { options: options.optional(), option_groups: optionGroups.optional() }
const asked = { min_query_length: z.int().min(0).optional() }
const oneSource = exactlyOne('options', 'option_groups')

/** What is chosen at first equals an offered option exactly. */
const initialIsOffered: Between = (value, { addIssue }) => {
  const groups = itemsOf(value.option_groups).filter(isFields)
  const all = [value.options, ...groups.map((group) => group.options)].flatMap(itemsOf)
  const isOffered = (chosen: unknown): boolean => all.some((one) => isDeepStrictEqual(one, chosen))
  const refuse = (...path: (string | number)[]): void =>
    addIssue({ code: 'custom', path, message: 'must match one of the provided options exactly' }) // (ours)
  if (value.initial_option !== undefined && !isOffered(value.initial_option)) refuse('initial_option')
  for (const [at, chosen] of itemsOf(value.initial_options).entries())
    if (!isOffered(chosen)) refuse('initial_options', at)
}

export const selects = {
  static_select: z
    .strictObject({ ...oneKeys, ...offered })
    .superRefine(oneSource)
    .superRefine(initialIsOffered),
  multi_static_select: z
    .strictObject({ ...severalKeys, ...offered })
    .superRefine(oneSource)
    .superRefine(initialIsOffered),
  external_select: z.strictObject({ ...oneKeys, ...asked }),
  multi_external_select: z.strictObject({ ...severalKeys, ...asked }),
}

export const buttons = {
  button: z.strictObject({
    ...elementKeys,
    text: plainText(75),
    value: text({ max: 2_000 }).optional(),
    url: text({ max: 3_000 }).optional(),
    style: z.enum(['primary', 'danger']).optional(),
    confirm,
    accessibility_label: text({ max: 75 }).optional(),
  }),
  overflow: z.strictObject({ ...elementKeys, confirm, options: z.array(linkOption).min(1).max(5) }),
}

export const typing = {
  plain_text_input: z
    .strictObject({
      ...elementKeys,
      placeholder: plainText(150).optional(),
      focus_on_load: flag.optional(),
      initial_value: text().optional(),
      multiline: flag.optional(),
      min_length: z.int().min(0).max(3_000).optional(),
      max_length: z.int().min(1).max(3_000).optional(),
      dispatch_action_config: z
        .strictObject({
          trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).optional(),
        })
        .optional(),
    })
    .superRefine(({ min_length: min = 0, max_length: max = min }, { addIssue }) => {
      if (min > max) addIssue({ code: 'custom', path: ['min_length'], message: `must be at most ${max}` })
    }),
}

/** An element that the bot never sends, by what every element has. */
export const otherElement = z.looseObject(elementKeys)
