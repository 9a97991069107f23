/** The bot that tests start is the one that the package and the image bring: bundled, once a run. */
import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../node_modules/.cache/bot', import.meta.url))

/** Returns the file to start. The run of the tests builds it before its first worker; a script does when it begins. */
export async function bundledBot(): Promise<string> {
  const { BUNDLED_BOT: built } = process.env
  if (built !== undefined) return built
  // Workers are given the file, and need not load what makes it.
  const { bundleBot } = await import('../../scripts/bundle-bot.ts')
  // Files of another checkout may be linked here: written over in place, each would run what the other bundled last.
  rmSync(folder, { recursive: true, force: true })
  await bundleBot(folder)
  // As in the package; Node would read each file twice to find out.
  writeFileSync(`${folder}/package.json`, '{"type":"module"}')
  process.env.BUNDLED_BOT = `${folder}/main.js`
  return process.env.BUNDLED_BOT
}

/** For the runner of the tests. */
export async function setup(): Promise<void> {
  await bundledBot()
}
