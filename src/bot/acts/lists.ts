/**
 * Lists of what the monitoring and the history hold: roles, triggers, who is on call, who did what; and what is muted or planned, by whom,
 * until when and why, in front of an Alertmanager also what others silenced.
 */
import type { KnownBlock } from '@slack/types'
import { globMatcher, isGlob } from '../../shared/glob.ts'
import { nearest } from '../../shared/nearest.ts'
import type { ApiMute, Trigger } from '../api/parse.ts'
import { ApiFailure } from '../api/port.ts'
import { day } from '../clock.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import { button, context, section, sections, viewOfBlocks } from '../view/blocks.ts'
import { onCallDoubt, onCallWords } from '../view/board.ts'
import { muteGroups, muteRow } from '../view/mutes.ts'
import type { Scene } from '../view/view.ts'
import { because, count, date, escaped, listed, naturally, person } from '../view/words.ts'
import type { Act } from '../world/types.ts'
import type { Action, Context } from './action.ts'
import { code, noSuch, pageBlocks, pageOf, readable, readPage, say, sayLines } from './answers.ts'
import { typed } from './grammar/targets.ts'
import { actsSince, actWords } from './past.ts'

const linesOnPage = 40
const namesInLine = 10
const namesOfRole = 8
const conditionCharsMax = 250
const actsOnPage = 25
const auditReachMs = 90 * day

/** Of one role all servers, and of a server its roles. */
export const roles: Action = {
  names: ['roles'],
  usage: 'roles [role or server]',
  example: 'roles web',
  does: 'Lists roles and their servers',
  permission: null,
  async command(words, { reads }) {
    const { rest: filter, page } = readPage(words)
    const servers = await readable('the roles', reads.monitor.roles())
    const all = Object.keys(servers).sort(naturally)
    if (all.length === 0) return say('There are no roles yet. To add one: `/mon role add web-1 web`')
    const isMeant = globMatcher(filter === '' ? '*' : filter)
    const named = all.filter(isMeant)
    const meant = named.length > 0 ? named : all.filter((role) => servers[role]?.some(isMeant))
    const [only, other] = meant
    if (only === undefined) {
      const similar = nearest(filter, new Set([...all, ...Object.values(servers).flat()]))
      const hint = `. To mute a server I haven't seen, name it alone: ${code(`/mon mute ${typed(filter)} 1h`)}`
      const text = `No role or server ${code(filter)}${similar.length > 0 ? '' : hint}`
      return noSuch(text, similar, (name) => `roles ${typed(name)}`)
    }
    const listing = { page, size: linesOnPage, command: `roles ${filter}` }
    if (other !== undefined || named.length === 0)
      return sayLines(
        count(meant.length, 'role'),
        meant,
        (role) => roleLine(role, servers[role] ?? []),
        listing,
      )
    const names = servers[only] ?? []
    const title = `Role *${escaped(only)}*: ${count(names.length, 'server')}`
    return sayLines(title, namesLines(names), (line) => line, listing)
  },
}

function roleLine(role: string, names: readonly string[]): string {
  const shown = names.map((name) => escaped(name, 80))
  const many = names.length > namesOfRole ? ` (${count(names.length, 'server')})` : ''
  return `*${escaped(role, 80)}*: ${names.length === 0 ? 'no servers' : listed(shown, namesOfRole)}${many}`
}

function namesLines(names: readonly string[]): string[] {
  const shown = names.toSorted(naturally).map((name) => escaped(name, 80))
  return Array.from({ length: Math.ceil(shown.length / namesInLine) }, (_, at) =>
    shown.slice(at * namesInLine, (at + 1) * namesInLine).join(', '),
  )
}

export const triggers: Action = {
  names: ['triggers'],
  usage: 'triggers [filter]',
  example: 'triggers disk',
  does: 'Lists what the monitoring watches',
  permission: null,
  async command(words, { reads }) {
    const { rest: filter, page } = readPage(words)
    const all = await readable('the triggers', reads.monitor.triggers())
    if (all.length === 0) return say('The monitoring has no triggers')
    const isMeant = globMatcher(isGlob(filter) ? filter : `*${filter}*`)
    const meant = all.filter(({ id, metric, condition }) => [metric, condition, id].some(isMeant))
    if (meant.length === 0) {
      const similar = nearest(filter, new Set(all.map(({ metric }) => metric)))
      return noSuch(`No trigger matches ${code(filter)}`, similar, (metric) => `triggers ${metric}`)
    }
    const lineOf = ({ metric, condition }: Trigger) =>
      `*${escaped(metric)}*: ${escaped(condition, conditionCharsMax)}`
    const title = `*${count(meant.length, 'trigger')}*${filter === '' ? '' : ` matching ${code(filter)}`}`
    return sayLines(title, meant, lineOf, { page, size: linesOnPage, command: `triggers ${filter}` })
  },
}

