// The long-standing blocks, with their limits.
// Limits: https://docs.slack.dev/reference/block-kit/blocks

import { unsupportedType } from './fault.ts'
import {
  atLeastOne,
  flag,
  integer,
  isObject,
  kinds,
  list,
  type ObjectRule,
  type Rule,
  text,
  typed,
} from './rule.ts'
import { actionKinds, boxes, dateTimePicker, pickers, selects } from './schema-elements.ts'
import { inputKinds, richTextInput } from './schema-inputs.ts'
import { richTextBlock } from './schema-rich-text.ts'
import { anyText, idText, imageElement, imageFields, oneImage, plainText, textKinds } from './schema-text.ts'
import { into } from './spot.ts'

type Fields = { readonly [key: string]: Rule }

/** A block with its optional `block_id`. */
export function block(required: Fields, optional: Fields = {}, ...between: readonly ObjectRule[]): Rule {
  return typed(required, { block_id: idText, ...optional }, ...between)
}

// The page of the input block: a file_input that should dispatch is an "unsupported type".
const noDispatchOfFiles: ObjectRule = ({ dispatch_action, element }, spot) =>
  dispatch_action === true && isObject(element) && element.type === 'file_input'
    ? [unsupportedType(into(into(spot, 'element'), 'type'), [], 'file_input')]
    : []

export const inputBlock = block(
  {
    label: plainText(2000),
    element: kinds({
      ...inputKinds,
      ...selects,
      ...boxes,
      ...pickers,
      datetimepicker: dateTimePicker,
    }),
  },
  { hint: plainText(2000), optional: flag, dispatch_action: flag },
  noDispatchOfFiles,
)

const secure = text({ pattern: /^https:\/\// })

/** The blocks that stand on every surface. `file` is received only: it is in no table, so it is unsupported. */
export const classicBlocks = {
  section: block(
    {},
    {
      text: anyText(3000),
      fields: list(anyText(2000), { min: 1, max: 10 }),
      accessory: kinds({ ...actionKinds, image: imageElement }),
      expand: flag,
    },
    atLeastOne('text', 'fields'),
  ),
  // `level` 1-4 is on the newer documentation page and not in types 3.2. [?]
  header: block({ text: plainText(150) }, { level: integer({ min: 1, max: 4 }) }),
  context: block({ elements: list(kinds({ ...textKinds, image: imageElement }), { min: 1, max: 10 }) }),
  actions: block({
    elements: list(
      kinds({ ...actionKinds, datetimepicker: dateTimePicker, rich_text_input: richTextInput }),
      { min: 1, max: 25 },
    ),
  }),
  divider: block({}),
  image: block(imageFields.required, { ...imageFields.optional, title: plainText(2000) }, oneImage),
  rich_text: richTextBlock,
  // The documentation says "less than" 200 and 50.
  video: block(
    { video_url: secure, thumbnail_url: text(), alt_text: text(), title: plainText(199) },
    {
      title_url: secure,
      author_name: text({ max: 49 }),
      provider_name: text(),
      provider_icon_url: text(),
      description: plainText(199),
    },
  ),
}
