/** `marker`: a line on every chart of the monitoring, such as a deploy. */
import { markerForm } from '../view/forms.ts'
import type { Act, Context, Reply } from './act.ts'
import { askApi } from './told.ts'

const textCharsMax = 500

export const marker: Act = {
  names: ['marker'],
  usage: 'marker <text>',
  example: 'marker deploy 1.2.3',
  does: 'Drops a marker that appears on every chart',
  permission: 'add_marker',
  command: (words, context) => (words === '' ? { kind: 'form', view: markerForm({}) } : drop(words, context)),
  forms: {
    marker(form, context) {
      const [text = ''] = form.values.get('text') ?? []
      if (text.trim() === '') return { kind: 'problems', problems: { text: 'Write something.' } }
      drop(text, context)
      return { kind: 'done' }
    },
  },
}

export function markerFormFor(): Reply {
  return { kind: 'form', view: markerForm({}) }
}

function drop(words: string, context: Context): Reply {
  const text = words.trim().slice(0, textCharsMax)
  const by = context.ask.person.realName || context.ask.person.name
  const done = { kind: 'marker', subject: text, data: { text } } as const
  return askApi(context, done, 'marker', { notes: `${text} (${by})` })
}
