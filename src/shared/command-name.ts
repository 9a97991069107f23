/** Says what to type for a command and where a document is, in a clone or in the package. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A clone is TypeScript and has npm's scripts; the package is JavaScript, and brings the command `monbot`. */
export const isClone = import.meta.url.endsWith('.ts')

/** Such as `npm run backup -- FILE` or `monbot backup FILE`; `words` follow the command's own name. */
export function commandLine(name: string, words = '', isInClone = isClone): string {
  if (!isInClone) return ['monbot', name, words].join(' ').trim()
  return words === '' ? `npm run ${name}` : `npm run ${name} -- ${words}`
}

/** The table of all settings, from where the command was called. */
export function settingsDocument(): string {
  return relative(process.cwd(), fileURLToPath(new URL('../../docs/settings.md', import.meta.url)))
}
