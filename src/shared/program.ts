/** What the three programs are to whoever starts them: a clone or a package, of a version, under a Node and perhaps an npm. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A clone is TypeScript and has npm's scripts; the package is JavaScript, and brings the command `monbot`. */
const isClone = import.meta.url.endsWith('.ts')

/** Such as `0.2.0`. Of a file in `src/shared`, `dist/shared` or the bundle in `dist/bot`, the top is two folders up. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version

/** Such as `npm run backup -- FILE` or `monbot backup FILE`; `words` follow the command's own name. */
export function commandLine(name: string, words = ''): string {
  if (!isClone) return ['monbot', name, words].join(' ').trim()
  return words === '' ? `npm run ${name}` : `npm run ${name} -- ${words}`
}

/** The table of all settings, from where the command was called. */
export function settingsDocument(): string {
  return relative(process.cwd(), fileURLToPath(new URL('../../docs/settings.md', import.meta.url)))
}

/**
 * Prints one sentence and exits with 78 if Node is older than 22.19: another start would end the same way, and a native module crashes
 * silently. An entry file calls it before it imports the rest with `import()`: a plain `import` would run first.
 */
export function requireNode(): void {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return
  // The package does not bring a Node of its own.
  const help = isClone ? ' After `npm ci`, the npm scripts bring their own: try `npm start`.' : ''
  process.stderr.write(`monbot needs Node 22.19 or newer; this is ${node}.${help}\n`)
  process.exit(78)
}

const lookEveryMs = 500

/**
 * Under `npm run`, the shell between the two may die of a SIGTERM without passing it on, as Debian's does: nobody would be left to
 * stop this process, and the next one would find its port and its database taken. Then it sends itself the SIGTERM.
 */
export function endWithNpm(env: NodeJS.ProcessEnv): void {
  if (env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    process.kill(process.pid, 'SIGTERM')
  }, lookEveryMs)
  looking.unref()
}
