/** *End…* of a silence that somebody made at the Alertmanager: ends it there, after a question. */
import { readValue } from '../view/values.ts'
import { escaped } from '../view/words.ts'
import { pressedOnly } from './act.ts'
import { askApi, askFirst } from './told.ts'

const nameCharsMax = 300

export const silence = pressedOnly('mute_server', {
  end_silence(press, context) {
    const { mutes = [], words = 'this silence' } = readValue(press.value) ?? {}
    const [id = ''] = mutes
    const question = `End the silence *${escaped(words, nameCharsMax)}* at the Alertmanager, for everybody?`
    const yes = { id: 'confirm_silence', label: 'End it', value: { words: `${id} ${words}` } }
    return askFirst(context, [question], yes)
  },
  confirm_silence(press, context) {
    const [id = '', ...rest] = (readValue(press.value)?.words ?? '').split(' ')
    const subject = rest.join(' ').slice(0, nameCharsMax)
    return askApi(context, { kind: 'end_silence', subject }, 'end_silence', { silence: id })
  },
})
