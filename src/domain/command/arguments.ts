/** What stands after each command's name, read into an intent; null where it does not fit the command's usage. */

import { isGlob } from '../mute/wide.ts'
import type { FormName, Intent, OneServer } from '../request/intent.ts'
import type { Refusal } from '../request/reply.ts'
import { durationExpected } from './duration-text.ts'
import { askedMute, invalid } from './mute-text.ts'
import type { Words } from './words.ts'

/** An intent, a refusal of its own, or null: not as the usage says. */
export type ReadArguments = (words: Words) => Intent | Refusal | null

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The API's limit on one call. */
export const metricsDeletedMax = 20
export const reportSpan = { defaultMs: 7 * dayMs, minMs: hourMs, maxMs: 30 * dayMs }
export const chartSpan = { defaultMs: 5 * hourMs, minMs: 5 * minuteMs, maxMs: 366 * dayMs }

export const muteServer: ReadArguments = (words) => {
  if (words.count() > 1) words.keyword('host')
  const servers = words.names()
  if (servers.length === 0) return null
  const asked = askedMute(words)
  if ('why' in asked) return asked
  return { kind: 'mute_server', servers: servers.map(byName), ...asked, shown: null }
}

/** What is missing is asked for in a form, which is handed what was typed; the account's mute always has an end. */
export const muteAccount: ReadArguments = (words) => {
  const typed = words.left()
  const asked = askedMute(words)
  if ('why' in asked) return asked
  const { end, reason } = asked
  if (end.kind === 'healthy' || end.kind === 'unmuted') {
    return invalid('a duration or a time: the account is never muted without an end', `until ${end.kind}`)
  }
  if (end.kind === 'default' || reason === '') return form('mute_account', typed === '' ? null : typed)
  return { kind: 'mute_account', end, reason, shown: null }
}

export const unmuteServer: ReadArguments = (words) => {
  if (words.count() > 1) words.keyword('host')
  const servers = words.names().map(byName)
  const [server, ...others] = servers
  if (server === undefined || !words.isAtEnd()) return null
  const isOne = others.length === 0 && server.by === 'name' && !isGlob(server.name)
  return { kind: 'unmute_server', server, ...(isOne ? {} : { servers }) }
}

export const addRole: ReadArguments = (words) => {
  const server = words.name()
  const roles = words.names()
  if (server === null || roles.length === 0 || !words.isAtEnd()) return null
  return { kind: 'add_roles', server: byName(server), roles }
}

export const addMarker: ReadArguments = (words) => {
  const text = words.text()
  return text === '' ? null : { kind: 'add_marker', text }
}

export const acknowledge: ReadArguments = (words) => {
  const alert = words.name()
  return alert === null || !words.isAtEnd() ? null : { kind: 'acknowledge', alert }
}

export const addNote: ReadArguments = (words) => {
  const alert = words.name()
  const text = words.text()
  return alert === null || text === '' ? null : { kind: 'add_note', alert, text }
}

export const setNoData: ReadArguments = (words) => {
  const server = words.name()
  const group = words.isAtEnd() ? '' : joined(words)
  return server === null || group === null || group === '' ? null : { kind: 'set_no_data', server, group }
}

export const deleteServer: ReadArguments = (words) => {
  const server = words.name()
  return server === null || !words.isAtEnd() ? null : form('delete_server', server)
}

export const deleteMetrics: ReadArguments = (words) => {
  const names = words.names()
  if (names.length === 0 || !words.isAtEnd()) return null
  if (names.length > metricsDeletedMax) {
    return invalid(`at most ${metricsDeletedMax} metrics at once`, `${names.length} metrics`)
  }
  return form('delete_metrics', names.join(','))
}

export const listAlerts: ReadArguments = (words) => {
  const page = words.page()
  const state = words.keyword('open', 'closed', 'all') ?? 'open'
  const server = words.name()
  if (page === null || !words.isAtEnd()) return null
  return { kind: 'alerts', state, server, page }
}

export const listMutes: ReadArguments = (words) => {
  const page = words.page()
  return page === null || !words.isAtEnd() ? null : { kind: 'mutes', page }
}

export const listRoles: ReadArguments = (words) => {
  const page = words.page()
  const about = joined(words)
  return page === null || !words.isAtEnd() ? null : { kind: 'roles', about, page }
}

export const listTriggers: ReadArguments = (words) => {
  const page = words.page()
  const filter = joined(words)
  return page === null || !words.isAtEnd() ? null : { kind: 'triggers', filter, page }
}

export const listAudit: ReadArguments = (words) => {
  const page = words.page()
  const server = words.name()
  return page === null || !words.isAtEnd() ? null : { kind: 'audit', server, page }
}

/** One name that begins with `#` is an alert: its own chart. */
export const showChart: ReadArguments = (words) => {
  const server = words.name()
  if (server !== null && server.length > 1 && server.startsWith('#') && words.isAtEnd()) {
    return { kind: 'alert_chart', alertId: server.slice(1) }
  }
  const metric = words.name()
  if (server === null || metric === null) return null
  const span = spanNext(words, chartSpan)
  if (span === null || typeof span !== 'number') return span
  return { kind: 'chart', server, metric, ms: span }
}

export const showReport: ReadArguments = (words) => {
  const span = spanNext(words, reportSpan)
  return span === null || typeof span !== 'number' ? span : { kind: 'report', ms: span }
}

/** For what takes nothing after its name. */
export const alone =
  (intent: Intent): ReadArguments =>
  (words) =>
    words.isAtEnd() ? intent : null

/** Every word that is left, as one name: names of roles, groups and triggers have spaces in them. */
export function joined(words: Words): string | null {
  const found: string[] = []
  for (let next = words.name(); next !== null; next = words.name()) found.push(next)
  return found.length === 0 ? null : found.join(' ')
}

type Span = { readonly defaultMs: number; readonly minMs: number; readonly maxMs: number }

/** The duration that ends the command. */
function spanNext(words: Words, { defaultMs, minMs, maxMs }: Span): number | Refusal | null {
  if (words.isAtEnd()) return defaultMs
  if (!words.isNumberNext()) return null
  const ms = words.duration()
  if (ms === null) return invalid(durationExpected, words.text())
  if (!words.isAtEnd()) return null
  if (ms < minMs) return { why: 'too_short', minMs }
  return ms > maxMs ? { why: 'too_long', maxMs } : ms
}

function byName(name: string): OneServer {
  return { by: 'name', name }
}

function form(name: FormName, given: string | null): Intent {
  return { kind: 'open_form', form: name, alertId: null, given }
}
