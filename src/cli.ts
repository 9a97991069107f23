#!/usr/bin/env -S node --disable-warning=UNDICI-ES
/** `npx monbot [COMMAND]`: what the npm scripts run, for whoever installed the package. */
import { existsSync } from 'node:fs'
import { requireNode } from './node-version.ts'

const commands: Readonly<Record<string, { readonly does: string; run(): Promise<unknown> }>> = {
  start: {
    does: 'the bot, with settings from the environment or a file .env',
    run: () => import('./main.ts'),
  },
  demo: { does: 'service, local Slack and bot on this machine; --help', run: () => import('./demo.ts') },
  doctor: { does: 'checks a live set-up; --json', run: () => import('./doctor.ts') },
  backup: { does: 'copies the database while the bot runs: backup FILE', run: () => import('./backup.ts') },
  service: { does: 'the monitoring service alone', run: () => import('./service/main.ts') },
  workspace: { does: 'the local Slack alone', run: () => import('./workspace/main.ts') },
}

requireNode()
const [name = '', ...words] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
if (command === undefined) {
  const lines = Object.entries(commands).map(([word, { does }]) => `  monbot ${word.padEnd(10)} ${does}`)
  const isHelp = name === '' || name === 'help' || name === '--help'
  const text = `${isHelp ? '' : `No command ${JSON.stringify(name)}; expected one of these:\n`}${lines.join('\n')}\n`
  if (isHelp) process.stdout.write(text)
  else process.stderr.write(text)
  process.exitCode = isHelp ? 0 : 2
} else {
  // The entries read what follows their own name.
  process.argv.splice(2, process.argv.length, ...words)
  if (name !== 'demo' && existsSync('.env')) process.loadEnvFile('.env')
  await command.run()
}
