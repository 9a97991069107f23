/**
 * `npm run build`, and `npm pack` before it packs: what the package and the image run. Node runs TypeScript as it is, but not inside
 * node_modules. The types are stripped and each file keeps its place; the bot alone is bundled, so that it starts fast and
 * stays small.
 */
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { bundleBot } from './bundle-bot.ts'
import { writeLicences } from './licences.ts'

const src = fileURLToPath(new URL('../src/', import.meta.url))
/** All that is started by its name, here or by another file, but the bot. */
const entries = [
  'cli',
  'demo/main',
  'demo/end-with-parent',
  'bot/doctor/main',
  'validate',
  'service/main',
  'workspace/main',
  'bot/charts/draw-thread',
]

rmSync('dist', { recursive: true, force: true })
const stripped = await rolldown({
  input: entries.map((name) => `${src}${name}.ts`),
  platform: 'node',
  // Packages are installed beside it.
  external: /^[^./]/,
})
await stripped.write({
  dir: 'dist',
  preserveModules: true,
  preserveModulesRoot: src,
  entryFileNames: '[name].js',
})
await stripped.close()
writeLicences(await bundleBot('dist/bot'), 'dist/THIRD-PARTY-LICENSES.txt')
cpSync(`${src}workspace/page`, 'dist/workspace/page', { recursive: true })
chmodSync('dist/cli.js', 0o755)
