/**
 * docs/first-card.md is followed to the letter: its commands, each in the terminal that it names, lead to a card. What
 * docs/operating.md has people do beside a bot that works is done there as well.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { withEmoji } from '../../src/workspace/page/blocks/emoji-codes.js'
import { compiled } from '../support/compiled.ts'
import { blocksOf, inTerminal } from '../support/document-commands.ts'
import { freePort } from '../support/free-port.ts'
import { patienceMs } from '../support/patience.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const path = 'docs/first-card.md'
const soon = { timeout: patienceMs, interval: 100 }

type Message = { readonly text: string; readonly ts: string }

/** As a fresh clone is after `npm ci`, so that `.env` and `data/` belong to this test. */
function cloneOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-first-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  for (const name of ['src', 'node_modules', 'scripts', 'manifest.yml'])
    symlinkSync(join(root, name), join(folder, name))
  return folder
}

/** All the port numbers of the document are taken for free ones. */
async function openTerminals() {
  const clone = cloneOf()
  const ports = {
    service: await freePort(),
    control: await freePort(),
    workspace: await freePort(),
    bot: await freePort(),
  }
  const run = (terminal: number, port: number) => {
    const commands = blocksOf(path, `sh terminal ${terminal}`).join('\n')
    expect(commands).not.toBe('')
    const ours = commands
      .replaceAll(':9090', `:${ports.service}`)
      .replaceAll('9089', String(ports.control))
      .replaceAll(':8080', `:${ports.workspace}`)
    const env = { HOME: clone, PORT: String(port) }
    return inTerminal({ onTestFinished }, ['-ec', ours], { cwd: clone, env }).said
  }
  const cares = (command: string) =>
    promisify(execFile)('bash', ['-ec', command], {
      cwd: clone,
      env: { PATH: process.env.PATH, HOME: clone, ...compiled },
    })
  return { run, cares, ports }
}

/** Without what differs from one run to the next. */
function comparable(doctor: string): string {
  return doctor
    .replace(/within \d+ ms/, 'within N ms')
    .replace(/Node: \S+/, 'Node: N')
    .replace(/127\.0\.0\.1:\d+ is free/, 'N is free')
    .trim()
}

test('the commands of the first card lead to it, the doctor says what the document shows, a press on it is heard, and the bot can be looked after', async () => {
  const { run, cares, ports } = await openTerminals()
  const workspace = `http://127.0.0.1:${ports.workspace}/control`
  const service = run(1, ports.service)
  const slack = run(2, ports.workspace)
  await expect.poll(service, soon).toMatch(/^monitoring service \S+ on /m)
  await expect.poll(slack, soon).toContain('C0ALERTS01  #alerts (public, the bot is in)')
  const bot = run(3, ports.bot)
  await expect.poll(bot, soon).toContain('app:started')
  const [shown = ''] = blocksOf(path, 'text doctor')
  expect(comparable(bot())).toContain(comparable(shown))

  run(4, 0)
  const card = async () => {
    const answer = await fetch(`${workspace}/messages?channel=C0ALERTS01`)
    const { messages } = (await answer.json()) as { messages: Message[] }
    const all = messages.map((message) => ({ ...message, text: withEmoji(message.text) }))
    return all.find(({ text }) => text.startsWith('🔴 web-2'))
  }
  const text = async () => (await card())?.text
  await expect.poll(text, soon).toMatch(/^🔴 web-2 CPU busy 9\d.*(?:\(|, )limit 90 %/)
  const ts = (await card())?.ts
  const press = await fetch(`${workspace}/click`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'ben', channel: 'alerts', ts, actionId: 'acknowledge' }),
  })
  expect(await press.json()).toMatchObject({ ok: true })
  await expect.poll(text, soon).toContain('👀 <@')

  const document = readFileSync(join(root, 'docs/operating.md'), 'utf8')
  const commands = new Set(
    [...document.matchAll(/`(npm run (?:-s )?(?:doctor|backup)[^`]*)`/g)].map(([, one = '']) => one),
  )
  expect(commands).toContain('npm run backup -- FILE')
  // There is no pager here to call.
  commands.delete('npm run doctor -- --page')
  await cares('mkdir backups')
  // All at once: two doctors do not disturb each other either.
  const answers = await Promise.all([...commands].map((command) => cares(command.replace('FILE', 'copy.db'))))
  const json = answers.find(({ stdout }) => stdout.startsWith('{'))
  expect(JSON.parse(json?.stdout ?? '')).toMatchObject({ ok: true })
  const said = answers.map(({ stdout }) => stdout).join('\n')
  expect(said).toMatch(/data\/monbot\.db: sound, durable, 1 alert, \d+ migrations?/)
  expect(said).toMatch(/copy\.db: a whole copy of data\/monbot\.db: 1 alert, 0 active mutes/)

  const broken = await cares('SLACK_CHANNEL=C0RANDOM01 npm run doctor').catch(
    (error: { stdout: string }) => error,
  )
  const [named = ''] = blocksOf(path, 'text doctor without invitation')
  // The document has it as part of a list.
  expect(broken.stdout).toContain(named.replace(/^ {3}/gm, '').trim())
})
