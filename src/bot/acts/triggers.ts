/** `/mon triggers [filter]`: what the monitoring watches, and its limits. */

import { globMatcher, isGlob } from '../../shared/glob.ts'
import { nearest } from '../../shared/nearest.ts'
import type { Trigger } from '../api/port.ts'
import { section } from '../view/blocks.ts'
import { count, escaped } from '../view/words.ts'
import type { Act, Reply } from './act.ts'
import { cannotRead, code, noSuch, readPage, say, sayLines } from './queries/answers.ts'

const onPage = 40
const conditionCharsMax = 250

export const triggers: Act = {
  names: ['triggers'],
  usage: 'triggers [filter]',
  example: 'triggers disk',
  does: 'Lists what the monitoring watches',
  permission: null,
  command: async (words, { reads }) => {
    const { rest, page } = readPage(words)
    try {
      return answer(await reads.monitor.triggers(), rest, page)
    } catch (error) {
      return cannotRead('the triggers', error)
    }
  },
}

function answer(all: readonly Trigger[], filter: string, page: number): Reply {
  if (all.length === 0) return say([section('The monitoring has no triggers')])
  const isMeant = globMatcher(isGlob(filter) ? filter : `*${filter}*`)
  const meant = all.filter(({ id, metric, condition }) => [metric, condition, id].some(isMeant))
  if (meant.length === 0) {
    const similar = nearest(filter, new Set(all.map(({ metric }) => metric)))
    return noSuch(`No trigger matches ${code(filter)}`, similar, (metric) => `triggers ${metric}`)
  }
  const lineOf = ({ metric, condition }: Trigger) =>
    `*${escaped(metric)}*: ${escaped(condition, conditionCharsMax)}`
  const title = `*${count(meant.length, 'trigger')}*${filter === '' ? '' : ` matching ${code(filter)}`}`
  return sayLines(title, meant, lineOf, { page, size: onPage, command: `triggers ${filter}` })
}
