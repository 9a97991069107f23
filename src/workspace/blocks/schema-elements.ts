// The interactive elements that are clicked or chosen from: buttons, menus, boxes and pickers, with their limits.
// Limits: https://docs.slack.dev/reference/block-kit/block-elements

import { exactlyOne, flag, integer, list, type ObjectRule, type Rule, shape, text, typed } from './rule.ts'
import {
  checkOption,
  colour,
  confirm,
  conversationFilter,
  idText,
  initialIsOffered,
  optionGroups,
  overflowOption,
  plainText,
  selectOption,
} from './schema-text.ts'

type Fields = { readonly [key: string]: Rule }

export const placeholder = plainText(150)
const valueText = text({ max: 2000 })
const label75 = text({ max: 75 })

/** An element with an `action_id`; every one of them may leave it to Slack. */
export function element(required: Fields, optional: Fields = {}, ...between: readonly ObjectRule[]): Rule {
  return typed(required, { action_id: idText, ...optional }, ...between)
}

const focusable = { confirm, focus_on_load: flag }
const menu = { ...focusable, placeholder }
const multi = { ...menu, max_selected_items: integer({ min: 1 }) }

export const button = element(
  { text: plainText(75) },
  { value: valueText, url: text({ max: 3000 }), style: colour, confirm, accessibility_label: label75 },
)

const workflow = shape({
  trigger: shape(
    { url: text() },
    { customizable_input_parameters: list(shape({ name: text(), value: text() })) },
  ),
})

const workflowButton = element(
  { text: plainText(75), workflow },
  { style: colour, confirm, accessibility_label: label75 },
)

const optionMenu = { options: list(selectOption, { min: 1, max: 100 }), option_groups: optionGroups }
const oneOptionSource = exactlyOne('options', 'option_groups')
const queryLength = { min_query_length: integer({ min: 0 }) }
const ids = list(text())
const conversation = { default_to_current_conversation: flag, filter: conversationFilter }

export const selects = {
  static_select: element(
    {},
    { ...menu, ...optionMenu, initial_option: selectOption },
    oneOptionSource,
    initialIsOffered,
  ),
  external_select: element({}, { ...menu, ...queryLength, initial_option: selectOption }),
  users_select: element({}, { ...menu, initial_user: text() }),
  conversations_select: element(
    {},
    { ...menu, ...conversation, initial_conversation: text(), response_url_enabled: flag },
  ),
  channels_select: element({}, { ...menu, initial_channel: text(), response_url_enabled: flag }),
  multi_static_select: element(
    {},
    { ...multi, ...optionMenu, initial_options: list(selectOption) },
    oneOptionSource,
    initialIsOffered,
  ),
  multi_external_select: element({}, { ...multi, ...queryLength, initial_options: list(selectOption) }),
  multi_users_select: element({}, { ...multi, initial_users: ids }),
  multi_conversations_select: element({}, { ...multi, ...conversation, initial_conversations: ids }),
  multi_channels_select: element({}, { ...multi, initial_channels: ids }),
}

const tenOptions = { options: list(checkOption, { min: 1, max: 10 }) }

export const boxes = {
  checkboxes: element(tenOptions, { ...focusable, initial_options: list(checkOption) }, initialIsOffered),
  radio_buttons: element(tenOptions, { ...focusable, initial_option: checkOption }, initialIsOffered),
}

const tenDigits = integer({ min: 1_000_000_000, max: 9_999_999_999 })

export const pickers = {
  datepicker: element({}, { ...menu, initial_date: text({ pattern: /^\d{4}-\d{2}-\d{2}$/ }) }),
  timepicker: element(
    {},
    { ...menu, initial_time: text({ pattern: /^([01]\d|2[0-3]):[0-5]\d$/ }), timezone: text() },
  ),
}

export const dateTimePicker = element({}, { ...focusable, initial_date_time: tenDigits })

export const overflow = element({ options: list(overflowOption, { min: 1, max: 5 }) }, { confirm })

/** What may be pressed or chosen both in an `actions` block and beside a section. */
export const actionKinds = {
  button,
  workflow_button: workflowButton,
  overflow,
  ...selects,
  ...boxes,
  ...pickers,
}

const feedbackButton = shape({ text: plainText(75), value: valueText }, { accessibility_label: label75 })

/** The two elements of a `context_actions` block. */
export const contextActionKinds = {
  feedback_buttons: element({ positive_button: feedbackButton, negative_button: feedbackButton }),
  icon_button: element(
    { icon: text(), text: plainText(75) },
    { value: valueText, confirm, accessibility_label: label75, visible_to_user_ids: ids },
  ),
}
