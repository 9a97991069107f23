// The blocks that came after 2025 and hold words or other blocks: markdown, alert, card, carousel, container and tasks.
// Limits: https://docs.slack.dev/reference/block-kit/blocks

import { atLeastOne, flag, kinds, list, oneOf, type Rule, shape, text, typed } from './rule.ts'
import { block, classicBlocks, inputBlock } from './schema-blocks.ts'
import { tableBlock } from './schema-data-blocks.ts'
import { button, contextActionKinds } from './schema-elements.ts'
import { richTextBlock } from './schema-rich-text.ts'
import { anyText, idText, imageElement, plainText } from './schema-text.ts'

const word = text()
const image = kinds({ image: imageElement })

/** The 12,000 characters are a limit of all markdown blocks of a message together, see rules-together.ts. */
export const markdownBlock = block({ text: word })

export const contextActionsBlock = block({
  elements: list(kinds(contextActionKinds), { min: 1, max: 5 }),
})

export const alertBlock = block(
  { text: anyText(200) },
  { level: oneOf('default', 'info', 'warning', 'error', 'success') },
)

// `slack_icon`, `subtext` and the 3 buttons are on the documentation page and not in types 3.2. [?]
export const cardBlock = block(
  {},
  {
    hero_image: image,
    icon: image,
    slack_icon: kinds({ icon: typed({ name: word }) }),
    title: anyText(150),
    subtitle: anyText(150),
    body: anyText(200),
    subtext: anyText(200),
    actions: list(kinds({ button }), { max: 3 }),
  },
  atLeastOne('hero_image', 'title', 'actions', 'body'),
)

export const carouselBlock = block({ elements: list(kinds({ card: cardBlock }), { min: 1, max: 10 }) })

const childrenOnMessages = kinds({ ...classicBlocks, table: tableBlock })
const childrenOnViews = kinds({ ...classicBlocks, table: tableBlock, input: inputBlock })
const child: Rule = (value, spot) =>
  (spot.surface === 'message' ? childrenOnMessages : childrenOnViews)(value, spot)

export const containerBlock = block(
  { child_blocks: list(child, { max: 10 }) },
  {
    title: plainText(150),
    rich_text_title: richTextBlock,
    subtitle: anyText(150),
    width: oneOf('narrow', 'standard', 'wide', 'full'),
    icon: image,
    is_collapsible: flag,
    default_collapsed: flag,
    has_header_divider: flag,
  },
  atLeastOne('title', 'rich_text_title'),
)

const status = oneOf('pending', 'in_progress', 'complete', 'error')
const taskOptional = {
  details: richTextBlock,
  output: richTextBlock,
  sources: list(kinds({ url: typed({ url: word, text: word }) })),
  // Required in types 3.2, optional on the documentation page. [?]
  status,
}
const taskRequired = { task_id: word, title: word }

export const taskCardBlock = block(taskRequired, taskOptional)

/** The documentation's own tasks carry no `type`, and its plans no `status`; both are taken. [?] */
export const planBlock = block(
  { title: word },
  {
    tasks: list(shape(taskRequired, { type: oneOf('task_card'), block_id: idText, ...taskOptional })),
    status,
  },
)
