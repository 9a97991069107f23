/** `nodata`: which group the monitoring tells when a server sends no data. */
import { actSentence } from '../view/said.ts'
import type { Act } from './act.ts'
import { typed, wordsOf } from './grammar/plain.ts'
import { serverMeant } from './grammar/targets.ts'
import { channelOf, record, sayAct, tellAloud, wantEffect } from './told.ts'

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
    const scene = context.scene()
    const meant = serverMeant(name.text, scene, (host) => `nodata ${typed(host)} ${group}`)
    if (meant.kind === 'no') return meant.reply
    const { act, effect } = scene.world.decide(() => {
      const data = { text: group }
      const done = record(scene, context.ask, {
        kind: 'no_data',
        subject: meant.host,
        host: meant.host,
        outcome: 'asked',
        data,
      })
      tellAloud(scene, done, channelOf(scene, context.ask))
      return { act: done, effect: wantEffect(scene, done, 'no_data', { host: meant.host, group }) }
    })
    return sayAct(act.id, (done) => actSentence(done), [effect])
  },
}