export const oncall: Action = {
  names: ['oncall', 'on call'],
  usage: 'oncall',
  example: 'oncall',
  does: 'Shows who is on call, until when, and who comes next',
  permission: null,
  command(_words, { scene }) {
    const now = scene()
    const words = onCallWords(now) ?? "I don't know who's on call: no calendar is set up"
    return say(sections([words, onCallDoubt(now) ?? '']))
  },
}

export const audit: Action = {
  names: ['audit'],
  usage: 'audit [server]',
  example: 'audit web-2',
  does: 'Lists who did what, refusals too',
  permission: null,
  async command(words, context) {
    const { rest, page } = readPage(words)
    const acts = await actsSince(context, context.scene().nowMs - auditReachMs)
    const scene = context.scene()
    const meant = acts.filter((act) => act.kind !== 'outage' && (rest === '' || isAbout(act, rest)))
    const about = rest === '' ? '' : ` about ${code(rest)}`
    if (meant.length === 0) return say(`Nobody did anything${about} in the last 90 days`)
    const title = `*Who did what*${about}, the newest first`
    const lineOf = (act: Act) => `${date(act.atMs)} · ${actWords(act, scene)}`
    const listing = { page, size: actsOnPage, command: `audit ${rest}` }
    return sayLines(title, meant.toReversed(), lineOf, listing)
  },
}

/** Of the server, or with its name as a word in what people read. */
function isAbout({ host, subject, data }: Act, name: string): boolean {
  const isMeant = globMatcher(name)
  const ofMutes = data.mutes?.flatMap((id) => id.split(':')) ?? []
  return [host ?? '', ...subject.split(/[\s,]+/), ...(data.names ?? []), ...ofMutes].some(isMeant)
}

/** Each takes two blocks of Slack's fifty. */
const onPage = 15
const matchersCharsMax = 200

/** What others silenced, and why that could not be read. */
type Silences = { readonly others: readonly ApiMute[]; readonly why: string | null }

export const mutes: Action = {
  names: ['mutes'],
  usage: 'mutes',
  example: 'mutes',
  does: 'Lists what is muted and planned: by whom, until when and why',
  isCommon: true,
  permission: null,
  command: async (words, context) => {
    const silences = await readSilences(context)
    const { page } = readPage(words)
    return { kind: 'say', render: (scene) => viewOfBlocks(mutesBlocks(scene, silences, page)) }
  },
}

async function readSilences({ scene, reads }: Context): Promise<Silences> {
  if (!scene().canMuteAlerts) return { others: [], why: null }
  try {
    const { silences } = await reads.monitor.mutes()
    return { others: silences.filter(({ isOurs }) => !isOurs), why: null }
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    return { others: [], why: error.message }
  }
}

function mutesBlocks(scene: Scene, { others, why }: Silences, page: number): KnownBlock[] {
  const { nowMs } = scene
  const running = muteGroups(scene, (mute) => isInForce(mute, nowMs))
  const planned = muteGroups(scene, (mute) => isPlanned(mute, nowMs))
  const rows = [
    ...running.map((group) => (at: number) => muteRow(group, at, scene)),
    ...others.map((silence) => silenceRow(silence)),
    ...planned.map((group) => (at: number) => muteRow(group, at, scene)),
  ]
  const shown = pageOf(rows, page, onPage)
  return [
    section(`*${titleOf(running.length, planned.length, others.length)}*`),
    ...(why === null ? [] : [section(`⚠️ Couldn't read the silences of others: ${escaped(why)}`)]),
    ...shown.items.flatMap((row, at) => row(at)),
    ...pageBlocks(shown, 'mutes'),
    ...(scene.canMuteAlerts ? [] : context(["Mutes made elsewhere can't be seen here"])),
  ]
}

function titleOf(running: number, planned: number, silences: number): string {
  if (running + planned + silences === 0) return 'Nothing is muted'
  const parts = [count(running, 'mute'), `${count(silences, 'silence')} of others`, `${planned} planned`]
  return parts.filter((part, at) => !part.startsWith('0 ') || (at === 0 && silences === 0)).join(', ')
}

function silenceRow(silence: ApiMute): (at: number) => KnownBlock[] {
  const { id, by, untilMs, why, matchers, hides } = silence
  const until = untilMs === null ? '' : ` until ${date(untilMs)}`
  const what = escaped(matchers.join(', '), matchersCharsMax)
  const line = `🔕 ${by === null ? 'Somebody' : person(by)} silenced *${what}*${until}${because(why ?? '')}`
  const end = button({ id: 'end_silence', label: 'End…', value: { mutes: [id], words: what } })
  return (at) => [section(`${line}\nHides ${count(hides, 'alert')}`, end, `silence:${at}`)]
}
