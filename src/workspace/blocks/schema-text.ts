// The composition objects of Block Kit: texts, options, confirmations, images and dispatch settings, with their limits.
// Limits: https://docs.slack.dev/reference/block-kit/composition-objects

import { isDeepStrictEqual } from 'node:util'
import { type BlockFault, noSchemaMatches, notAnOption } from './fault.ts'
import {
  atLeastOne,
  exactlyOne,
  flag,
  isObject,
  type JsonObject,
  kinds,
  list,
  type ObjectRule,
  oneOf,
  type Rule,
  shape,
  text,
  typed,
} from './rule.ts'
import { into, type Spot } from './spot.ts'

const textCharsMax = 3000

export const idText = text({ max: 255 })

const plain = (max: number): Rule => typed({ text: text({ min: 1, max }) }, { emoji: flag })
const mrkdwn = (max: number): Rule => typed({ text: text({ min: 1, max }) }, { verbatim: flag })

export const plainText = (max = textCharsMax): Rule => kinds({ plain_text: plain(max) })

/** The two text kinds by name, for lists that hold other things too. */
export const textKinds = { plain_text: plain(textCharsMax), mrkdwn: mrkdwn(textCharsMax) }

/** plain_text or mrkdwn. As on Slack, what is wrong inside is told twice: for the union, then for the place. */
export function anyText(max = textCharsMax): Rule {
  const either = kinds({ plain_text: plain(max), mrkdwn: mrkdwn(max) })
  return (value, spot) => {
    const faults = either(value, spot)
    return faults.length === 0 ? [] : [noSchemaMatches(spot), ...faults]
  }
}

const optionWith = (label: Rule, extra: { readonly [key: string]: Rule } = {}): Rule =>
  shape({ text: label, value: text({ max: 150 }) }, { description: anyText(75), ...extra })

export const selectOption = optionWith(plainText(75))
export const checkOption = optionWith(anyText(75))
export const overflowOption = optionWith(plainText(75), { url: text({ max: 3000 }) })

export const optionGroups = list(
  shape({ label: plainText(75), options: list(selectOption, { min: 1, max: 100 }) }),
  { min: 1, max: 100 },
)

export const colour = oneOf('primary', 'danger')

/** All keys but `text` have defaults on Slack; types 3.2 says so, older pages ask for all four. Lenient here. */
export const confirm = shape(
  { text: anyText(300) },
  { title: plainText(100), confirm: plainText(30), deny: plainText(30), style: colour },
)

export const dispatchConfig = shape(
  {},
  { trigger_actions_on: list(oneOf('on_enter_pressed', 'on_character_entered')) },
)

export const conversationFilter = shape(
  {},
  {
    include: list(oneOf('im', 'mpim', 'private', 'public'), { min: 1 }),
    exclude_external_shared_channels: flag,
    exclude_bot_users: flag,
  },
  atLeastOne('include', 'exclude_external_shared_channels', 'exclude_bot_users'),
)

const slackFile = shape(
  {},
  { id: text({ pattern: /^[F][A-Z0-9]{8,}$/ }), url: text() },
  exactlyOne('id', 'url'),
)

/**
 * The keys that say which picture; whether Slack can fetch it is not a matter of shape. An empty `alt_text` is refused
 * like an empty text object, which the documentation leaves open. [?]
 */
export const imageFields = {
  required: { alt_text: text({ min: 1, max: 2000 }) },
  optional: { image_url: text({ max: 3000 }), slack_file: slackFile },
}
export const oneImage: ObjectRule = exactlyOne('image_url', 'slack_file')

export const imageElement: Rule = typed(imageFields.required, imageFields.optional, oneImage)

function offered(object: JsonObject): unknown[] {
  const groups = Array.isArray(object.option_groups) ? object.option_groups : []
  const lists = [object.options, ...groups.map((group: unknown) => (isObject(group) ? group.options : []))]
  return lists.flatMap((options) => (Array.isArray(options) ? options : []))
}

function refuse(object: JsonObject, chosen: unknown, spot: Spot): readonly BlockFault[] {
  return offered(object).some((option) => isDeepStrictEqual(option, chosen)) ? [] : [notAnOption(spot)]
}

/** `initial_option` and every one of `initial_options` equals an offered option exactly. */
export const initialIsOffered: ObjectRule = (object, spot) => {
  const one = object.initial_option
  const several = object.initial_options
  return [
    ...(one === undefined ? [] : refuse(object, one, into(spot, 'initial_option'))),
    ...(Array.isArray(several) ? several : []).flatMap((chosen: unknown, index) =>
      refuse(object, chosen, into(into(spot, 'initial_options'), index)),
    ),
  ]
}
