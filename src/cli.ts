#!/usr/bin/env -S node --disable-warning=UNDICI-ES
/** `monbot [--env FILE] [COMMAND]`: runs what the npm scripts run, in the package, in the image, and by hand under a unit. */
import { existsSync } from 'node:fs'
import { nearest } from './shared/nearest.ts'
import { requireNode, settingsDocument, version } from './shared/program.ts'

/** A command. One that `takesWords` reads the words after its name, and reports itself what it expected. */
type Command = {
  readonly does: string
  readonly takesWords?: true
  /** Whose settings it reads: from `.env` too, unless it says otherwise; only from a file that is named, or from none. */
  readonly settings?: 'named' | 'none'
  run(): Promise<unknown>
}

const commands: Readonly<Record<string, Command>> = {
  start: {
    does: 'the bot, with settings from the environment or a file .env',
    run: () => import('./bot/main.ts'),
  },
  demo: {
    does: 'service, local Slack and bot on this machine; --help',
    takesWords: true,
    settings: 'none',
    run: () => import('./demo/main.ts'),
  },
  doctor: {
    does: 'checks a live set-up; --page, --blocks',
    takesWords: true,
    run: () => import('./bot/doctor/main.ts'),
  },
  test: {
    does: 'posts a sample card with picture, mention and a test page, and takes them back',
    run: () => {
      process.argv.push('--test')
      return import('./bot/doctor/main.ts')
    },
  },
  backup: {
    does: 'copies the database while the bot runs: backup FILE',
    takesWords: true,
    run: () => import('./bot/ops/main.ts').then((ops) => ops.backupMain(process.argv.slice(2))),
  },
  restore: {
    does: 'puts a backup in the place of the database, while no bot runs: restore FILE',
    takesWords: true,
    run: () => import('./bot/ops/main.ts').then((ops) => ops.restoreMain(process.argv.slice(2))),
  },
  move: {
    does: 'moves the database to a Postgres, or back: move --from … --to …',
    takesWords: true,
    run: () => import('./bot/ops/main.ts').then((ops) => ops.moveMain(process.argv.slice(2))),
  },
  validate: {
    does: 'checks a policy: validate [FILE…]',
    takesWords: true,
    run: () => import('./validate.ts'),
  },
  service: {
    does: 'the monitoring service alone; its API keys: service keys add|list|remove; --help',
    takesWords: true,
    settings: 'named',
    run: () => import('./service/main.ts'),
  },
  workspace: {
    does: 'the local Slack alone',
    settings: 'named',
    run: () => import('./workspace/main.ts'),
  },
}

const helps = ['help', '--help', '-h']

requireNode()
const args = process.argv.slice(2)
const envFile = args[0] === '--env' ? (args.splice(0, 2)[1] ?? '') : null
const [name = '', ...words] = args
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
if (name === '--version' || name === '-v') process.stdout.write(`${version}\n`)
else if (command === undefined) {
  const [meant] = nearest(name, Object.keys(commands), 1)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  say(name === '' || helps.includes(name), `No command ${JSON.stringify(name)}.${hint} These are there:`, [
    ...Object.entries(commands).map(([word, { does }]) => `  monbot ${word.padEnd(10)} ${does}`),
    '  monbot --version',
    'Settings come from the environment, and for the bot a file .env, or another one: monbot --env FILE COMMAND.',
    'Exit codes: 0 done, 1 not done, 2 wrong words, 78 a setting is wrong.',
  ])
} else if (command.takesWords === undefined && words.length > 0) {
  // A request for help, or an unknown option, must not start a bot or a service.
  const came = words.map((word) => JSON.stringify(word)).join(' ')
  say(helps.includes(words[0] ?? ''), `monbot ${name}: expected nothing more; came ${came}`, [
    `monbot ${name}: ${command.does}`,
    `Its settings come from the environment: ${settingsDocument()}`,
  ])
} else {
  // The entry files read the words after their own name.
  process.argv.splice(2, process.argv.length, ...words)
  readSettings(command)
  await command.run()
}

/** From the file that was named, or from .env if there is one: its `PORT` is the bot's. What the environment has already stays. */
function readSettings({ settings }: Command): void {
  const file = envFile ?? '.env'
  if (settings === 'none' || (envFile === null && (settings === 'named' || !existsSync(file)))) return
  try {
    process.loadEnvFile(file)
  } catch {
    // A folder, or a file of somebody else: Node's own words for it name neither.
    process.stderr.write(`${file}: expected a file of lines NAME=value that this user may read\n`)
    process.exit(78)
  }
}

/** Prints the lines: alone as help, otherwise after what was wrong, with exit code 2. */
function say(isHelp: boolean, wrong: string, lines: readonly string[]): void {
  const stream = isHelp ? process.stdout : process.stderr
  stream.write(`${[...(isHelp ? [] : [wrong]), ...lines].join('\n')}\n`)
  process.exitCode = isHelp ? 0 : 2
}
