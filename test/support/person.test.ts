/**
 * A test's person cannot click, choose, fill in or open what is not visible. That visible things work is shown by the tests that
 * use it.
 */
import { expect, test } from 'vitest'
import { button, options, plain, section, withBot } from '../workspace/neighbour.ts'
import { personIn } from './person.ts'

test('only what stands on an answer can be pressed, and what is there once', async () => {
  const { workspace } = await withBot(() => ({
    text: ':no_bell: web-1 is muted',
    blocks: [section('web-1 is muted'), { type: 'actions', elements: [button('undo'), button('other')] }],
  }))
  const ana = personIn(workspace, 'ana', 200)
  await ana.types('/mon mute web-1 2h')
  expect(ana.sees()).toEqual(['🔕 web-1 is muted'])
  await expect(ana.presses('Press')).rejects.toThrow('more than one "Press"; could use: "Press", "Press"')
  await expect(ana.presses('Undo')).rejects.toThrow('ana sees no "Undo"; could use: "Press", "Press"')
  await expect(personIn(workspace, 'ben', 50).presses('Press')).rejects.toThrow('ben has had no answer')
})

test('only what a select offers can be chosen, and only the shortcuts that there are', async () => {
  const { workspace, card } = await withBot()
  const ana = personIn(workspace, 'ana', 200)
  const select = { type: 'static_select', action_id: 'mute', placeholder: plain('Mute'), options }
  const ts = await card([select])
  await expect(ana.chooses('Mute', '9h', { ts })).rejects.toThrow('no "9h" in "Mute"; it offers: "30m", "1h"')
})
