/** Each command that only asks, typed by a person: the answer is theirs alone, and nothing is changed by it. */
import { expect, test } from 'vitest'
import { commands } from '../../src/bot/domain/command/commands.ts'
import type { Person } from '../support/person.ts'
import { openAlert, sharedTown, soon, told, truthOf } from '../support/shared-town.ts'
import { called } from '../support/town.ts'

const town = sharedTown({ service: { fleet: 24 } })

/** The newest answer, once it fits. */
async function reads(person: Person, words: RegExp): Promise<string> {
  await expect.poll(() => person.sees().at(-1), soon).toMatch(words)
  return person.sees().at(-1) ?? ''
}

/** The numbers of a picture stand in its text. */
async function seesPicture(person: Person, alt: RegExp): Promise<void> {
  const pictures = () =>
    person.answers().flatMap(({ blocks = [] }) => blocks.filter(({ type }) => type === 'image'))
  await expect
    .poll(() => pictures().map((one) => String(one.alt_text)), soon)
    .toContainEqual(expect.stringMatching(alt))
}

const stories: Readonly<Record<string, () => Promise<void>>> = {
  status: async () => {
    const ana = town().person('ana')
    await ana.types('/mon status')
    await reads(ana, /^(?:🟢 No open alerts|🔴 \d+ open alerts?)/)
    await openAlert(town(), 'worker-1')
    await ana.types('/mon status')
    await reads(ana, /\d unacknowledged · monitoring OK\nNothing is muted\./)
  },

  alerts: async () => {
    const ben = town().person('ben')
    const { alertId } = await openAlert(town(), 'web-1', 'Too many requests')
    await ben.types('/mon alerts web-1')
    await reads(
      ben,
      // Where the list moved while it was read, that is said first.
      new RegExp(
        `^(?:⚠️ .*\\n)?Open alerts on .web-1., critical first\\n.*web-1 Load Average.*${called(alertId)}`,
        's',
      ),
    )
    town().service.closeAlert(alertId)
    await expect
      .poll(async () => {
        await ben.types('/mon alerts closed web-1')
        return ben.sees().at(-1)
      }, soon)
      .toMatch(/^Closed alerts on `web-1`, newest first\n.*closed after/s)
  },

  mutes: async () => {
    const ana = town().person('ana')
    await ana.types('/mon mutes')
    await reads(ana, /^Nothing is muted\.$/)
    await ana.types('/mon mute cache-1 1h new disk')
    await reads(ana, /^🔕 cache-1 is muted/)
    await ana.types('/mon mutes')
    await reads(ana, /^Muted now\n🔕 cache-1 muted by <@U0ANA00001> until .* — new disk\n1 mute$/)
    await ana.presses('Unmute')
    await expect.poll(() => truthOf(town().service).muted(), soon).toEqual([])
  },

  chart: async () => {
    const cleo = town().person('cleo')
    await cleo.types('/mon chart web-3 cpu busy 2h')
    await reads(cleo, /CPU busy on web-3/)
    await seesPicture(cleo, /^CPU busy on web-3, .* to .* Asia\/Tokyo: from \d/)
    const { alertId } = await openAlert(town(), 'web-4')
    await cleo.types('/mon chart web-4')
    await reads(cleo, /^📈 Metrics of web-4\n.*Others: type their name/)
    await cleo.presses('Load Average: last minute')
    await seesPicture(cleo, /^Load Average: last minute on web-4, .* Asia\/Tokyo: from .*: limit 3\b/)
    await cleo.types(`/mon chart #${alertId}`)
    await seesPicture(cleo, /^Load Average: last minute on web-4, .* Asia\/Tokyo: from .*: limit 3\b/)
  },

  roles: async () => {
    const ana = town().person('ana')
    await ana.types('/mon roles')
    await reads(ana, /^Roles\n.*db · db-1, db-2/s)
    await ana.types('/mon roles lb-1')
    await reads(ana, /^Roles of `lb-1`\napp, lb\n2 roles$/)
  },

  triggers: async () => {
    const ana = town().person('ana')
    await ana.types('/mon triggers disk')
    await reads(
      ana,
      /^Triggers matching `disk`\ndisk_used_percent · .*meets or exceeds 90\.00% for 6 seconds/s,
    )
  },

  oncall: async () => {
    const ana = town().person('ana')
    await ana.types('/mon oncall')
    await reads(ana, /^No on-call calendar is set: /)
  },

  handoff: async () => {
    const ben = town().person('ben')
    const { alertId } = await openAlert(town(), 'db-3')
    await ben.types(`/mon ack ${alertId}`)
    await reads(ben, /^👀 You acknowledged/)
    await ben.types('/mon handoff')
    const words = await reads(ben, /^Handoff · /)
    expect(words).toMatch(/Open: \d+/)
    expect(words).toMatch(/Actions in the last 12 h(?:ours)?: \d+\n.*👀 <@U0BEN00001> acknowledged/s)
  },

  report: async () => {
    const cleo = town().person('cleo')
    await openAlert(town(), 'db-4')
    await cleo.types('/mon report 24h')
    const report = /^Report · .*\n\d+ alerts? opened, \d+ closed.*; \d+ open now, \d+ at the start\./
    // Its chart is an answer of its own, and by the time that anybody looks it may be the newest.
    await expect.poll(() => cleo.sees(), soon).toContainEqual(expect.stringMatching(report))
    const words = cleo.sees().find((text) => report.test(text))
    expect(words).toMatch(/Load Average.*Noisiest servers: .*db-4 \d/s)
    await seesPicture(cleo, /alerts/i)
  },

  audit: async () => {
    const ana = town().person('ana')
    await ana.types('/mon server delete web-5')
    await reads(ana, /^🔒 Deleting servers is disabled/)
    await ana.types('/mon audit web-5')
    await reads(
      ana,
      /^Who did what about `web-5`, newest first\n.*<@U0ANA00001> · delete the server web-5 · 🚫 refused/s,
    )
  },

  help: async () => {
    const ana = town().person('ana')
    await ana.types('/mon')
    const words = await reads(ana, /^Act on alerts\n/)
    for (const { name, summary } of commands) expect(words).toContain(`/mon ${name}\` ${summary}`)
    await ana.types('/mon help mute')
    await reads(ana, /\/mon mute \[host\] &lt;server&gt;.*Examples:\n• `\/mon mute web-1 2h deploying`/s)
  },
}

