/** Reads a document's code blocks, and runs its commands for the service, the workspace and the bot as a person would. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'
import { compiled } from './compiled.ts'
import { freePort } from './free-port.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The code blocks of one kind (the words after the backticks), in the order of the document. */
export function blocksOf(path: string, kind: string): string[] {
  const document = readFileSync(join(root, path), 'utf8')
  return [...document.matchAll(/```([^\n]*)\n([\s\S]*?)```/g)].flatMap(([, info, text = '']) =>
    info === kind ? [text] : [],
  )
}

/**
 * Runs all `sh` blocks on free ports, with `data/` in `folder`. Repeats the first look at the alerts until it shows `alert`, then
 * waits for a message about `server`. Resolves with everything that was printed.
 */
export async function runCommands(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  parts: {
    readonly path: string
    readonly folder: string
    /** The service's port in the document. */
    readonly servicePort: number
    /** What else the document's commands have in place of the test's. */
    readonly replacements: readonly (readonly [from: string, to: string])[]
    readonly alert: string
    readonly server: string
  },
): Promise<string> {
  const [service, workspace, bot] = await Promise.all([freePort(), freePort(), freePort()])
  const commands = parts.replacements
    .reduce((text, [from, to]) => text.replaceAll(from, to), blocksOf(parts.path, 'sh').join('\n'))
    .replaceAll(`:${parts.servicePort}`, `:${service}`)
    .replaceAll(':8080', `:${workspace}`)
    .replaceAll('data/', join(parts.folder, 'data/'))
    .replace('npm run service', `PORT=${service} node src/service/main.ts`)
    .replace('npm run workspace', `PORT=${workspace} node src/workspace/main.ts`)
    .replace('npm start', `PORT=${bot} node src/bot/main.ts`)
  // Some are repeated, as a person would, until they show what the document promises.
  const until = (command: string, seen: string) =>
    `until said=$(curl -s ${command} || true); echo "$said"; [[ $said == ${seen} ]]; do sleep 0.5; done`
  const messages = `http://127.0.0.1:${workspace}/control/messages?channel=C0ALERTS01`
  const script = [
    commands
      .replace(/^curl (".*lifecycle=start")$/m, (_, asked: string) => until(asked, `*${parts.alert}*`))
      .replace(/^(export MONITOR_URL)/m, `${until(messages, '*messages*')}\n$1`),
    until(messages, `*${parts.server}*`),
    'kill $(jobs -p); wait',
  ].join('\n')
  const { said, ended } = inTerminal({ onTestFinished }, ['-c', script], { cwd: root })
  await ended
  return said()
}

/** Runs a script as a person would in a terminal of their own; what of it still runs after the test is killed. */
export function inTerminal(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  bash: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
) {
  const child = spawn('bash', bash, {
    cwd,
    env: { PATH: process.env.PATH, ...compiled, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    // The whole group, which does not include this process.
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  return { said: () => said, ended }
}
