/**
 * `npm pack` runs this first: Node runs TypeScript as it is, but not inside node_modules, so the package brings JavaScript. The
 * types are stripped, nothing is bundled, and each file keeps its place and its lines.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
const built = spawnSync('tsc', ['-p', 'tsconfig.pack.json'], { stdio: ['ignore', 'inherit', 'inherit'] })
if (built.status !== 0) process.exit(1)
cpSync('src/workspace/page', 'dist/workspace/page', { recursive: true })
chmodSync('dist/cli.js', 0o755)
