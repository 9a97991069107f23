// Rows of limits, each tried at the limit (taken) and one beyond it (refused, with its pointer and its words).

import { describe, expect, it } from 'vitest'
import { type BlockFault, checkBlocks, type Surface } from '../../../src/workspace/blocks/check.ts'

/** `build` gives the blocks for a size; `good` is taken, `bad` is refused at `pointer` with `message`. */
export type Limit = {
  readonly what: string
  readonly build: (size: number) => unknown
  readonly good: number
  readonly bad: number
  readonly pointer: string
  readonly message: string
  readonly surface?: Surface
}

export const x = (count: number): string => 'x'.repeat(count)
export const plain = (text: string) => ({ type: 'plain_text', text })
export const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
export const option = (value: string) => ({ text: plain(`Option ${value}`), value })
export const options = (count: number) => times(count, (index) => option(String(index)))
export const section = { type: 'section', text: mrkdwn('ok') }
export const button = (extra: object = {}) => ({ type: 'button', text: plain('Go'), ...extra })
export const actions = (...elements: unknown[]) => [{ type: 'actions', elements }]
export const input = (element: unknown, extra: object = {}) => [
  { type: 'input', label: plain('Name'), element, ...extra },
]

/** The faults without the line that Slack adds for a union around the real one. */
export const real = (faults: readonly BlockFault[]) =>
  faults
    .filter(({ message }) => message !== 'failed to match all allowed schemas')
    .map(({ pointer, message }) => `${pointer} ${message}`)

export const characters = (max: number): Pick<Limit, 'good' | 'bad' | 'message'> => ({
  good: max,
  bad: max + 1,
  message: `must be less than ${max + 1} characters`,
})

export const items = (max: number): Pick<Limit, 'good' | 'bad' | 'message'> => ({
  good: max,
  bad: max + 1,
  message: `no more than ${max} items allowed`,
})

export const atMost = (max: number) => ({ good: max, bad: max + 1, message: `must be at most ${max}` })
export const atLeast = (min: number) => ({ good: min, bad: min - 1, message: `must be at least ${min}` })

export const notEmpty = { good: 1, bad: 0, message: 'must be more than 0 characters' }
export const atLeastOneItem = { good: 1, bad: 0, message: 'must provide at least 1 items' }

export function holdLimits(title: string, limits: readonly Limit[]): void {
  describe(title, () => {
    for (const { what, build, good, bad, pointer, message, surface = 'message' } of limits) {
      it(`${what}: ${good} is taken, ${bad} is not`, () => {
        expect(real(checkBlocks(build(good), surface))).toEqual([])
        expect(real(checkBlocks(build(bad), surface))).toEqual([`${pointer} ${message}`])
      })
    }
  })
}
