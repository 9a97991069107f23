/** `nodata`: which group the monitoring tells when a server sends no data. */
import type { Act } from './act.ts'
import { serverMeant } from './grammar/targets.ts'
import { typed, wordsOf } from './grammar/words.ts'
import { askApi } from './told.ts'

export const noData: Act = {
  names: ['nodata'],
  usage: 'nodata <server> <group>',
  example: 'nodata web-2 "on-call team"',
  does: 'Sets which group is told when a server sends no data',
  permission: 'set_no_data',
  command(words, context) {
    const [name, ...rest] = wordsOf(words)
    const group = rest
      .map(({ text }) => text)
      .join(' ')
      .slice(0, 200)
    if (name === undefined || group === '')
      return { kind: 'refuse', text: 'Name a server and a group: `/mon nodata web-2 on-call`' }
    const meant = serverMeant(name.text, context.scene(), (host) => `nodata ${typed(host)} ${group}`)
    if (meant.kind === 'no') return meant.reply
    const { host } = meant
    const done = { kind: 'no_data', subject: host, host, data: { text: group } } as const
    return askApi(context, done, 'no_data', { host, group })
  },
}
