/** The licences of the packages that the bot's bundle holds: whoever gets the bundle gets these with it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Package = {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name?: string }
}

/** Writes them into the file. `modules` are the paths of all modules of the bundle. Throws where a package names no licence. */
export function writeLicences(modules: readonly string[], file: string): void {
  const folders = new Set(
    modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  )
  const sections = [...folders].map(sectionOf).toSorted()
  const heading =
    'monbot is under the licence in LICENSE. Its bundle holds these packages, each under its own:\n'
  writeFileSync(file, [heading, ...sections].join('\n'))
}

function sectionOf(folder: string): string {
  const { name, version, license, author }: Package = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  if (license === undefined) throw new Error(`${folder}: expected a licence in its package.json; came none`)
  const texts = readdirSync(folder).filter((one) => /^(?:licen[cs]e|notice|copying)/i.test(one))
  const by = typeof author === 'string' ? author : (author?.name ?? name)
  // Some say their licence by its name alone.
  const own = texts.map((one) => readFileSync(join(folder, one), 'utf8').trim())
  return `## ${name} ${version} (${license})\n\n${own.length === 0 ? `Copyright: ${by}. Licence: ${license}.` : own.join('\n\n')}\n`
}
