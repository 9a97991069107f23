/** What an element takes for the words that a person chooses or types; words that it does not offer fail with what it does. */
import { listOf, optionsOf, readOptions, sameWords, type Usable } from './visible-words.ts'

/** What the workspace takes for a choice. */
export type Choice = string | Record<string, unknown> | (string | Record<string, unknown>)[] | null

type Suggestions = Readonly<Record<string, unknown>>

/** Of an external select the options are those that the bot suggests for the words. */
export async function choiceByWords(
  { element, label }: Usable,
  wanted: string | readonly string[],
  suggest: (typed: string) => Promise<Suggestions>,
): Promise<Choice> {
  const { type } = element
  const typed = typeof wanted === 'string' ? wanted : [...wanted]
  const hasOptions = /_select$|^overflow$|^checkboxes$|^radio_buttons$/.test(type)
  if (!hasOptions || /users|conversations|channels/.test(type)) return typed
  const isExternal = type.endsWith('external_select')
  const choices: (string | Record<string, unknown>)[] = []
  for (const words of [wanted].flat()) {
    const offered = isExternal ? suggested(await suggest(words)) : optionsOf(element)
    const option = offered.find(({ text }) => sameWords(text, words))
    if (option === undefined) {
      const list = offered.map(({ text }) => JSON.stringify(text)).join(', ') || 'nothing'
      throw new Error(`there is no ${JSON.stringify(words)} in ${JSON.stringify(label)}; it offers: ${list}`)
    }
    const { text, value } = option
    choices.push(isExternal ? { text: { type: 'plain_text', text, emoji: true }, value } : value)
  }
  return type.startsWith('multi_') || type === 'checkboxes' ? choices : (choices[0] ?? null)
}

function suggested({ options, option_groups: groups }: Suggestions) {
  const grouped = listOf(groups) as readonly Suggestions[]
  return readOptions([...listOf(options), ...grouped.flatMap((group) => listOf(group.options))])
}
