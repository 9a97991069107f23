/** *End…* of a silence that somebody made at the Alertmanager: ends it there, after a question. */
import { actSentence } from '../view/said.ts'
import { readValue } from '../view/values.ts'
import { escape } from '../view/words.ts'
import type { Act } from './act.ts'
import { askFirst, channelOf, record, sayAct, tellAloud, wantEffect } from './told.ts'

const nameCharsMax = 300

export const silence: Act = {
  names: [],
  usage: '',
  example: '',
  does: 'Ends a silence of the Alertmanager',
  permission: 'mute_server',
  presses: {
    end_silence(press) {
      const { mutes = [], words = 'this silence' } = readValue(press.value) ?? {}
      const [id = ''] = mutes
      return askFirst(
        [`End the silence *${escape(words, nameCharsMax)}* at the Alertmanager, for everybody?`],
        'confirm_silence',
        'End it',
        `${id} ${words}`,
      )
    },
    confirm_silence(press, context) {
      const scene = context.scene()
      const [id = '', ...rest] = (readValue(press.value)?.words ?? '').split(' ')
      const { act, effect } = scene.world.decide(() => {
        const done = record(scene, context.ask, {
          kind: 'end_silence',
          subject: rest.join(' ').slice(0, nameCharsMax),
          outcome: 'asked',
        })
        tellAloud(scene, done, channelOf(scene, context.ask))
        return { act: done, effect: wantEffect(scene, done, 'end_silence', { silence: id }) }
      })
      return sayAct(act.id, (done) => actSentence(done), [effect])
    },
  },
}
