/** The account's own switch and its markers (api-spec.md 4.8, 4.9). */
import { z } from 'zod'
import { type Method, messageAnswer, type Operation, operation } from './operation.ts'
import { text, truth } from './parameter.ts'

const notesCharsMax = 2_000

function updateAccount(id: string, method: Method): Operation {
  return operation({
    id,
    method,
    path: '/account',
    summary: 'Switches the notifications of the whole account',
    input: z.object({ notifications: truth('Switches all notifications of the account on or off') }),
    answer: messageAnswer,
    async run({ world, input }) {
      await world.source.setAccountNotifications(input.notifications)
      return { message: `notifications of the account are ${input.notifications ? 'on' : 'off'}` }
    },
  })
}

export const accountOperations: readonly Operation[] = [
  updateAccount('updateAccount', 'PATCH'),
  updateAccount('updateAccountByPost', 'POST'),
  operation({
    id: 'addMarker',
    method: 'POST',
    path: '/markers',
    summary: 'Adds a marker, which is shown on charts',
    input: z.object({ notes: text(notesCharsMax, { description: 'Text shown with the marker' }) }),
    answer: messageAnswer,
    run({ world, input }) {
      world.registry.addMarker(input.notes, world.nowMs())
      return { message: 'the marker was added' }
    },
  }),
]