test('who mentions monbot, or writes to it directly, is answered as if by /mon', async () => {
  const { workspace } = town()
  const ana = town().person('ana')
  await ana.types(`<@${workspace.botUserId}> status`)
  await reads(ana, /monitoring OK/)
  await workspace.acts.home({ user: 'ben', tab: 'messages' })
  const state = (await (await fetch(`${workspace.url}control/state?user=ben`)).json()) as {
    channels: { id: string; kind: string; members: string[] }[]
  }
  const { id: benId } = workspace.person('ben')
  const direct =
    state.channels.find(({ kind, members }) => kind === 'im' && members.includes(benId))?.id ?? ''
  await town().person('ben').types('mutes', direct)
  await expect
    .poll(() => workspace.messages(direct).at(-1)?.text, soon)
    .toMatch(/^Nothing is muted|^Muted now/)
})

test('every command that asks has its story', () => {
  const asking = commands.filter(({ group }) => group === 'ask')
  expect(Object.keys(stories).sort()).toEqual(asking.map(({ name }) => name).sort())
})

test.each(Object.entries(stories))('/mon %s', async (_, story) => {
  await story()
  // Whatever was asked, the channel was told of nothing but the alerts, and of what somebody did or said beside the asking.
  const asked = `<@${town().workspace.botUserId}> `
  const rest = told(town()).filter((text) => !/^(?:🔴|🟢|🔕|🔔|👀)/.test(text) && !text.startsWith(asked))
  expect(rest).toEqual([])
})
