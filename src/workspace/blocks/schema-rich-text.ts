// The rich_text block and what stands inside it.
// Shapes: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block

import { flag, integer, kinds, list, number, oneOf, type Rule, shape, text, typed } from './rule.ts'
import { idText } from './schema-text.ts'

// Beyond the styles of the reference, Slack's own composer sends the last three on mentions.
const style = shape(
  {},
  {
    bold: flag,
    italic: flag,
    strike: flag,
    code: flag,
    underline: flag,
    highlight: flag,
    client_highlight: flag,
    unlink: flag,
  },
)
const word = text({ min: 1 })

const inline = (
  required: { readonly [key: string]: Rule },
  optional: { readonly [key: string]: Rule } = {},
): Rule => typed(required, { style, ...optional })

const textAndLink = {
  text: inline({ text: word }),
  link: inline({ url: word }, { text: text(), unsafe: flag }),
}

const elements = list(
  kinds({
    ...textAndLink,
    broadcast: inline({ range: oneOf('here', 'channel', 'everyone') }),
    channel: inline({ channel_id: word }),
    color: inline({ value: word }),
    date: inline({ timestamp: integer(), format: word }, { url: word, fallback: text() }),
    emoji: inline({ name: word }, { unicode: word, url: word, skin_tone: number() }),
    team: inline({ team_id: word }),
    user: inline({ user_id: word }),
    usergroup: inline({ usergroup_id: word }),
  }),
)

const border = { border: integer({ min: 0, max: 1 }) }
const section = typed({ elements })

export const richTextBlock = kinds({
  rich_text: typed(
    {
      elements: list(
        kinds({
          rich_text_section: section,
          rich_text_list: typed(
            { elements: list(kinds({ rich_text_section: section })), style: oneOf('bullet', 'ordered') },
            // `offset` is on the documentation page only, without a limit.
            { ...border, indent: integer({ min: 0, max: 8 }), offset: integer({ min: 0 }) },
          ),
          rich_text_quote: typed({ elements }, border),
          // `language` is newer than types 3.2. [?]
          rich_text_preformatted: typed(
            { elements: list(kinds(textAndLink)) },
            { ...border, language: word },
          ),
        }),
      ),
    },
    { block_id: idText },
  ),
})
