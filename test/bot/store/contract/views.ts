/** What a card of each kind shows, as the memory tells it. */
import { expect, test } from 'vitest'
import { alertCard, type NewCard } from '../../../../src/bot/domain/card/card.ts'
import { timelineMax } from '../../../../src/bot/domain/card/kinds.ts'
import { summaryCards } from '../../../../src/bot/domain/card/storm-cards.ts'
import {
  boardCard,
  changeNotice,
  expiringCard,
  muteEndedCard,
  noteCard,
  reminderCard,
} from '../../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan } from '../../../../src/bot/domain/plan.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { aMute, aNote, anEntry } from '../../../support/acting-rows.ts'
import { anAlert, closing, opening } from '../../../support/delivery-world.ts'
import type { OpenMemory } from '../../../support/memory-store.ts'
import { cards } from '../../../support/poll-world.ts'

export function viewsContract(memoryStore: OpenMemory): void {
  const startedMs = Date.UTC(2026, 10, 21, 3, 0, 0)
  const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
  const minuteMs = 60_000
  const thread = { channel: 'C1', cardId: 'alert:1:C1' }

  const views = (store: Store) => cards({ store, clock: { nowMs: () => nowMs } })

  test('an alert card says who did what about it, what silences its server, and how many notes there are', async () => {
    const store = await memoryStore()
    const atMs = (minutes: number) => startedMs + minutes * minuteMs
    await store.commit(opening([anAlert('1')], 'C1', nowMs))
    await store.commit({
      ...emptyPlan(nowMs),
      mutes: [
        { mute: aMute('own'), was: null },
        { mute: aMute('account', { subject: null }), was: null },
      ],
      notes: [aNote('n1'), aNote('n2')],
      audit: [
        anEntry('late', { atMs: atMs(3) }),
        anEntry('ack', { act: 'acknowledge', alertId: '1', hostname: null, atMs: atMs(2) }),
        anEntry('before', { atMs: atMs(-1) }),
        anEntry('refused', { outcome: 'refused', why: 'not_permitted', atMs: atMs(1) }),
        anEntry('monbot', {
          act: 'mute_expiring',
          hostname: 'web-1',
          userId: null,
          via: 'monbot',
          atMs: atMs(1),
        }),
        anEntry('other', { hostname: 'web-2', atMs: atMs(1) }),
        anEntry('deleted', { act: 'set_no_data', atMs: atMs(1) }),
        anEntry('note', { act: 'add_note', alertId: '1', atMs: atMs(1) }),
      ],
    })
    const [card] = await views(store)
    expect(card?.view).toMatchObject({
      kind: 'alert',
      stamp: { cardId: 'alert:1:C1', version: 1 },
      mute: { muteId: 'own' },
      timeline: [{ auditId: 'ack' }, { auditId: 'late' }],
      notes: 2,
      flaps: null,
    })
  })

  test('what people did to the server after the alert was over is not told on its card', async () => {
    const store = await memoryStore()
    const alert = anAlert('1')
    await store.commit(opening([alert], 'C1', nowMs))
    await store.commit({ ...closing(alert, nowMs), audit: [anEntry('then')] })
    await store.commit({
      ...emptyPlan(nowMs),
      audit: [anEntry('later', { atMs: nowMs + 1 })],
      dirty: ['1'],
    })
    expect((await views(store))[0]?.view).toMatchObject({ timeline: [{ auditId: 'then' }] })
  })

  test('of many deeds a card tells the first few', async () => {
    const store = await memoryStore()
    const audit = Array.from({ length: timelineMax + 3 }, (_, n) => anEntry(`${n}`, { atMs: startedMs + n }))
    await store.commit({ ...opening([anAlert('1')], 'C1', nowMs), audit: audit.toReversed() })
    expect((await views(store))[0]?.view).toMatchObject({ timeline: audit.slice(0, timelineMax) })
  })

  test('a card tells of a mute that the API has not confirmed yet, and of one whose end it has not', async () => {
    const store = await memoryStore()
    await store.commit(opening([anAlert('1'), anAlert('2')], 'C1', nowMs))
    const mutes = [
      aMute('m1', { state: 'active', confirmation: 'waiting' }),
      aMute('m2', { subject: 'web-2', state: 'ended', confirmation: 'waiting' }),
    ]
    await store.commit({ ...emptyPlan(nowMs), mutes: mutes.map((mute) => ({ mute, was: null })) })
    expect(await views(store)).toMatchObject([
      { view: { alert: { alertId: '1' }, mute: { muteId: 'm1' } } },
      { view: { alert: { alertId: '2' }, mute: { muteId: 'm2' } } },
    ])
  })

  test('folded alerts are one card: it shows the newest, how often, and since when', async () => {
    const store = await memoryStore()
    const same = { hostname: 'web-1', plugin: 'CPU' }
    const first = anAlert('1', same)
    await store.commit(opening([first], 'C1', nowMs))
    await store.commit(closing(first, startedMs + minuteMs))
    const second = anAlert('2', { ...same, startedMs: startedMs + 2 * minuteMs })
    const folding = {
      ...emptyPlan(nowMs),
      alerts: [{ alert: second, was: null }],
      folds: [{ cardId: 'alert:1:C1', alertId: '2' }],
    }
    expect(await store.commit(folding)).toBe('saved')
    expect(await store.carded(['2'])).toEqual(new Map([['2', ['C1']]]))
    expect(await views(store)).toMatchObject([
      {
        view: {
          stamp: { version: 3 },
          alert: { alertId: '2', state: 'open' },
          flaps: { times: 2, sinceMs: startedMs },
        },
      },
    ])
    await store.commit(closing(second, nowMs))
    expect(await views(store)).toMatchObject([{ view: { alert: { alertId: '2', state: 'closed' } } }])
  })

  test('notes, what was told, reminders and summaries stand where they belong and show what they are of', async () => {
    const store = await memoryStore()
    const [note, entry] = [aNote('n1'), anEntry('a1')]
    const [one, two] = [anAlert('1'), anAlert('2', { startedMs: startedMs + 1 })]
    await store.commit({
      ...opening([one], 'C1', nowMs),
      alerts: [
        { alert: one, was: null },
        { alert: two, was: null },
      ],
      notes: [note],
      audit: [entry],
      cards: [
        alertCard(one, { channel: 'C1', mention: null }),
        noteCard(note, thread),
        changeNotice(entry, { channel: 'C1', cardId: null }),
        reminderCard('1:C1', [one], { root: thread, mention: '<!here>' }),
        ...summaryCards([one, two], { channel: 'C1', mention: null }, nowMs),
      ],
    })
    const shown = new Map((await views(store)).map((card) => [card.cardId, card]))
    const alertTs = (await store.cardById('alert:1:C1'))?.ts
    expect(shown.get('note:n1:C1')).toMatchObject({ parentTs: alertTs, view: { kind: 'note', note } })
    expect(shown.get('told:a1:C1')).toMatchObject({
      parentTs: null,
      view: { kind: 'notice', topic: 'change_notice', entry },
    })
    expect(shown.get('reminder:1:C1')).toMatchObject({
      parentTs: alertTs,
      view: { kind: 'notice', topic: 'unacknowledged', alerts: [one], above: null, mention: '<!here>' },
    })
    const alerts = [two, one]
    expect(shown.get(`summary:${nowMs}:C1`)).toMatchObject({ view: { kind: 'summary', alerts } })
    expect(shown.get(`summary:${nowMs}:C1/1`)).toMatchObject({ view: { kind: 'page', alerts, page: 1 } })
  })

  test('a hand-back lists what its mute hides, and the end of the mute what is still open', async () => {
    const store = await memoryStore()
    const since = { hostname: 'web-1', startedMs: aMute('m').startedMs + minuteMs }
    const hidden = anAlert('2', { ...since, state: 'closed', closedMs: nowMs, closedBy: 'record' })
    const alerts = [anAlert('1'), hidden, anAlert('3', { ...since, startedMs: nowMs }), anAlert('4')]
    const mute = aMute('m', { state: 'ended', confirmation: 'waiting' })
    await store.commit({
      ...emptyPlan(nowMs),
      alerts: alerts.map((alert) => ({ alert, was: null })),
      mutes: [{ mute, was: null }],
      cards: [expiringCard(mute), muteEndedCard(mute)],
    })
    const under = { mute, open: [{ alertId: '3' }, { alertId: '1' }], hidden: 2, closed: 1 }
    expect((await views(store)).map(({ view }) => view)).toMatchObject([
      { kind: 'mute_expiring', ...under, picture: null, stamp: { version: 1 } },
      { kind: 'mute_ended', ...under },
    ])
  })

  test('the hand-back of the account leaves out servers that stay muted by themselves', async () => {
    const store = await memoryStore()
    const mute = aMute('account', { subject: null })
    await store.commit({
      ...emptyPlan(nowMs),
      alerts: [anAlert('1'), anAlert('2')].map((alert) => ({ alert, was: null })),
      mutes: [mute, aMute('own')].map((one) => ({ mute: one, was: null })),
      cards: [expiringCard(mute)],
    })
    expect((await views(store))[0]?.view).toMatchObject({ open: [{ alertId: '2' }], stillMuted: 1 })
  })

  test('a board lists what is open, newest first, and every mute in force', async () => {
    const store = await memoryStore()
    const alerts = [
      anAlert('1'),
      anAlert('2', { startedMs: startedMs + 1 }),
      anAlert('3', { state: 'oneoff' }),
    ]
    const mutes = [aMute('m1'), aMute('m2', { subject: 'web-2', state: 'active', confirmation: 'waiting' })]
    await store.commit({
      ...emptyPlan(nowMs),
      alerts: alerts.map((alert) => ({ alert, was: null })),
      mutes: mutes.map((mute) => ({ mute, was: null })),
      cards: [boardCard('C1')],
    })
    expect((await views(store))[0]?.view).toEqual({
      kind: 'board',
      open: [alerts[1], alerts[0]],
      lost: [],
      mutes,
      planned: [],
    })
  })

  test('a card of something that is not there is a bug that is seen when it is written', async () => {
    const store = await memoryStore()
    const cards: NewCard[] = [
      changeNotice(anEntry('a1'), { channel: 'C1', cardId: null }),
      expiringCard(aMute('m')),
    ]
    for (const card of cards) {
      await expect(store.commit({ ...emptyPlan(nowMs), cards: [card] })).rejects.toThrow(/is not there/)
    }
    expect(await store.noticesOf('change_notice')).toEqual([])
  })

  const dayMs = 24 * 60 * 60_000
  const web = { hostname: 'web-1', serverName: 'web-1' }

  test('the other open alerts of its server, and the last time that the same came, with its last note', async () => {
    const store = await memoryStore()
    const shown = async () => {
      const job = await store.nextJob('C1', nowMs, ['post', 'update'])
      if (job === null) return null
      await store.settle(job.cardId, { state: 'shown', ts: `1.${job.wanted}`, shown: job.wanted })
      return job.view.kind === 'alert' ? job.view : null
    }
    const before = anAlert('1', { ...web, startedMs: nowMs - 2 * dayMs })
    await store.commit({ ...emptyPlan(nowMs - 2 * dayMs), alerts: [{ alert: before, was: null }] })
    await store.commit(closing(before, nowMs - 2 * dayMs + 40 * 60_000))
    await store.commit({ ...emptyPlan(nowMs), notes: [aNote('n1', { alertId: '1', text: 'log rotation' })] })
    await store.commit(opening([anAlert('2', { ...web, startedMs: nowMs })], 'C1', nowMs))
    expect(await shown()).toMatchObject({
      alert: { alertId: '2' },
      alsoOpen: [],
      lastTime: { alert: { alertId: '1' }, note: 'log rotation' },
    })
    const other = anAlert('3', { ...web, plugin: 'Memory', startedMs: nowMs })
    await store.commit({ ...emptyPlan(nowMs), alerts: [{ alert: other, was: null }] })
    expect(await shown()).toMatchObject({ alert: { alertId: '2' }, alsoOpen: [{ alertId: '3' }] })
    await store.commit(closing(other, nowMs))
    expect(await shown()).toMatchObject({ alert: { alertId: '2' }, alsoOpen: [] })
    expect(await shown()).toBeNull()
  })
}
