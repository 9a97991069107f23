/** A believable afternoon in the workspace, for a picture: who said what, and the cards that the bot showed. */
import { z } from 'zod'
import { chartSvg } from '../src/service/web/chart-svg.ts'
import { loadPainter } from '../src/service/web/draw-png.ts'
import type { Workspace } from '../src/workspace/workspace.ts'

const minuteMs = 60_000
const replyShape = z.looseObject({ ok: z.boolean() })

type Call = (method: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>

/** `goTo` sets the workspace's clock back by so many minutes; the story ends at 0. */
export async function tellStory(workspace: Workspace, goTo: (minutesAgo: number) => void): Promise<void> {
  const call: Call = async (method, args) => {
    const answer = await fetch(workspace.apiUrl + method, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.botToken}` },
      body: formOf(args),
    })
    const reply = replyShape.parse(await answer.json())
    if (!reply.ok) throw new Error(`${method}: ${JSON.stringify(reply)}`)
    return reply
  }
  const { acts } = workspace
  const channel = workspace.channel('alerts').id

  const muteEnd = `<!date^${Math.floor((Date.now() + 38 * minuteMs) / 1_000)}^{time}|soon>`
  goTo(52)
  const disk = await call('chat.postMessage', {
    channel,
    text: 'x',
    blocks: closed('Disk on db-1', '18 min'),
  })
  goTo(49)
  await acts.say({ user: 'ben', channel, threadTs: String(disk.ts), text: 'Old dumps. They are gone now.' })
  await acts.say({ user: 'ana', channel, threadTs: String(disk.ts), text: 'Thanks!' })
  goTo(24)
  const chart = await uploadChart(call)
  const load = await call('chat.postMessage', {
    channel,
    text: 'x',
    blocks: open('Load Average on web-2', []),
  })
  goTo(22)
  await call('chat.update', {
    channel,
    ts: load.ts,
    text: 'Load Average on web-2',
    blocks: open('Load Average on web-2', [
      {
        type: 'image',
        slack_file: { id: chart },
        alt_text: 'Load Average on web-2 over the last 20 minutes',
      },
      text(`:no_bell: Muted by <@U0ANA00001> until ${muteEnd} — deploying`),
    ]),
  })
  goTo(21)
  await acts.say({
    user: 'cleo',
    channel,
    text: 'That is the new build warming up. It should be calm in ten minutes.',
  })
  goTo(3)
  await call('chat.postMessage', { channel, text: 'x', blocks: open('Response time on shop-1', []) })
  goTo(1)
  await call('chat.postEphemeral', {
    channel,
    user: 'U0ANA00001',
    text: `1 active mute: \`web-2\` until ${muteEnd} (you: _deploying_). \`/mon unmute web-2\` ends it.`,
  })
  await acts.say({ user: 'ben', channel: '#db', text: 'The nightly dump moves to 03:00.' })
  goTo(0)
}

/** As Slack's SDK sends it: what is nested goes as JSON. */
function formOf(args: Record<string, unknown>): URLSearchParams {
  const fields = Object.entries(args).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return new URLSearchParams(fields)
}

const values = new Map([
  ['Load Average on web-2', '3.5 — Last minute met or exceeded 3.00'],
  ['Response time on shop-1', '1.8 s — Last 3 minutes met or exceeded 1.5 s'],
])

const text = (mrkdwn: string) => ({ type: 'section', text: { type: 'mrkdwn', text: mrkdwn } })
const plain = (words: string) => ({ type: 'plain_text', text: words })
const options = (pairs: Record<string, string>) =>
  Object.entries(pairs).map(([value, words]) => ({ text: plain(words), value }))

function open(subject: string, more: object[]): object[] {
  return [
    text(`:red_circle: *<https://monitor.example.com/alerts|${subject}>* · ${values.get(subject)}`),
    {
      type: 'context',
      elements: [{ type: 'mrkdwn', text: 'role web · 4th this week' }],
    },
    ...more,
    {
      type: 'actions',
      elements: [
        { type: 'button', action_id: 'acknowledge', text: plain('Acknowledge'), style: 'primary' },
        {
          type: 'static_select',
          action_id: 'mute_server',
          placeholder: plain('Mute'),
          options: options({ '30m': '30 minutes', '1h': '1 hour', healthy: 'Until healthy' }),
        },
        { type: 'button', action_id: 'show_chart', text: plain('Chart') },
        {
          type: 'overflow',
          action_id: 'more',
          options: options({ add_roles: 'Add roles…', add_note: 'Note…' }),
        },
      ],
    },
  ]
}

const closed = (subject: string, after: string): object[] => [
  text(
    `:large_green_circle: *<https://monitor.example.com/alerts|${subject}>* closed after ${after} · acknowledged by <@U0BEN00001>`,
  ),
]

/** All three steps of an upload; answers the file's id. */
async function uploadChart(call: Call): Promise<string> {
  const paint = await loadPainter()
  const stepMs = 20_000
  const untilMs = Date.now() - 24 * minuteMs
  const points = Array.from({ length: 60 }, (_, at): [min: number, average: number, max: number] => {
    const rise = 1 / (1 + Math.exp(-(at - 42) / 3))
    const load = 0.9 + 0.25 * Math.sin(at / 3) + 0.12 * Math.sin(at * 2.3) + 2.4 * rise
    return [load * 0.92, load, load * 1.08]
  })
  const svg = chartSvg({
    title: 'Load Average on web-2',
    fromMs: untilMs - points.length * stepMs,
    stepMs,
    points,
    emptyWords: 'no data',
    limit: { value: 3, words: 'alerts at 3.00' },
    write: (value) => value.toFixed(1),
    episode: { fromMs: untilMs - 12 * stepMs, untilMs },
    markersMs: [],
  })
  const bytes = paint(svg)
  const announced = await call('files.getUploadURLExternal', {
    filename: 'load.png',
    length: bytes.byteLength,
  })
  await fetch(String(announced.upload_url), { method: 'POST', body: new Uint8Array(bytes) })
  await call('files.completeUploadExternal', { files: [{ id: announced.file_id }] })
  return String(announced.file_id)
}
