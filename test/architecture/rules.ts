/** The rules of the house, as functions from files to what is wrong with them. */
import { posix } from 'node:path'
import {
  type Allowed,
  mayCatch,
  mayImport,
  mayReadEnvironment,
  mayTouchClock,
  neighbours,
  wiring,
} from './allowed.ts'
import { codeOf, importsOf } from './source-text.ts'

/** `path` is relative to `src/` (or to `test/`, for the rules on names and length). */
export type SourceFile = { readonly path: string; readonly text: string }

type Rule = (files: readonly SourceFile[]) => string[]

const linesMax = 500
const forbiddenNames = ['utils', 'helpers', 'common', 'types', 'interfaces', 'lib', 'index']
const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** A file imports only its own layer and those below it (`mayImport`); the wiring files import anything. */
const layers: Rule = (files) =>
  files
    .filter(({ path }) => !wiring.includes(path))
    .flatMap(({ path, text }) => {
      const own = layerOf(path)
      const below = mayImport[own]
      if (below === undefined) return [`${path}: no layer is called ${own}; give it a line in mayImport`]
      return importsOf(text).flatMap((specifier) => {
        if (specifier === null) return [`${path}: imports a computed name, so nobody can tell its layer`]
        if (!specifier.startsWith('.')) return []
        const target = resolve(path, specifier)
        if (wiring.includes(target)) return [`${path}: imports ${target}, which imports everything`]
        const layer = layerOf(target)
        return layer === own || layer === 'shared' || below.includes(layer)
          ? []
          : [`${path}: imports ${target}; ${own} may not import ${layer}`]
      })
    })

/** No file imports itself by way of others, not even for a type. */
const cycles: Rule = (files) => {
  const edges = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text).flatMap((specifier) => (specifier?.startsWith('.') ? [resolve(path, specifier)] : [])),
    ]),
  )
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start !== -1) found.push([...trail.slice(start), path].join(' → '))
    if (start !== -1 || done.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) visit(path, [])
  return found
}

/** No file is longer than 500 lines, and one of more than 300 is a single algorithm. */
const length: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length
    return lines > linesMax ? [`${path}: ${lines} lines, at most ${linesMax}`] : []
  })

/** Files and folders are kebab-case, and none is a drawer for odds and ends. */
const names: Rule = (files) =>
  files.flatMap(({ path }) => {
    const parts = path
      .replace(/(?:\.test|\.d)?\.(?:ts|js|mjs)$/, '')
      .split('/')
      .flatMap((part) => (path.includes('.test.') ? part.split('.') : [part]))
    return [
      ...parts.filter((part) => !kebabCase.test(part)).map((part) => `${path}: ${part} is not kebab-case`),
      ...parts.filter((part) => forbiddenNames.includes(part)).map((part) => `${path}: ${part} says nothing`),
    ]
  })

/** Rooms of `test/` whose files tell use cases across programs, or what a document, a stranger or a protocol asks, and are named after these. */
const useCases = ['e2e/', 'browser/', 'contract/', 'threats/', 'architecture']

/**
 * A unit test is named after a source file, or a folder, of the same room, and after the aspect where there are several:
 * `bot/flow/handle.stale.test.ts` tests `bot/flow/handle.ts`, `bot/flow/mute.late.test.ts` all of `bot/flow/mute/`.
 */
export function testNames(tests: readonly string[], sources: readonly string[]): string[] {
  return tests
    .filter((path) => path.endsWith('.test.ts') && !useCases.some((room) => path.startsWith(room)))
    .flatMap((path) => {
      const room = posix.dirname(path)
      const [tested = ''] = posix.basename(path).split('.')
      const words = sources
        .filter((source) => source.startsWith(`${room}/`))
        .flatMap((source) =>
          source
            .slice(room.length)
            .replace(/\.(?:ts|js|mjs)$/, '')
            .split('/'),
        )
      return [...words, posix.basename(room)].includes(tested)
        ? []
        : [`${path}: nothing in src/${room} is called ${tested}`]
    })
}

/** What a file gives has a name. */
const noDefaultExports: Rule = (files) =>
  search(files, [/\bexport\s+default\b/, /\bas\s+default\b/], 'a default export')

/** The domain decides; it never waits. */
const noWaitingInDomain: Rule = (files) =>
  search(
    files.filter(({ path }) => path.startsWith('bot/domain/')),
    [/\bawait\b/, /\basync\b/],
    'waits, and the domain never does',
  )

/** Time, ids and chance are arguments. */
const clock: Rule = (files) =>
  search(
    ours(files, mayTouchClock),
    [
      /\bDate\.now\b/,
      /\bnew Date(?:\(\s*\)|(?!\s*\())/,
      /\bsetTimeout\b/,
      /\bsetInterval\b/,
      /\bMath\.random\b/,
      /\bperformance\.now\b/,
      /\brandomUUID\b/,
    ],
    'takes time, ids or chance from the world and not as an argument',
  )

/** Only entry files read the environment. */
const environment: Rule = (files) => [
  ...search(
    files.filter(({ path }) => !isAllowed(path, mayReadEnvironment)),
    [/\bprocess\.env\b/],
    'reads the environment',
  ),
  ...files
    .filter(
      ({ path, text }) => !isAllowed(path, mayReadEnvironment) && importsOf(text).includes('node:process'),
    )
    .map(({ path }) => `${path}: imports node:process, and so the environment`),
]

/** Errors are caught in few places, which are known. */
const catchSites: Rule = (files) =>
  search(ours(files, mayCatch), [/\bcatch\b/], 'catches, and is not a catch site')

/** The bot's files, without the other programs and without those that are allowed to. */
function ours(files: readonly SourceFile[], allowed: Allowed): SourceFile[] {
  return files.filter(
    ({ path }) => !isAllowed(path, allowed) && !neighbours.some((folder) => path.startsWith(folder)),
  )
}

function isAllowed(path: string, allowed: Allowed): boolean {
  return Object.keys(allowed).some(
    (entry) => path === entry || (entry.endsWith('/') && path.startsWith(entry)),
  )
}

function search(files: readonly SourceFile[], patterns: readonly RegExp[], what: string): string[] {
  return files.flatMap(({ path, text }) =>
    codeOf(text)
      .split('\n')
      .flatMap((line, index) => {
        const found = patterns.map((pattern) => pattern.exec(line)?.[0]).find((match) => match !== undefined)
        return found === undefined ? [] : [`${path}:${index + 1}: \`${found}\` ${what}`]
      }),
  )
}

/** `bot/slack` for `bot/slack/chat.ts`, `bot` for `bot/app.ts`, `service` for all below `service/`, `.` for a file in `src/` itself. */
function layerOf(path: string): string {
  const [room = '.', folder, ...rest] = path.split('/')
  if (folder === undefined) return '.'
  return room === 'bot' && rest.length > 0 ? `${room}/${folder}` : room
}

function resolve(from: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(from), specifier))
}

/** Every rule by its name. */
export const rules = {
  layers,
  cycles,
  length,
  names,
  noDefaultExports,
  noWaitingInDomain,
  clock,
  environment,
  catchSites,
} as const satisfies Readonly<Record<string, Rule>>

export type RuleName = keyof typeof rules
