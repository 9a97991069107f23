/** Bundles the bot that tests start, as in the package and the image, once per run. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

/** Returns the file to start. It is built before the first worker of a test run, or when a script begins. */
export async function bundledBot(): Promise<string> {
  const { BUNDLED_BOT: built } = process.env
  if (built !== undefined) return built
  // Workers get the file, and need not load the bundler.
  const { bundleBot } = await import('../../scripts/bundle-bot.ts')
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(join(cache, 'bundling-'))
  // Some tests start it as another user.
  chmodSync(made, 0o755)
  // At the depth that it has in the package, below a package.json that says the version.
  const bot = join(made, 'dist/bot')
  await bundleBot(bot)
  copyFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), join(made, 'package.json'))
  // Named by its content, so that other runs, of other sources too, keep their own.
  const folder = join(cache, `bot-${digestOf(bot, join(made, 'package.json'))}`)
  try {
    if (!existsSync(folder)) renameSync(made, folder)
  } catch (error) {
    // Another run made the same file first.
    if (!existsSync(folder)) throw error
  }
  rmSync(made, { recursive: true, force: true })
  process.env.BUNDLED_BOT = join(folder, 'dist/bot/main.js')
  return process.env.BUNDLED_BOT
}

function digestOf(folder: string, beside: string): string {
  const hash = createHash('sha256').update(readFileSync(beside))
  for (const name of readdirSync(folder).toSorted())
    hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 12)
}

/** Vitest's global setup. */
export async function setup(): Promise<void> {
  await bundledBot()
}
