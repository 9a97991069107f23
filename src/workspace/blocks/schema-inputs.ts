// The elements that people type or upload into; all but rich_text_input stand in `input` blocks only.
// Limits: https://docs.slack.dev/reference/block-kit/block-elements

import { tooBig } from './fault.ts'
import { flag, integer, list, type ObjectRule, text } from './rule.ts'
import { element, placeholder } from './schema-elements.ts'
import { richTextBlock } from './schema-rich-text.ts'
import { dispatchConfig } from './schema-text.ts'
import { into } from './spot.ts'

const typing = { dispatch_action_config: dispatchConfig, focus_on_load: flag, placeholder }
const line = element({}, { ...typing, initial_value: text() })

/** (ours, the wording) The lower bound is not above the upper one. */
function ordered(low: string, high: string): ObjectRule {
  return (object, spot) => {
    const [from, to] = [Number(object[low]), Number(object[high])]
    return from > to ? [tooBig(into(spot, low), to, from)] : []
  }
}

export const richTextInput = element(
  {},
  {
    ...typing,
    initial_value: richTextBlock,
    min_lines: integer({ min: 1, max: 100 }),
    max_lines: integer({ min: 1, max: 100 }),
  },
  ordered('min_lines', 'max_lines'),
)

export const inputKinds = {
  plain_text_input: element(
    {},
    {
      ...typing,
      initial_value: text(),
      multiline: flag,
      min_length: integer({ min: 0, max: 3000 }),
      max_length: integer({ min: 1, max: 3000 }),
    },
    ordered('min_length', 'max_length'),
  ),
  number_input: element(
    { is_decimal_allowed: flag },
    { ...typing, initial_value: text(), min_value: text(), max_value: text() },
    ordered('min_value', 'max_value'),
  ),
  email_text_input: line,
  url_text_input: line,
  file_input: element({}, { filetypes: list(text()), max_files: integer({ min: 1, max: 10 }) }),
  rich_text_input: richTextInput,
}
