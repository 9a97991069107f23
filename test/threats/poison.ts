/** Puts harmful text in the place of every text of a value, one at a time, and finds what of it would do harm in Slack. */

/** Said between the marks, so that it is seen whether a mark stands beside it. */
const word = 'Qx'

/** What somebody can name a server, title an alert or write as a reason in order to do harm. */
export const poisons: readonly string[] = [
  `a <!channel> <!here> <!everyone> @here @channel @everyone ${word} b`,
  'a <@U0ANA00001> <#C0ALERTS01> <!subteam^S0ONCALL01|all>',
  'a <https://evil.example|https://bank.example> <mailto:a@evil.example|b>',
  'a <!date^1^{date}^https://evil.example|x> &lt;!here&gt; &#60;!here&#62;',
  `a \`${word}\` *${word}* ~${word}~ \`\`\`${word}\`\`\` b`,
  'a\u202Egnp.exe\u2066\u200B\u200F\u2060\uFEFF\u00AD\u061C\u180E\u0000\u0007\u001B[31m\u0085\u{E0041}b',
  'a\n> quoted\r\n\u2028*second line*\u2029',
  'https://evil.example/|<!channel>',
  'javascript:alert(1)//<!channel>',
  '__proto__',
  'constructor',
]

/** The value with `text` in the place of one of its texts: once for each text; of a list, its first few are tried. */
export function* poisoned<T>(value: T, text: string): Generator<T> {
  if (typeof value === 'string') {
    yield text as T
  } else if (value instanceof Map) {
    for (const [key, item] of value) {
      for (const other of poisoned(item, text)) yield new Map([...value, [key, other]]) as T
      for (const other of poisoned(key, text)) yield new Map([...value, [other, item]]) as T
    }
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.slice(0, triedOfList).entries()) {
      for (const other of poisoned(item, text)) yield value.with(at, other) as T
    }
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const [name, item] of Object.entries(value)) {
      if (chosen.has(name)) continue
      for (const other of poisoned(item, text)) yield { ...value, [name]: other }
    }
  }
}

const triedOfList = 3

/** Nobody outside chooses these: a mention stands in the policy file, where nothing but ids and `<!here>` is let through. */
const chosen = new Set(['mention'])

/** What nobody reads: the bot gets it back, or Slack acts on it. */
const unread = new Set([
  'type',
  'value',
  'action_id',
  'block_id',
  'callback_id',
  'private_metadata',
  'id',
  'url',
])
const addresses = new Set(['image_url', 'url', 'title_link'])

const hidden = /[\p{Cc}\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/u
const own = [
  /^!date\^\d+\^(?:\{date_short_pretty\} \{time\}|(?:opened |happened )?\{ago\})\|(?:since |at )?[\d -]+:\d\d UTC$/,
  // By the ids that Slack gave.
  /^@[UW][A-Z0-9]+$/,
  /^!subteam\^S[A-Z0-9]+$/,
  // The monitoring's own page may be called anything, another one not by an address that it is not.
  /^https:\/\/monitor\.example\/[^\s|<>]*\|[^<>]*$/,
  /^https?:\/\/[^\s|<>]+\|(?!.*:\/\/)[^<>]*$/,
]

/** Harm in a message, a view or an answer as it goes to Slack; `spoken` is the text beside the blocks. */
export function harmIn(rendered: unknown): string[] {
  return [...textsIn(rendered)].flatMap(({ text, isFormatted, isAddress }) => {
    if (isAddress) return /^https?:\/\/[^/]/.test(text) ? [] : [`an address that is none: ${text}`]
    const shown = text.replace(/\n/g, '')
    return [
      ...(hidden.test(shown) ? [`something hidden: ${JSON.stringify(text)}`] : []),
      ...(isFormatted ? harmOfFormat(text) : []),
    ]
  })
}

function harmOfFormat(text: string): string[] {
  const tags = [...text.matchAll(/<([^<>]*)>/g)].map(([, tag = '']) => tag)
  const rest = text.replace(/<[^<>]*>/g, '')
  return [
    ...tags.filter((tag) => !own.some((shape) => shape.test(tag))).map((tag) => `a tag: <${tag}>`),
    // At the beginning of a line it is ours, and marks what is quoted.
    ...(/[<>]/.test(rest.replace(/^>/gm, '')) ? [`an angle bracket: ${text}`] : []),
    // An asterisk formats nothing in code.
    ...(/[~`]Qx|Qx[~`](?!ˋ)/.test(rest) || /\*Qx|Qx\*/.test(rest.replace(/`[^`\n]*`/g, ''))
      ? [`a mark that formats: ${text}`]
      : []),
    ...(/^(?:>|&gt;) quoted/m.test(rest) ? [`a line of its own: ${text}`] : []),
  ]
}

type Text = { readonly text: string; readonly isFormatted: boolean; readonly isAddress: boolean }

/** Every string, and whether Slack formats it: what is `mrkdwn`, and the text beside blocks. */
function* textsIn(node: unknown, isFormatted = false): Generator<Text> {
  if (Array.isArray(node)) {
    for (const item of node) yield* textsIn(item, isFormatted)
  } else if (typeof node === 'object' && node !== null) {
    const { type } = node as { type?: unknown }
    if (type === 'mrkdwn' && !('verbatim' in node && node.verbatim === true)) {
      yield { text: '<a text that is not verbatim>', isFormatted: true, isAddress: false }
    }
    for (const [name, item] of Object.entries(node)) {
      if (typeof item === 'string') {
        const isAddress = addresses.has(name)
        if (!unread.has(name) || isAddress) {
          yield { text: item, isFormatted: name === 'text' && type !== 'plain_text', isAddress }
        }
      } else yield* textsIn(item, isFormatted)
    }
  }
}
