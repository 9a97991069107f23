/** Blocks and views to check, and what is found wrong with them as `POINTER WORDS`. */
import { type BlockFault, checkBlocks, checkView } from '../../src/workspace/blocks/check.ts'

export const x = (count: number): string => 'x'.repeat(count)
export const plain = (text: string) => ({ type: 'plain_text', text })
export const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
export const option = (value: string) => ({ text: plain(`Option ${value}`), value })
export const options = (count: number) => times(count, (index) => option(String(index)))
export const section = { type: 'section', text: mrkdwn('ok') }
export const image = { type: 'image', alt_text: 'a chart', slack_file: { id: 'F12345678' } }
export const button = (extra: object = {}) => ({ type: 'button', text: plain('Go'), ...extra })
export const actions = (...elements: unknown[]) => [{ type: 'actions', elements }]
export const input = (element: unknown, extra: object = {}) => ({
  type: 'input',
  label: plain('Name'),
  element,
  ...extra,
})
export const raw = (text = 'r') => ({ type: 'raw_text', text })
export const table = (rows: unknown[][], extra: object = {}) => [{ type: 'table', rows, ...extra }]
export const modal = (extra: object = {}) => ({
  type: 'modal',
  title: plain('Mute'),
  blocks: [section],
  ...extra,
})
export const home = (extra: object = {}) => ({ type: 'home', blocks: [section], ...extra })
export const withInput = (element: unknown, extra: object = {}) =>
  modal({ submit: plain('Save'), blocks: [input(element, extra)] })
export const select = (extra: object) => actions({ type: 'static_select', options: options(2), ...extra })
export const typing = (extra: object = {}) => ({ type: 'plain_text_input', ...extra })

/** Each fault as its pointer and its words. */
export const real = (faults: readonly BlockFault[]) =>
  faults.map(({ pointer, message }) => `${pointer} ${message}`)

/** Blocks of a message, or a whole view. */
export const check = (given: unknown) => real(Array.isArray(given) ? checkBlocks(given) : checkView(given))

export const element = '/blocks/0/elements/0'
