/** What a press is answered with where the card above says it too: nothing, unless there is more to say. */
import { expect, test } from 'vitest'
import type { Reply } from '../../src/domain/request/reply.ts'
import { isAlreadyShown } from '../../src/slack/inbound/respond.ts'
import { anAlert } from '../support/delivery-world.ts'
import { aMute } from './card-views.ts'

const pressed = { card: { cardId: 'alert:1:C1', version: 1 }, via: 'button' } as const
const alert = anAlert('1')
const acknowledged: Reply = { kind: 'done', act: 'acknowledge', alert }
const all = { kind: 'done', act: 'acknowledge_all', others: 0 } as const
const roles = { kind: 'done', act: 'add_roles', server: 'web-1', roles: ['web'], already: [] } as const

test.each<[string, Reply]>([
  ['an acknowledgement', acknowledged],
  ['all of a list', { ...all, count: 30, later: 0 }],
  ['a take-over', { kind: 'done', act: 'take_over', alerts: [alert], owner: null }],
  ['a note in the thread', { kind: 'done', act: 'add_note', alert, text: 'x', isTold: true }],
  ['a role that exists', { ...roles, created: [] }],
  ['an unmute', { kind: 'unmuted', server: 'web-1', isSure: true }],
  ['an extension', { kind: 'extended', mute: aMute() }],
])('%s from a card is answered by the card; typed, or from elsewhere, by an answer', (_, reply) => {
  expect(isAlreadyShown(pressed, reply)).toBe(true)
  expect(isAlreadyShown({ ...pressed, via: 'command' }, reply)).toBe(false)
  expect(isAlreadyShown({ ...pressed, card: null }, reply)).toBe(false)
})

test.each<[string, Reply]>([
  ['what came later than the list', { ...all, count: 30, later: 1 }],
  ['nothing left to acknowledge', { ...all, count: 0, later: 0 }],
  ['what the person has already', { kind: 'done', act: 'take_over', alerts: [], owner: null }],
  ['a note that nobody sees', { kind: 'done', act: 'add_note', alert, text: 'x', isTold: false }],
  ['a role that did not exist', { ...roles, created: ['web'] }],
  ['an unmute that is not sure', { kind: 'unmuted', server: 'web-1', isSure: false }],
  ['a refusal', { kind: 'refused', refusal: { why: 'pending_gone' } }],
  ['a stale press', { kind: 'stale', changed: { what: 'closed', alert }, nowMs: 1 }],
  ['a failure', { kind: 'failed', doing: 'acknowledge', words: 'away', isUnknown: false }],
])('%s is told to whoever pressed', (_, reply) => {
  expect(isAlreadyShown(pressed, reply)).toBe(false)
})
