/**
 * The API key, Slack's tokens and secrets, and the addresses that only one person may answer to: every failure is forced on the
 * real process, at the most talkative level of its log, and everything that it wrote or said is searched for them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'vitest'
import { openApi, openSockets, type Received, sendJson } from '../bot/monitor/local-api.ts'
import { type BotProcess, startBot } from '../support/bot-process.ts'
import { settingsFor } from '../support/settings.ts'
import { soon } from '../support/shared-town.ts'
import { openTown, signingSecret, type Town } from '../support/town.ts'

/** Each way of writing it in an address or a form is another one. */
const key = 'CANARY+4f1d:9c=x&y'
/** Every shape in which a secret is still one. */
function shapesOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret)
  const bytes = Buffer.from(secret)
  return [secret, encoded, encoded.toLowerCase(), encodeURIComponent(encoded), bytes.toString('base64')]
}

function secretsOf(town: Town): string[] {
  const { botToken, appToken } = town.workspace
  return [key, botToken, appToken, signingSecret].flatMap(shapesOf)
}

const people = ['ana', 'ben', 'cleo'] as const
const channels = ['alerts', 'db', 'general', 'private-ops'] as const

/** What left the process: its output, what its doors answer, what anybody sees in Slack, and every byte on its disk. */
async function everythingOf(town: Town, bot: BotProcess, port?: number): Promise<Map<string, string>> {
  const { workspace, folder } = town
  const pages = ['metrics', 'readyz', 'healthz', 'nowhere', 'slack/events'].map(async (page) => {
    const answer =
      port === undefined ? null : await fetch(`http://127.0.0.1:${port}/${page}`).catch(() => null)
    return [page, answer === null ? '' : await answer.text()] as const
  })
  const seen = {
    channels: channels.map((name) => workspace.messages(workspace.channel(name).id)),
    people: people.map((name) => [workspace.ephemerals(name), workspace.home(name), workspace.modals(name)]),
  }
  return new Map([
    ['its output', bot.output()],
    ...(await Promise.all(pages)),
    ['Slack', JSON.stringify(seen)],
    ...readdirSync(folder)
      .filter((name) => name.startsWith('monbot.db'))
      .map((name) => [name, readFileSync(join(folder, name)).toString('latin1')] as const),
  ])
}

