/**
 * `npm run build`, and `npm pack` before it packs: what the package and the image run. Node runs TypeScript as it is, but not inside
 * node_modules. The types are stripped, each file keeps its place and its lines; the bot alone is bundled, so that it starts
 * fast and stays small.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { bundleBot } from './bundle-bot.ts'

rmSync('dist', { recursive: true, force: true })
const built = spawnSync('tsc', ['-p', 'tsconfig.pack.json'], { stdio: ['ignore', 'inherit', 'inherit'] })
if (built.status !== 0) process.exit(1)
await bundleBot('dist')
cpSync('src/workspace/page', 'dist/workspace/page', { recursive: true })
chmodSync('dist/cli.js', 0o755)
