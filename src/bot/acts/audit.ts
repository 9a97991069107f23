/** `/mon audit [server]`: who did what, the newest first, refusals too. */

import { globMatcher } from '../../shared/glob.ts'
import { day } from '../clock.ts'
import { section } from '../view/blocks.ts'
import { date } from '../view/words.ts'
import type { Act as HistoricAct } from '../world/types.ts'
import type { Act } from './act.ts'
import { code, readPage, say, sayLines } from './queries/answers.ts'
import { actsSince, actWords } from './queries/past.ts'

const onPage = 25
const reachMs = 90 * day

export const audit: Act = {
  names: ['audit'],
  usage: 'audit [server]',
  example: 'audit web-2',
  does: 'Lists who did what, refusals too',
  permission: null,
  command: async (words, context) => {
    const { rest, page } = readPage(words)
    const acts = await actsSince(context, context.scene().nowMs - reachMs)
    const scene = context.scene()
    const meant = acts.filter((act) => act.kind !== 'outage' && (rest === '' || isAbout(act, rest)))
    const about = rest === '' ? '' : ` about ${code(rest)}`
    if (meant.length === 0) return say([section(`Nobody did anything${about} in the last 90 days`)])
    const title = `*Who did what*${about}, the newest first`
    const lineOf = (act: HistoricAct) => `${date(act.atMs)} · ${actWords(act, scene)}`
    return sayLines(title, meant.toReversed(), lineOf, { page, size: onPage, command: `audit ${rest}` })
  },
}

/** Of the server, or with its name as a word in what people read. */
function isAbout({ host, subject, data }: HistoricAct, name: string): boolean {
  const isMeant = globMatcher(name)
  return [host ?? '', ...subject.split(/[\s,]+/), ...(data.names ?? [])].some(isMeant)
}
