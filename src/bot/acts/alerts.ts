/**
 * `/mon alerts`: what is open, nobody's first, then critical, then the newest; a storm is one row. What a filter does not know is said,
 * and nothing is green that is muted or unknown.
 */
import type { KnownBlock } from '@slack/types'
import { day } from '../clock.ts'
import { isLeftOut } from '../decide/channels.ts'
import { context, section, viewOfBlocks } from '../view/blocks.ts'
import { muteSentence } from '../view/mutes.ts'
import { rowBlock, rowsOf } from '../view/rows.ts'
import type { Scene } from '../view/scene.ts'
import { accountMute, doubtOf, lastPollWords } from '../view/truths.ts'
import { count } from '../view/words.ts'
import type { Alert } from '../world/types.ts'
import type { Action, Context, Reply } from './action.ts'
import { type AlertFilter, alertMatcher, readFilter, unknownOf } from './queries/alert-filter.ts'
import { code, noSuch, pageBlocks, pageOf, readPage } from './queries/answers.ts'
import { alertsSince } from './queries/past.ts'

const onPage = 15
/** As far back as closed ones are listed. */
const reachMs = 30 * day

export const alerts: Action = {
  names: ['alerts'],
  usage:
    'alerts [open|closed|all|mine|unacked] [critical|warning|info] [role=…] [severity=…] [<label>=…] [server]',
  example: 'alerts critical role=web',
  does: 'Lists alerts, by default the open ones, and those first that nobody is on',
  isCommon: true,
  permission: null,
  command: listAlerts,
}

export async function listAlerts(words: string, context: Context): Promise<Reply> {
  const { rest, page } = readPage(words)
  const filter = readFilter(rest)
  const { world, nowMs } = context.scene()
  const isPast = filter.state !== 'open'
  const known = isPast ? await alertsSince(context, nowMs - reachMs) : [...world.alerts.values()]
  const unknown = unknownOf(filter, known, context.scene())
  if (unknown !== null)
    noSuch(unknown.text, unknown.similar, (word) => `alerts ${rest.replace(unknown.word, () => word)}`)
  const { person } = context.ask
  return {
    kind: 'say',
    render(scene) {
      const { open, alerts } = scene.world
      const all = isPast ? known.map((alert) => alerts.get(alert.id) ?? alert) : [...open.values()]
      const isMeant = alertMatcher(filter, scene, person.id)
      const meant = all.filter((alert) => isMeant(alert) && !isLeftOut(scene, alert))
      return viewOfBlocks(blocksOf(meant, { filter, words: rest, page }, scene))
    },
  }
}

type Question = { readonly filter: AlertFilter; readonly words: string; readonly page: number }

function blocksOf(meant: readonly Alert[], question: Question, scene: Scene): KnownBlock[] {
  const { filter, words, page } = question
  const account = accountMute(scene)
  const doubts = [account === null ? '' : muteSentence([account], scene), doubtOf(scene) ?? '']
  const isSure = doubts.every((line) => line === '')
  const shown = pageOf(rowsOf(meant, scene), page, onPage)
  const green = isSure && filter.state === 'open' && filter.whose === null ? '🟢 ' : ''
  return [
    section([...doubts, titleOf(meant, question, green)].filter((line) => line !== '').join('\n')),
    ...shown.items.map((row, at) => rowBlock(row, at, scene)),
    ...pageBlocks(shown, `alerts ${words}`.trim()),
    ...context([lastPollWords(scene)]),
  ]
}

/** `green`: what is before it where there are none. */
function titleOf(meant: readonly Alert[], { filter, words }: Question, green: string): string {
  const { state, whose } = filter
  const kind = state === 'all' ? '' : `${state} `
  const isSaid = words === '' || [state, whose].some((word) => word === words.toLowerCase())
  const about = isSaid ? '' : ` for ${code(words)}`
  if (whose === 'mine') return `*${meant.length === 0 ? 'You have no' : 'Your'} ${kind}alerts*${about}`
  const nobody = whose === 'unacked' ? ' that nobody is on' : ''
  if (meant.length > 0) return `*${count(meant.length, `${kind}alert`)}${nobody}*${about}`
  return `${green}*No ${kind}alerts${nobody}*${about}`
}
