// The interactive elements of a block as a terminal shows them: `[ Acknowledge ]`, `[ Mute ▾ ]`, `[ ⋯ ]`.

import { withEmoji } from './terminal-emoji.ts'
import { isObject, type JsonObject, objectsIn, stringAt, textAt } from './terminal-shape.ts'
import { type Span, type Style, span } from './terminal-span.ts'

const pressable = (label: string, styles: readonly Style[] = []): Span =>
  span(`[ ${withEmoji(label)} ]`, ['bold', ...styles], true)

const colours: Readonly<Record<string, Style>> = { primary: 'green', danger: 'red' }

function buttonSpan(element: JsonObject): Span {
  const colour = colours[stringAt(element, 'style') ?? '']
  return pressable(textAt(element, 'text') ?? '', colour === undefined ? [] : [colour])
}

/** What a menu or picker shows before it is used: the choice made beforehand, else its placeholder. */
function menuSpan(element: JsonObject): Span {
  const chosen = isObject(element.initial_option) ? textAt(element.initial_option, 'text') : undefined
  const initial = Object.keys(element).find(
    (key) => key.startsWith('initial_') && typeof element[key] === 'string',
  )
  const value = initial === undefined ? undefined : stringAt(element, initial)
  return pressable(`${chosen ?? value ?? textAt(element, 'placeholder') ?? 'Select'} ▾`)
}

const boxMarks: Readonly<Record<string, readonly [empty: string, full: string]>> = {
  checkboxes: ['☐', '☑'],
  radio_buttons: ['○', '●'],
}

function boxSpans(element: JsonObject, [empty, full]: readonly [string, string]): Span[] {
  const chosen = [...objectsIn(element.initial_options), ...objectsIn([element.initial_option])]
  const values = new Set(chosen.map(({ value }) => value))
  return objectsIn(element.options).map((option) =>
    span(`${values.has(option.value) ? full : empty} ${withEmoji(textAt(option, 'text') ?? '')}`, [], true),
  )
}

function fieldSpan(element: JsonObject): Span {
  const hint = stringAt(element, 'initial_value') ?? textAt(element, 'placeholder') ?? ''
  return span(`[ ${hint === '' ? '          ' : hint} ]`, ['dim'], true)
}

export const imageSpan = (element: JsonObject): Span =>
  span(`[image: ${stringAt(element, 'alt_text') ?? ''}]`, ['dim'])

/** The pieces that stand for an element; one that is not known is its JSON. */
export function elementSpans(element: JsonObject): Span[] {
  const type = stringAt(element, 'type') ?? ''
  const marks = Object.hasOwn(boxMarks, type) ? boxMarks[type] : undefined
  if (marks !== undefined) return boxSpans(element, marks)
  if (type === 'button' || type === 'workflow_button' || type === 'icon_button') return [buttonSpan(element)]
  if (type === 'overflow') return [pressable('⋯')]
  if (type === 'image') return [imageSpan(element)]
  if (type.endsWith('_select') || type.endsWith('picker')) return [menuSpan(element)]
  if (type.endsWith('_input')) return [fieldSpan(element)]
  return [span(JSON.stringify(element), ['dim'])]
}
