/** What can be asked of `npm run bench` on its command line. */
import { parseArgs } from 'node:util'

export type Asked = { readonly only: string | undefined; readonly write: boolean }

/** `only` is a part of at least one of `names`. Ends the process after the usage if that was asked for (exit code 0), or if a word is wrong (2). */
export function askedOrExit(words: readonly string[], names: readonly string[]): Asked {
  const usage = `Usage: npm run bench [-- OPTIONS]
  --only WORD   measures only what has WORD in its name, and writes nothing: ${names.join(', ')}
  --write       puts the table into docs/promises.md
  --help        these lines\n`
  try {
    const options = {
      only: { type: 'string' },
      write: { type: 'boolean' },
      help: { type: 'boolean' },
    } as const
    const { only, write = false, help } = parseArgs({ args: [...words], options }).values
    if (help) {
      process.stdout.write(usage)
      process.exit(0)
    }
    if (write && only !== undefined)
      throw new Error('--write: expected without --only, as a part must not pass for all')
    if (only === undefined || (only !== '' && names.some((name) => name.includes(only))))
      return { only, write }
    throw new Error(`--only: expected one of ${names.join(', ')}; came ${JSON.stringify(only)}`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}
