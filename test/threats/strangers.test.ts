/** Somebody of another workspace, who shares a channel with this one: nothing that they do is done, and they are told so. */
import { expect, test } from 'vitest'
import { signatureOf } from '../../src/bot/slack/transport/http-receiver.ts'
import { openApi } from '../bot/monitor/local-api.ts'
import { formReply, inboundTown } from '../support/inbound.ts'
import { eventually } from '../workspace/neighbour.ts'

test('in a Grid its people are served, from whichever of its workspaces they come, and those of others are not', async () => {
  const grid = 'E0GRID0001'
  const { workspace, requests, answers, post } = await inboundTown({
    workspace: {
      enterpriseId: grid,
      users: [
        { name: 'gil', home: { teamId: 'T0SISTER01', enterpriseId: grid } },
        { name: 'eve', home: { teamId: other, enterpriseId: 'E0OTHER001' } },
        { name: 'max', home: { teamId: 'T0SMALL001', enterpriseId: null } },
      ],
    },
  })
  const ts = await post()
  const { acts } = workspace
  for (const user of ['gil', 'eve', 'max']) {
    await acts.click({ user, channel: '#alerts', ts, actionId: 'acknowledge' })
    await acts.command({ user, channel: '#alerts', command: '/mon', text: 'status' })
    await acts.shortcut({ user, callbackId: 'add_note', message: { channel: '#alerts', ts } })
    await acts.say({ user, channel: '#alerts', text: `<@${workspace.botUserId}> mutes` })
  }
  await eventually('the refusals', () => answers('eve').length + answers('max').length === 8)
  const { id } = workspace.person('gil')
  await eventually('what is served', () => requests.length >= 2)
  expect(new Set(requests.map(({ userId }) => userId))).toEqual(new Set([id]))
})

test('a mention by somebody of the same Grid is answered where nobody else can write', async () => {
  const grid = 'E0GRID0001'
  const { workspace, requests } = await inboundTown({
    workspace: {
      enterpriseId: grid,
      users: [{ name: 'gil', home: { teamId: 'T0SISTER01', enterpriseId: grid } }],
    },
  })
  await workspace.acts.say({ user: 'gil', channel: '#alerts', text: `<@${workspace.botUserId}> mutes` })
  await eventually('the request', () => requests.length === 1)
})

const signingSecret = 'canary-signing-secret'
const other = 'T0OTHER001'

/** What Slack sends, as if the person belonged to another workspace: the rest of it stays as it is. */
function fromElsewhere(body: string): string {
  const form = new URLSearchParams(body)
  const payload = form.get('payload')
  if (payload === null) form.set('team_id', other)
  else {
    const said = JSON.parse(payload)
    form.set('payload', JSON.stringify({ ...said, user: { ...said.user, team_id: other } }))
  }
  return form.toString()
}

/** A town whose Slack speaks to the bot through a door in which people become strangers. */
async function strangeTown() {
  let areStrangers = false
  let events: ((request: Request) => Promise<Response>) | null = null
  const door = await openApi(({ body: sent, contentType }, response) => {
    const body = areStrangers ? fromElsewhere(sent) : sent
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const headers = {
      'content-type': contentType ?? '',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signatureOf(signingSecret, timestamp, Buffer.from(body)),
    }
    const request = new Request('http://127.0.0.1/slack/events', { method: 'POST', body, headers })
    events?.(request).then(
      async (answer) => {
        const type = answer.headers.get('content-type') ?? 'text/plain'
        response.writeHead(answer.status, { 'content-type': type }).end(await answer.text())
      },
      () => response.destroy(),
    )
  })
  const asked: string[] = []
  const town = await inboundTown({
    http: true,
    workspace: { http: { requestUrl: `${door.url}/slack/events`, signingSecret } },
    handle: async ({ intent }) =>
      intent.kind === 'open_form' ? formReply({ name: 'add_roles' }) : { kind: 'cancelled' },
    ports: {
      cardAt: async () => ({ kind: 'alert', alertIds: ['1'] }),
      roleNames: async (part) => {
        asked.push(part)
        return ['database']
      },
    },
  })
  events = town.slack.events
  return {
    ...town,
    asked,
    become: (strangers: boolean) => {
      areStrangers = strangers
    },
  }
}

test('no command, button, select, menu, shortcut, form or list of theirs is served, and those of others still are', async () => {
  const { workspace, requests, answers, post, asked, logger, become } = await strangeTown()
  const { acts } = workspace
  const ts = await post()
  const at = { user: 'ana', channel: '#alerts', ts }
  const openForm = () => acts.click({ ...at, actionId: 'more', choice: 'add_note' })
  const openedForm = async () => {
    await openForm()
    const modal = await eventually('the form', () => workspace.modals('ana')[0])
    return String(modal.id)
  }
  const viewId = await openedForm()
  const suggestIn = (id: string) =>
    acts.suggest({ user: 'ana', viewId: id, actionId: 'roles', value: 'data' })
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    command: () => acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'mutes' }),
    button: () => acts.click({ ...at, actionId: 'acknowledge' }),
    select: () => acts.click({ ...at, actionId: 'mute_server', choice: '1h' }),
    menu: openForm,
    shortcut: () =>
      acts.shortcut({ user: 'ana', callbackId: 'add_note', message: { channel: '#alerts', ts } }),
    list: () => suggestIn(viewId),
    form: () => acts.submit({ user: 'ana', viewId, values: { new_roles: { new_roles: 'db' } } }),
  }
  const before = requests.length
  become(true)
  let told = 0
  for (const [name, use] of Object.entries(ways)) {
    await use()
    if (name === 'list') continue
    told += 1
    await eventually(`the answer to the ${name}`, () => answers('ana').length === told)
    expect(answers('ana').at(-1), name).toMatch(/only from people of its own workspace\. Nothing changed\.$/)
  }
  expect(requests).toHaveLength(before)
  expect(asked).toEqual([])
  expect(logger.entries.filter(({ event }) => event === 'request:refused')).toHaveLength(told)

  become(false)
  await suggestIn(await openedForm())
  expect(asked).toEqual(['data'])
  for (const [name, use] of Object.entries(ways).filter(([name]) => name !== 'list' && name !== 'form')) {
    const count = requests.length
    await use()
    await eventually(`the request of the ${name}`, () => requests.length > count)
  }
})
