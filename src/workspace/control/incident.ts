/** An incident that plays by itself and tells what happens, and at the end what was shown of all that the service listed. */
import { isFields, itemsOf } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import type { Acts } from './acts.ts'
import type { AskService } from './town.ts'

const channel = 'alerts'
/** The times of the scenes are seconds of an incident of five minutes. */
const usualMinutes = 5
const seenWithinMs = 20_000
const overWithinMs = 90_000
const lookEveryMs = 250

/** The fleet's triggers wait for 6 s, up and down. */
const spikeSeconds = 20
const replication = { server: 'db-2', plugin: 'Replication', metric: 'seconds_behind', value: 45 }

type Scene = ReturnType<typeof openScene>

const scenes: readonly (readonly [at: number, words: string, run: (scene: Scene) => Promise<unknown>])[] = [
  [
    3,
    'The CPU of web-4 is busy',
    (it) => it.scenario('cpu-spike', { server: 'web-4', seconds: it.lasting(80, spikeSeconds) }),
  ],
  [28, 'Ana acknowledges it', (it) => it.press('ana', 'Acknowledge', 'web-4')],
  [36, 'Ana writes a note to it', (it) => it.type('ana', 'note web-4 the log rotation runs too long')],
  [52, 'Cleo takes it over', (it) => it.press('cleo', 'Take over', 'web-4')],
  [
    64,
    'The replication of db-2 flaps: it stays on one card',
    async (it) => {
      for (let time = 0; time < 3; time += 1) {
        await it.alert(it.lasting(10, 5))
        await it.wait(it.lasting(20, 10))
      }
    },
  ],
  [140, 'It is behind once more, and stays so', (it) => it.alert(it.lasting(60, 24))],
  [
    190,
    'Forty alerts at once: one card counts them',
    (it) => it.scenario('storm', { count: 40, seconds: it.lasting(45, 25) }),
  ],
  [206, 'Ben acknowledges them all', (it) => it.press('ben', 'Acknowledge ', 'servers')],
  [
    214,
    'Cleo mutes web-3, and says why',
    (it) => it.type('cleo', 'mute web-3 20m its disk is being replaced'),
  ],
  [
    224,
    'The monitoring API is away: monbot says so, and loses nothing',
    async (it) => {
      // It is told of after the third poll that fails: up to 15 s, and longer on a busy machine.
      const seconds = it.lasting(35, 30)
      await it.failApi(seconds)
      await it.wait(seconds)
    },
  ],
  [282, 'Cleo unmutes web-3', (it) => it.type('cleo', 'unmute web-3')],
  [288, 'A plugin reports an event', (it) => it.scenario('plugin-oneoff', { server: 'web-5', count: 1 })],
  [294, 'Ana asks for the handoff', (it) => it.type('ana', 'handoff')],
]

export function openIncident(state: State, acts: Acts, ask: AskService) {
  let isPlaying = false
  /** Changes with each start and stop: what was started before stops at its next step. */
  let run = 0

  function say(words: string, isOver = false): void {
    isPlaying = !isOver
    state.events.emit({ type: 'incident', words, isOver })
  }

  async function play(minutes: number, isOn: () => boolean): Promise<void> {
    const share = minutes / usualMinutes
    const scene = openScene(state, acts, ask, share)
    const begunMs = state.nowMs()
    const before = await alertIds(ask)
    const shown = noteShown(state)
    for (const [at, words, act] of scenes) {
      await state.timers.wait(begunMs + at * share * 1_000 - state.nowMs())
      if (!isOn()) return shown.stop()
      say(`${clock(at)} ${words}`)
      await act(scene).catch((error: Error) => say(`${clock(at)} ${error.message}`))
    }
    if (isOn()) say('The incident is over as soon as nothing is open')
    const deadlineMs = state.nowMs() + overWithinMs
    let found = await tally(state, ask, before, shown.ids)
    while (isOn() && !found.isSettled && state.nowMs() < deadlineMs) {
      await state.timers.wait(lookEveryMs * 4)
      found = await tally(state, ask, before, shown.ids)
    }
    shown.stop()
    if (isOn()) say(found.words, true)
  }

  return {
    start(minutes: number): void {
      run += 1
      const own = run
      say('The incident begins')
      const isOn = () => run === own
      play(minutes, isOn).catch(
        (error: Error) => isOn() && say(`The incident broke off: ${error.message}`, true),
      )
    },
    stop(): void {
      if (isPlaying) say('The incident was stopped', true)
      run += 1
    },
  }
}

