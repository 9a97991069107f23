/** `server delete`, `metric delete`: for good, so Slack's own red dialog asks, with the names in the message and the count in it. */
import { confirmation } from '../view/blocks.ts'
import { readValue } from '../view/values.ts'
import { count, escaped, listed } from '../view/words.ts'
import type { Act, Context, Reply } from './act.ts'
import { serverMeant } from './grammar/targets.ts'
import { typed, wordsOf } from './grammar/words.ts'
import { askApi, askFirst } from './told.ts'

const metricsMax = 20

export const serverDelete: Act = {
  names: ['server delete'],
  usage: 'server delete <server>',
  example: 'server delete old-1',
  does: 'Deletes a server in the monitoring for good',
  permission: 'delete_server',
  command(words, context) {
    const [name, more] = wordsOf(words)
    if (name === undefined || more !== undefined)
      return { kind: 'refuse', text: 'Name one server: `/mon server delete old-1`' }
    const scene = context.scene()
    const meant = serverMeant(name.text, scene, (host) => `server delete ${typed(host)}`)
    if (meant.kind === 'no') return meant.reply
    const open = [...scene.world.open.values()].filter(({ host }) => host === meant.host).length
    const hides = open === 0 ? '' : ` Its ${count(open, 'open alert')} will close.`
    return asks(
      context,
      `Delete the server *${escaped(meant.host, 120)}* in the monitoring, with all its data?${hides}`,
      `Delete ${meant.host}`,
      'confirm_server',
      typed(meant.host),
    )
  },
  presses: {
    confirm_server: (press, context) => {
      const [host] = wordsOf(readValue(press.value)?.words ?? '')
      return host === undefined ? { kind: 'done' } : remove('delete_server', [host.text], context)
    },
  },
}

export const metricDelete: Act = {
  names: ['metric delete'],
  usage: 'metric delete <name>[,…]',
  example: 'metric delete jobs_waiting',
  does: `Deletes custom metrics for good, at most ${metricsMax}`,
  permission: 'delete_metric',
  command(words, context) {
    const names = namesIn(words)
    if (names.length === 0 || names.length > metricsMax)
      return { kind: 'refuse', text: `Name 1 to ${metricsMax} custom metrics, with commas between them.` }
    const list = listed(
      names.map((name) => `*${escaped(name, 80)}*`),
      metricsMax,
    )
    return asks(
      context,
      `Delete ${count(names.length, 'custom metric')} for good: ${list}?`,
      `Delete ${count(names.length, 'metric')}`,
      'confirm_metric',
      names.map(typed).join(','),
    )
  },
  presses: {
    confirm_metric: (press, context) =>
      remove('delete_metric', namesIn(readValue(press.value)?.words ?? ''), context),
  },
}

function namesIn(words: string): string[] {
  return [...new Set(wordsOf(words.replaceAll(',', ' ')).map(({ text }) => text))]
}

function asks(context: Context, question: string, label: string, id: string, words: string): Reply {
  const confirm = confirmation('This cannot be undone', question, label)
  return askFirst(context, [`⚠️ ${question}`], { id, label, value: { words }, confirm })
}

function remove(kind: 'delete_server' | 'delete_metric', names: readonly string[], context: Context): Reply {
  const host = kind === 'delete_server' ? { host: names[0] ?? '' } : {}
  return askApi(context, { kind, subject: names.join(', '), ...host, data: { names } }, kind, {
    ...host,
    names,
  })
}
