/** Roles, servers, the account's own switch and its markers (docs/api.md#operations). */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { accountLimits } from '../store/registry.ts'
import type { World } from '../world.ts'
import { knownServer, type Method, messageAnswer, noInput, type Operation, operation } from './operation.ts'
import { names, text, truth } from './parameter.ts'

const rolesPerRequestMax = 50
const groupCharsMax = 200

/** One sentence for the three cases: the server has the role, it is added, the role is made (docs/api.md#roles). */
async function addRoles(world: World, hostname: string, roles: readonly string[]): Promise<string> {
  const { registry, ledger } = world
  const server = await knownServer(world, hostname)
  const known = registry.roles()
  const fresh = roles.filter((role) => !known.has(role)).length
  if (known.size + fresh > accountLimits.rolesMax) {
    throw new Refusal(
      422,
      `roles: expected at most ${accountLimits.rolesMax} roles in the account; came more`,
    )
  }
  const done = ledger.together(() =>
    roles.map((role) => ({ role, how: registry.addRole(server.hostname, role) })),
  )
  const words = { had: 'already has', joined: 'joined', created: 'joined the new role' } as const
  return `${hostname} ${done.map(({ role, how }) => `${words[how]} ${role}`).join(', ')}`
}

const updateInput = z
  .object({
    notifications: truth('Switches the notifications of this server on or off').optional(),
    no_data_notification_group: text(groupCharsMax, {
      description: 'The notification group that is told when the server sends no data',
    }).optional(),
  })
  .refine((input) => input.notifications !== undefined || input.no_data_notification_group !== undefined, {
    error: 'notifications or no_data_notification_group: expected at least one of them; came neither',
  })

function updateServer(id: string, method: Method): Operation {
  return operation({
    id,
    method,
    path: '/servers/:hostname',
    summary: 'Switches notifications of a server, or sets its no-data notification group',
    input: updateInput,
    answer: messageAnswer,
    may404: true,
    async run({ world, input, named: hostname }) {
      const server = await knownServer(world, hostname)
      const { notifications, no_data_notification_group: noDataGroup } = input
      if (notifications !== undefined) await world.source.setServerNotifications(server, notifications)
      if (noDataGroup !== undefined)
        world.registry.update(await knownServer(world, hostname), { noDataGroup })
      const told = [
        ...(notifications === undefined ? [] : [`notifications are ${notifications ? 'on' : 'off'}`]),
        ...(noDataGroup === undefined ? [] : [`the no-data notification group is ${noDataGroup}`]),
      ]
      return { message: `${hostname}: ${told.join(', ')}` }
    },
  })
}

export const serverOperations: readonly Operation[] = [
  operation({
    id: 'fetchRoles',
    method: 'GET',
    path: '/roles.json',
    summary: 'All roles, each with the hostnames of its servers',
    input: noInput,
    answer: z.object({ message: z.string(), result: z.record(z.string(), z.array(z.string())) }),
    async run({ world }) {
      await world.source.refresh()
      const roles = world.registry.roles()
      // fromEntries defines own properties, so that a role called `__proto__` works like any other.
      return {
        message: `${roles.size} roles`,
        result: Object.fromEntries([...roles].map(([role, all]) => [role, [...all]])),
      }
    },
  }),
  operation({
    id: 'addRoles',
    method: 'POST',
    path: '/servers/:hostname/roles/add',
    summary: 'Adds a server to roles; roles that do not exist are created',
    input: z.object({
      roles: names(
        { namesMax: rolesPerRequestMax, charsMax: accountLimits.roleCharsMax },
        'Role names between commas',
      ),
    }),
    answer: messageAnswer,
    may404: true,
    run: async ({ world, input, named: hostname }) => ({
      message: await addRoles(world, hostname, input.roles),
    }),
  }),
  updateServer('updateServer', 'PATCH'),
  updateServer('updateServerByPost', 'POST'),
  operation({
    id: 'deleteServer',
    method: 'DELETE',
    path: '/servers/:hostname',
    summary: 'Deletes a server; its open alerts close',
    input: noInput,
    answer: messageAnswer,
    may404: true,
    async run({ world, named: hostname }) {
      await world.source.deleteServer(await knownServer(world, hostname))
      return { message: `${hostname} was deleted` }
    },
  }),
]

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
