/** How long a person waits: from a click, a choice or a command in the workspace to the answer that only they see. */
import type { Workspace } from '../src/workspace/workspace.ts'

/** Slack shows ephemeral messages one after the other, and so does who is measured. */
const person = 'ana'
const commandsMeasured = 30
const withinMs = 10_000
const commands = [
  { text: 'status', says: /open/ },
  { text: 'alerts', says: /30 alerts/ },
  { text: 'alerts all', says: /10,?030 alerts/ },
]

/** Milliseconds of each, in the order in which they were asked; `cards` are the timestamps of open alerts' cards. */
export async function measureAnswers(
  workspace: Workspace,
  cards: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const channel = workspace.channel('alerts').id
  const { acts } = workspace
  const tookMs = new Map<string, number[]>()

  async function measure(what: string, says: RegExp, act: () => Promise<{ ok: boolean }>): Promise<void> {
    const answered = Promise.withResolvers<number>()
    const timer = setTimeout(() => answered.reject(new Error(`nobody answered: ${what}`)), withinMs)
    const stop = workspace.events.listen(({ event }) => {
      if (event.type !== 'ephemeral_posted') return
      const words = JSON.stringify(event.message)
      // A refusal is quick too, and is not what is measured.
      if (says.test(words)) answered.resolve(performance.now())
      else answered.reject(new Error(`${what} was answered: ${words}`))
    })
    try {
      const fromMs = performance.now()
      const reply = await act()
      if (!reply.ok) throw new Error(`the workspace refused: ${what}: ${JSON.stringify(reply)}`)
      tookMs.set(what, [...(tookMs.get(what) ?? []), (await answered.promise) - fromMs])
    } finally {
      clearTimeout(timer)
      stop()
    }
  }

  const click = { user: person, channel }
  for (const ts of cards) {
    await measure('Acknowledge', /You acknowledged/, () =>
      acts.click({ ...click, ts, actionId: 'acknowledge' }),
    )
  }
  for (const ts of cards) {
    await measure('Mute… 1 h', /is muted/, () =>
      acts.click({ ...click, ts, actionId: 'mute_server', choice: '1h' }),
    )
  }
  const ask = { user: person, channel, command: '/mon' }
  for (const { text, says } of commands) {
    for (let n = 0; n < commandsMeasured; n += 1) {
      await measure(`/mon ${text}`, says, () => acts.command({ ...ask, text }))
    }
  }
  return tookMs
}
