/** A start loads what the bot needs to begin, and not what only some of its hours need. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const root = new URL('..', import.meta.url)

/** Prints the address of every module that the bot's parts load, and what Node loads of its own. */
const program = `
  import { registerHooks } from 'node:module'
  const seen = []
  registerHooks({ load: (url, context, next) => { seen.push(url); return next(url, context) } })
  await import('./src/app.ts')
  await import('./src/config/config.ts')
  await import('./src/log.ts')
  console.log(JSON.stringify({ seen, own: process.moduleLoadList }))`

test('neither Express nor Hono, YAML, the metrics, the painter or Node’s own fetch is loaded before it is needed', () => {
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  })
  const { seen, own } = JSON.parse(run.stdout) as { seen: string[]; own: string[] }
  const packages = new Set(seen.map((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]))
  expect([...packages]).toEqual(expect.arrayContaining(['kysely', 'undici', '@slack/bolt', 'pino']))
  const late = [
    'express',
    'hono',
    '@hono/node-server',
    'yaml',
    'prom-client',
    'd3-scale',
    '@resvg/resvg-wasm',
  ]
  expect(late.filter((name) => packages.has(name))).toEqual([])
  expect(own.filter((name) => name.includes('deps/undici'))).toEqual([])
})