function openScene(state: State, acts: Acts, ask: AskService, share: number) {
  return {
    /** Seconds of five minutes as those of this incident, and no fewer than what happens needs. */
    lasting: (seconds: number, atLeast = 1) => Math.max(atLeast, seconds * share),
    scenario: (name: string, options: object) => ask('POST', `scenarios/${name}`, options),
    alert: (seconds: number) => ask('POST', 'alerts', { ...replication, seconds }),
    failApi: (seconds: number) => ask('POST', 'faults', { status: 503, times: 10_000, seconds }),
    wait: (seconds: number) => state.timers.wait(seconds * 1_000),
    async type(user: string, text: string) {
      const reply = await acts.command({ user, channel, command: '/mon', text })
      if (!reply.ok) throw new Error(`/mon ${text}: ${reply.error}`)
    },
    async press(user: string, label: string, words: string) {
      const deadlineMs = state.nowMs() + seenWithinMs
      for (;;) {
        const found = newestWith(state, label, words)
        // A card that was updated since it was read is looked at anew.
        if (found !== undefined && (await acts.click({ user, channel, ...found })).ok) return
        if (state.nowMs() > deadlineMs) throw new Error(`${user} finds no ${label} beside ${words}`)
        await state.timers.wait(lookEveryMs)
      }
    },
  }
}

function newestWith(state: State, label: string, words: string) {
  const id = state.channels.find(channel)?.id ?? ''
  const own = state.messages.all(id).filter(({ threadTs, text }) => !threadTs && text.includes(words))
  for (const { ts, blocks } of own.toReversed()) {
    const elements = blocks.flatMap(({ elements }) => itemsOf(elements).filter(isFields))
    const button = elements.find(({ type, text }) => type === 'button' && labelOf(text).startsWith(label))
    if (button !== undefined) return { ts, actionId: String(button.action_id) }
  }
  return undefined
}

const labelOf = (text: unknown): string => (isFields(text) ? String(text.text) : '')

/** The alerts that any message shows, by the link: a number is not always shown, or not whole. */
function noteShown(state: State): { readonly ids: ReadonlySet<string>; stop(): void } {
  const ids = new Set<string>()
  const stop = state.events.listen(({ event }) => {
    if (event.type !== 'message_posted' && event.type !== 'message_updated') return
    for (const [, id = ''] of JSON.stringify(event.message).matchAll(/\/a\/(\d+)\?/g)) ids.add(id)
  })
  return { ids, stop }
}

async function alertIds(ask: AskService): Promise<readonly string[]> {
  return itemsOf((await ask('GET', 'alerts')).ids).map(String)
}

async function tally(state: State, ask: AskService, before: readonly string[], shown: ReadonlySet<string>) {
  const isOpen = itemsOf((await ask('GET', 'state')).open_alerts).length > 0
  const ids = (await alertIds(ask)).filter((id) => !before.includes(id))
  const missing = ids.filter((id) => !shown.has(id)).length
  const keys = [...state.channels.all.keys()]
    .flatMap((id) => state.messages.all(id))
    .flatMap(({ metadata }) => (metadata === undefined ? [] : [JSON.stringify(metadata)]))
  const counts = `${ids.length - missing} shown, ${missing} missing`
  const doubled = keys.length - new Set(keys).size
  const words = `The incident is over: ${ids.length} alerts, ${counts}, ${doubled} shown twice`
  return { isSettled: !isOpen && missing === 0, words }
}

function clock(at: number): string {
  return `${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}`
}
