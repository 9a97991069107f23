/** The bot that tests start is the one that the package and the image bring: bundled, once a run. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

/** Returns the file to start. The run of the tests builds it before its first worker; a script does when it begins. */
export async function bundledBot(): Promise<string> {
  const { BUNDLED_BOT: built } = process.env
  if (built !== undefined) return built
  // Workers are given the file, and need not load what makes it.
  const { bundleBot } = await import('../../scripts/bundle-bot.ts')
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(join(cache, 'bundling-'))
  // Some stories start it as another user.
  chmodSync(made, 0o755)
  await bundleBot(made)
  // As in the package; Node would read each file twice to find out.
  writeFileSync(join(made, 'package.json'), '{"type":"module"}')
  // By its content: other runs beside this one, of other sources too, go on with their own.
  const folder = join(cache, `bot-${digestOf(made)}`)
  try {
    if (!existsSync(folder)) renameSync(made, folder)
  } catch (error) {
    // Somebody else was first, with the same.
    if (!existsSync(folder)) throw error
  }
  rmSync(made, { recursive: true, force: true })
  process.env.BUNDLED_BOT = join(folder, 'main.js')
  return process.env.BUNDLED_BOT
}

function digestOf(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).toSorted())
    hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 12)
}

/** For the runner of the tests. */
export async function setup(): Promise<void> {
  await bundledBot()
}
