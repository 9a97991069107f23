/** Reads the file at MONITOR_CONFIG and its target files, and reports all problems at once. */
import { readdir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { globsMatcher } from '../../shared/glob.ts'
import { type Place, valueAt } from '../../shared/yaml-file.ts'
import type { TriggerRule } from '../alerts/triggers.ts'
import { fileSdShape } from './file-sd.ts'
import { textOfFile } from './file-text.ts'
import { fleetShape, named, targetsMax } from './fleet-shape.ts'
import { endpointsOf, type PrometheusPart, withFilePaths } from './prometheus-shape.ts'
import { withoutCredentials } from './shapes.ts'
import { openCredentials, type TargetTls } from './tls-files.ts'
import { checkFile, shown } from './yaml-file.ts'

export type Target = {
  readonly server: string
  readonly environment: string
  readonly roles: readonly string[]
  /** Without user and password. */
  readonly url: string
  /** The header for the address's user and password; a secret. */
  readonly authorization: string | null
  /** For https only; null: as this machine trusts. */
  readonly tls: TargetTls | null
}

export type ScrapeConfig = {
  readonly intervalMs: number
  readonly timeoutMs: number
  /** A server silent for this long opens an alert; null: never. */
  readonly noDataMs: number | null
  readonly targets: readonly Target[]
}

export type FleetConfig = {
  readonly scrape: ScrapeConfig | null
  /** Null: the defaults. */
  readonly triggers: readonly TriggerRule[] | null
  /** Globs on the names of series that are kept as custom metrics. */
  readonly customMetrics: readonly string[]
  readonly prometheus: PrometheusPart | null
  /** A host that has pushed nothing for so long is forgotten; null: never. */
  readonly forgetMs: number | null
}

export type ConfigReading = {
  /** Content of all files, to detect changes; without unreadable files. */
  readonly texts: ReadonlyMap<string, string>
  readonly config: FleetConfig | null
  readonly problems: readonly string[]
}

const fileBytesMax = 4_000_000

type Given = {
  readonly url: URL
  readonly server?: string | undefined
  readonly environment?: string | undefined
}
type Found = Given & { readonly place: string }

/** Never throws: an unreadable file is a problem like any other. */
export async function readConfig(file: string): Promise<ConfigReading> {
  const texts = new Map<string, string>()
  const read = async (path: string): Promise<string | null> => {
    const text = await textOfFile(path, fileBytesMax)
    if (text !== null) texts.set(path, text)
    return text
  }
  const failed = (problems: readonly string[]): ConfigReading => ({ texts, config: null, problems })

  const source = await read(file)
  if (source === null) return failed([`${file}: expected a file of at most 4 MB that can be read; came none`])
  // A program that starts to write a file truncates it first.
  if (source.trim() === '')
    return failed([`${file}: expected scrape, triggers, custom_metrics or prometheus; came an empty file`])
  const main = checkFile(source, file, fleetShape)
  const problems = [...main.problems]
  const found: Found[] = listAt(main.given, ['scrape', 'targets']).flatMap((one, at) => {
    const { data } = named.safeParse(one)
    return data === undefined ? [] : [{ ...data, place: main.placeOf(['scrape', 'targets', at]) }]
  })
  const credentials = openCredentials(file, read, problems)
  const common = await credentials.of(main.value?.scrape?.tls, main.placeOf(['scrape', 'tls']))
  for (const [one, place] of main.value?.prometheus ? endpointsOf(main.value.prometheus) : [])
    await credentials.of(one.tls, main.placeOf(['prometheus', ...place, 'tls']))
  const targets: Target[] = []
  for (const [at, one] of main.value?.scrape?.targets.entries() ?? []) {
    const tls = await credentials.of(one.tls, main.placeOf(['scrape', 'targets', at, 'tls']))
    targets.push(targetOf(one, tls ?? common))
  }
  for (const [at, pattern] of listAt(main.given, ['scrape', 'files']).entries()) {
    if (typeof pattern !== 'string' || pattern === '') continue
    const paths = await pathsOf(file, pattern)
    if (paths === null) {
      const place = main.placeOf(['scrape', 'files', at])
      problems.push(
        `${place}: expected a path in a folder that can be read, with * in its last part perhaps; came ${shown(pattern)}`,
      )
    }
    for (const path of paths ?? []) {
      // Two patterns may find the same file.
      if (texts.has(path)) continue
      const text = await read(path)
      if (text === null) {
        problems.push(`${path}: expected a file of at most 4 MB that can be read; came none`)
        continue
      }
      const own = checkFile(text.trim() === '' ? '[]' : text, path, () => fileSdShape)
      problems.push(...own.problems)
      found.push(...(own.value ?? []).map((one) => ({ ...one, place: own.placeOf(one.place) })))
      targets.push(...(own.value ?? []).map((one) => targetOf(one, common)))
    }
  }
  problems.push(...contradictions(found))
  if (found.length > targetsMax)
    problems.push(`${file}: expected at most ${targetsMax} targets; came ${found.length}`)
  if (main.value === null || problems.length > 0) return failed(problems)
  const { scrape, triggers, customMetrics, prometheus, forgetMs } = main.value
  return {
    texts,
    config: {
      scrape: scrape && { ...scrape, targets: united(targets, found) },
      triggers,
      customMetrics,
      prometheus: prometheus && withFilePaths(prometheus, file),
      forgetMs,
    },
    problems: [],
  }
}

function listAt(given: unknown, place: Place): readonly unknown[] {
  const list = valueAt(given, place)
  return Array.isArray(list) ? list : []
}

/** The default name of a target: the host of its address. */
function serverOf({ url, server }: Pick<Found, 'url' | 'server'>): string {
  return server ?? url.hostname.replace(/^\[|\]$/g, '')
}

function targetOf(given: Given & { readonly roles: readonly string[] }, tls: TargetTls | null): Target {
  const { url, authorization } = withoutCredentials(given.url)
  return {
    server: serverOf(given),
    environment: given.environment ?? environmentUsual,
    roles: given.roles,
    url: url.href,
    authorization,
    tls: url.protocol === 'https:' ? tls : null,
  }
}

const environmentUsual = 'production'

/** Several exporters may show one server: it has the roles of all of them, and the environment that any of them names. */
function united(targets: readonly Target[], found: readonly Found[]): readonly Target[] {
  const named = new Map(found.flatMap((one) => (one.environment ? [[serverOf(one), one.environment]] : [])))
  const roles = Map.groupBy(targets, ({ server }) => server)
  return targets.map((one) => ({
    ...one,
    environment: named.get(one.server) ?? environmentUsual,
    roles: [...new Set(roles.get(one.server)?.flatMap((other) => other.roles))],
  }))
}

/** Targets of one server that cannot both be meant: one address twice, or another environment. */
function contradictions(found: readonly Found[]): string[] {
  const addresses = new Map<string, string>()
  const environments = new Map<string, Found>()
  return found.flatMap((one) => {
    const server = serverOf(one)
    const address = `${server} ${withoutCredentials(one.url).url.href}`
    const first = addresses.get(address)
    if (first !== undefined)
      return [
        `${one.place}: expected another address than that of ${first}; came the same one of ${shown(server)}`,
      ]
    addresses.set(address, one.place)
    if (one.environment === undefined) return []
    const other = environments.get(server)
    if (other === undefined) environments.set(server, one)
    return other === undefined || other.environment === one.environment
      ? []
      : [
          `${one.place}: expected the environment ${shown(other.environment)} that ${shown(server)} has at ${other.place}; came ${shown(one.environment)}`,
        ]
  })
}

/** The files that a pattern matches now, in order; null for an invalid pattern. A missing folder has none. */
async function pathsOf(file: string, pattern: string): Promise<readonly string[] | null> {
  if (/[*?]/.test(dirname(pattern))) return null
  const path = isAbsolute(pattern) ? pattern : join(dirname(file), pattern)
  const folder = dirname(path)
  if (!/[*?]/.test(basename(path))) return [path]
  const matches = globsMatcher([basename(path)])
  // A missing folder is not an empty one: its servers are unknown.
  const names = await readdir(folder).catch((): null => null)
  if (names === null) return null
  // Names that start with a dot are unfinished files of an editor or a sync tool.
  return names
    .filter((name) => !name.startsWith('.') && matches(name))
    .sort()
    .map((name) => join(folder, name))
}