function found(where: ReadonlyMap<string, string>, secrets: readonly string[]): string[] {
  return [...where].flatMap(([name, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${name} holds ${secret}`),
  )
}

type Misbehave = (request: Received, response: ServerResponse, url: string) => void

/** Ways to fail, each with the key and the address in everything that is answered. */
const faults: Readonly<Record<string, Misbehave>> = {
  'a redirect to an address with the key': ({ target }, response, url) =>
    response.writeHead(302, { location: `${url}${target}?key=${key}` }).end(target),
  'a 422 that says the key': ({ target }, response, url) =>
    sendJson(response, 422, { message: `wrong: ${url}${target} for ${key}` }),
  'a 500 page that says the key': ({ target }, response, url) =>
    response.writeHead(500).end(`<html>${url}${target} ${key}</html>`),
  'a 429 that says the key': ({ target }, response) =>
    response.writeHead(429, { 'retry-after': '1' }).end(JSON.stringify({ message: target })),
  'a 200 that is no list': ({ target }, response) =>
    sendJson(response, 200, { message: target, results: key }),
  'what is no JSON': ({ target }, response) => response.writeHead(200).end(`${target} {`),
  'a reset': (_, response) => response.destroy(),
  'a body that is cut off': ({ target }, response) => {
    response.writeHead(200, { 'content-length': '9000' }).write(target)
    setImmediate(() => response.destroy())
  },
  'a refused key': ({ target }, response) => sendJson(response, 401, { message: `${target} is not yours` }),
}

/** Stands before the real service and passes on, until it is told to fail. */
async function openProxy(to: string, closeLater: TestContext['onTestFinished']) {
  let misbehave: Misbehave | null = null
  const proxy = await openApi(({ method, target, contentType, body }, response) => {
    if (misbehave !== null) return misbehave({ method, target, contentType, body }, response, proxy.url)
    const asked = {
      method,
      ...(contentType === null ? {} : { headers: { 'content-type': contentType }, body }),
    }
    fetch(`${to}${target}`, asked).then(
      async (answer) => {
        response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
      },
      () => response.destroy(),
    )
  }, closeLater)
  return {
    url: proxy.url,
    fail: (how: Misbehave | null) => {
      misbehave = how
    },
  }
}

const asking = ['status', 'roles', 'triggers', 'chart web-1 cpu', 'alerts', 'mutes']
const changing = ['mute web-1 1h', 'role add web-1 x', 'marker hello', 'nodata web-2 ops', 'mute web-*']

test.concurrent.for([
  ['Socket Mode', false],
  ['HTTP mode', true],
] as const)(
  'in %s no secret leaves the process, whatever fails',
  async ([_road, http], { expect, onTestFinished }) => {
    const town = await openTown({ http, service: { key, fleet: 4 }, closeLater: onTestFinished })
    const proxy = await openProxy(town.service.url, onTestFinished)
    const bot = await town.bot({ MONITOR_URL: proxy.url, LOG_LEVEL: 'trace' })
    const ana = town.person('ana')
    const count = (event: string) => bot.logged(event).length
    const say = async (words: string) => {
      const before = ana.sees().length
      await ana.types(`/mon ${words}`)
      await expect.poll(() => ana.sees().length, soon).toBeGreaterThan(before)
    }
    town.service.openAlert({ server: 'web-1', title: `busy ${key}`, plugin: 'Load' })
    await expect.poll(() => town.cards().length, soon).toBe(1)
    await ana.opensHome()

    for (const [at, [name, fault]] of Object.entries(faults).entries()) {
      const before = { failed: count('poll:failed'), done: count('poll:done') }
      proxy.fail(fault)
      await say(asking[at % asking.length] ?? '')
      await say(changing[at % changing.length] ?? '')
      await expect.poll(() => count('poll:failed'), { ...soon, message: name }).toBeGreaterThan(before.failed)
      if (name === 'a refused key') break
      proxy.fail(null)
      await expect.poll(() => count('poll:done'), soon).toBeGreaterThan(before.done)
    }
    await say('status')

    const where = await everythingOf(town, bot, bot.port)
    expect(where.get('Slack')).toContain('busy [hidden]')
    expect(found(where, secretsOf(town))).toEqual([])
    // A response URL lets anybody answer in the bot's name for half an hour.
    expect(where.get('its output')).not.toMatch(/response_url|\/response\//)
  },
)

test.concurrent('nor when the name of the API is not found, or something else than HTTP answers there', async ({
  expect,
  onTestFinished,
}) => {
  const garbage = await openSockets((socket) => socket.end(`${key}\r\n\r\n`), onTestFinished)
  for (const url of ['http://canary-host.invalid', garbage.url]) {
    const town = await openTown({ service: { key }, closeLater: onTestFinished })
    const bot = await town.bot({ MONITOR_URL: url, LOG_LEVEL: 'trace' })
    expect(bot.logged('poll:failed')).toMatchObject([{ kind: 'unreachable' }])
    expect(found(await everythingOf(town, bot, bot.port), secretsOf(town))).toEqual([])
  }
})

test.concurrent.for([
  [
    'an error that carries a request',
    (said: string) => `throw Object.assign(new Error('x'), { url: ${said}, cause: new Error(${said}) })`,
  ],
  ['a rejection that is no error', (said: string) => `Promise.reject({ url: ${said} })`],
  ['a thrown text', (said: string) => `throw ${said}`],
] as const)('nor when it crashes by %s', async ([_what, code], { expect, onTestFinished }) => {
  const town = await openTown({ service: { key }, closeLater: onTestFinished })
  const { botToken, appToken } = town.workspace
  const said = JSON.stringify(
    `GET http://x/api/v2/${encodeURIComponent(key)}/a, ${key}, ${botToken}, ${appToken}`,
  )
  // A signal that means nothing to the bot.
  const script = `process.once('SIGWINCH', () => { ${code(said)} })`
  const bot = await town.bot({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` })
  bot.child.kill('SIGWINCH')
  expect(await bot.ended).toBe(1)
  expect(bot.logged('app:crashed')).toHaveLength(1)
  expect(found(await everythingOf(town, bot), secretsOf(town))).toEqual([])
  expect(bot.output()).toContain('[secret]')
})

test.concurrent('nor when it crashes while it starts', async ({ expect, onTestFinished }) => {
  const town = await openTown({ service: { key }, closeLater: onTestFinished })
  const said = JSON.stringify(`http://x/api/v2/${key} ${town.workspace.botToken}`)
  // The first thing that it does with its database, and nothing that it reckons with.
  const script = `import { EventEmitter } from 'node:events'; import http from 'node:http'
    http.Server.prototype.listen = () => { throw new Error(${said}) }`
  const bot = startBot({
    ...settingsFor(town),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
  })
  onTestFinished(async () => {
    await bot.kill('SIGKILL')
  })
  expect(await bot.ended).toBe(1)
  expect(found(await everythingOf(town, bot), secretsOf(town))).toEqual([])
})
